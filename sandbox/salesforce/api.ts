/** Combines the resources of the REST API with the middleware that runs before them. */

import { Hono, type MiddlewareHandler } from 'hono';
import { getPath } from '../crm/requests.ts';
import { bulkIngestRoutes } from './bulk/ingest.ts';
import type { Bulk } from './bulk/jobs.ts';
import { bulkQueryRoutes } from './bulk/query-jobs.ts';
import { playLocks } from './control/play-faults.ts';
import {
  dailyLimitError,
  errorBody,
  notFound,
  SalesforceError,
  sessionError,
} from './core/errors.ts';
import { identityAt } from './oauth/identity.ts';
import { OAuthError, oauthErrorBody } from './oauth/oauth-error.ts';
import type { Tokens } from './oauth/tokens.ts';
import type { Org } from './org/org.ts';
import type { SalesforceEnv } from './requests/context.ts';
import { AmbiguousKeyError } from './requests/external-id.ts';
import { createTurns } from './requests/turns.ts';
import { basePathOf, listResources, listVersions } from './requests/versions.ts';
import { collectionRoutes } from './routes/collection-routes.ts';
import { compositeRoutes } from './routes/composite-routes.ts';
import { limitRoutes } from './routes/limit-routes.ts';
import { queryRoutes } from './routes/query-routes.ts';
import { recordRoutes } from './routes/record-routes.ts';
import { recordUiRoutes } from './routes/record-ui-routes.ts';
import { reportRoutes } from './routes/report-routes.ts';
import { searchRoutes } from './routes/search-routes.ts';
import { toolingRoutes } from './routes/tooling-routes.ts';

/** The objects that the API needs. */
export interface ApiOptions {
  org: Org;
  bulk: Bulk;
  tokens: Tokens;
  /** Receives unexpected errors. */
  report: (error: Error) => void;
}

/**
 * Returns the API below `/services/data`. The order of the middleware matters, because only requests with a valid token
 * count towards the limit.
 */
export function createApi(options: ApiOptions): Hono<SalesforceEnv> {
  const { org, bulk, tokens } = options;
  const api = createRouter(options.report);
  api.get('/services/data', (c) => c.json(listVersions()));

  const turns = createTurns();
  const resources = new Hono<SalesforceEnv>();
  resources.use(authenticate(tokens));
  resources.use(countRequests(org));
  resources.use(readBody());
  resources.use(turns.share);
  resources.use(playLocks(org.locks));
  resources.get('/', (c) => c.json(listResources(c.var.basePath, identityAt(c, c.var.user))));
  resources.route('/', queryRoutes(org, { tooling: false }));
  resources.route('/', limitRoutes(org, bulk));
  resources.route('/', bulkQueryRoutes(org, bulk));
  resources.route('/', bulkIngestRoutes(org, bulk));
  resources.route('/', reportRoutes(org));
  resources.route('/', searchRoutes(org));
  resources.route('/', collectionRoutes(org));
  resources.route(
    '/',
    compositeRoutes(org, turns, async (c, request) =>
      api.fetch(request, { ...c.env, isSubrequest: true }),
    ),
  );
  resources.route('/tooling', toolingRoutes(org));
  resources.route('/', recordUiRoutes(org));
  resources.route('/', recordRoutes(org));
  api.route('/services/data/:version', resources);
  return api;
}

/** Creates a router that matches paths and returns errors like Salesforce. */
export function createRouter(report: (error: Error) => void): Hono<SalesforceEnv> {
  const router = new Hono<SalesforceEnv>({ getPath });
  router.notFound(() => answerError(notFound(), report));
  router.onError((error, c) => {
    if (!(error instanceof AmbiguousKeyError)) return answerError(error, report);
    const { typeName, ids } = error;
    // The client must choose one of the records.
    return Response.json(
      ids.map((id) => `${c.var.basePath}/sobjects/${typeName}/${id}`),
      { status: 300 },
    );
  });
  return router;
}

function answerError(error: Error, report: (error: Error) => void): Response {
  if (error instanceof SalesforceError) {
    return Response.json(errorBody(error), { status: error.status });
  }
  if (error instanceof OAuthError) return Response.json(oauthErrorBody(error), { status: 400 });
  report(error);
  const message = 'An unexpected error occurred.';
  return Response.json([{ message, errorCode: 'UNKNOWN_EXCEPTION' }], { status: 500 });
}

function authenticate(tokens: Tokens): MiddlewareHandler<SalesforceEnv> {
  return async (c, next) => {
    c.set('basePath', basePathOf(c.req.param('version') ?? ''));
    const header = c.req.header('authorization') ?? '';
    const token = /^(?:Bearer|OAuth) (\S+)$/i.exec(header)?.[1];
    if (token === undefined && header !== '') {
      throw new SalesforceError(401, 'INVALID_AUTH_HEADER', 'INVALID_HEADER_TYPE');
    }
    const grant = tokens.findAccess(token ?? '');
    if (grant === undefined) throw sessionError();
    c.set('user', grant.user);
    return next();
  };
}

function countRequests({ usage }: Org): MiddlewareHandler<SalesforceEnv> {
  return async (c, next) => {
    const isCounted = c.env.isSubrequest !== true;
    if (isCounted && !usage.take()) throw dailyLimitError();
    return next();
  };
}

/** Reads a JSON body. All other bodies are read by the resource itself. */
function readBody(): MiddlewareHandler<SalesforceEnv> {
  return async (c, next) => {
    const isJson = c.req.header('content-type')?.startsWith('application/json') === true;
    const text = isJson ? await c.req.text() : '';
    c.set('body', text === '' ? undefined : parseJson(text));
    return next();
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The body is no JSON';
    throw new SalesforceError(400, 'JSON_PARSER_ERROR', `${message} at [line:1, column:1]`, {
      cause: error,
    });
  }
}
