/** Assembles the routes and the middleware. */

import { Hono, type MiddlewareHandler } from 'hono';
import { playFaults } from '../../testbed/faults.ts';
import { type DrawLatency, playLatency, type Wait } from '../../testbed/latency.ts';
import { logRequests } from '../../testbed/request-log.ts';
import { addHeaders, detailsOf, getPath } from '../crm/requests.ts';
import { type ApiOptions, apiRoutes, guardApi } from './api.ts';
import { type ControlOptions, controlRoutes } from './control/control.ts';
import { playAccountFaults } from './control/play-faults.ts';
import { errorBody, HubspotError, unknownPath } from './core/errors.ts';
import { openLists } from './lists/lists.ts';
import { type OAuthOptions, openOAuth } from './oauth/oauth.ts';
import { DATED_VERSIONS, type HubspotContext, type HubspotEnv } from './requests/context.ts';
import { isSearch, type Limits } from './requests/limits.ts';
import { WEBHOOK_PATHS } from './webhooks/webhook-routes.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** The data that the parts of the app need. */
export interface AppOptions extends ApiOptions, ControlOptions, Omit<OAuthOptions, 'db'> {
  webhooks: Webhooks;
  drawLatency: DrawLatency;
  wait: Wait;
  /** Returns a UUID for each request. */
  createId: () => string;
  /** Called with unexpected errors. */
  report: (error: Error) => void;
}

/** Creates the account's routes and the routes of the sandbox's own controls. */
export function createApp(options: AppOptions): Hono<HubspotEnv> {
  const { account, tokens, clock, limits } = options;
  const oauth = openOAuth({ ...options, db: account.db });
  const lists = openLists({
    ...options,
    ...{ db: account.db, records: account.store, properties: account.properties },
    inProgress: account.listsInProgress,
  });
  const app = new Hono<HubspotEnv>({ getPath });
  app.notFound((c) => answerError(c, unknownPath()));
  app.onError((error, c) => answerError(c, toHubspotError(error, options.report)));
  app.use(nameRequest(options.createId));
  app.route('/_sandbox', controlRoutes(options));
  app.route('/_sandbox/oauth', oauth.control);
  app.route('/_sandbox/webhooks', options.webhooks.control);
  app.use(logRequests(options.requests, clock, detailsOf));
  app.use(playLatency(options.drawLatency, account.db, options.wait));
  app.use(addHeaders(clock, (c: HubspotContext) => headersOf(c, limits)));
  app.use(playFaults(options.faults));
  app.use(playAccountFaults(tokens));
  app.route('/oauth', oauth.routes);
  for (const path of WEBHOOK_PATHS) app.route(path, options.webhooks.routes);
  // All routes below this line require a token.
  app.use(...guardApi(options));
  app.route('/', apiRoutes(options));
  for (const version of ['v3', ...DATED_VERSIONS]) {
    app.route(version === 'v3' ? '/crm/v3/lists' : `/crm/lists/${version}`, lists);
  }
  return app;
}

function nameRequest(createId: () => string): MiddlewareHandler<HubspotEnv> {
  return async (c, next) => {
    c.set('correlationId', createId());
    return next();
  };
}

function headersOf(c: HubspotContext, limits: Limits): Record<string, string> {
  const { correlationId, grant } = c.var;
  const isUncounted = grant === undefined || isSearch(c);
  return {
    'X-HubSpot-Correlation-Id': correlationId,
    ...(isUncounted ? {} : limits.headersFor(grant)),
  };
}

function toHubspotError(error: Error, report: (error: Error) => void): HubspotError {
  if (error instanceof HubspotError) return error;
  report(error);
  return new HubspotError(500, 'INTERNAL_ERROR', 'internal error');
}

function answerError(c: HubspotContext, error: HubspotError): Response {
  const { retryAfterSeconds } = error.extras;
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': `${retryAfterSeconds}` };
  return Response.json(errorBody(error, c.var.correlationId), { status: error.status, headers });
}
