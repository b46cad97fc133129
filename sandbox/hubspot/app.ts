/** The way of a request through the account. */

import { setTimeout as sleep } from 'node:timers/promises';
import { Hono, type MiddlewareHandler } from 'hono';
import { type Faults, playFaults } from '../faults.ts';
import { logRequests } from '../request-log.ts';
import { type ApiOptions, apiRoutes, guardApi } from './api.ts';
import {
  DATED_VERSIONS,
  type HubspotContext,
  type HubspotEnv,
  type RequestDetails,
} from './context.ts';
import { type ControlOptions, controlRoutes } from './control.ts';
import { errorBody, HubspotError, unknownPath } from './errors.ts';
import type { HubspotFault } from './faults.ts';
import { isSearch, type Limits } from './limits.ts';
import { openLists } from './lists/lists.ts';
import { type OAuthOptions, openOAuth } from './oauth/oauth.ts';
import { playAccountFaults } from './play-faults.ts';
import { WEBHOOK_PATHS } from './webhooks/webhook-routes.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** Everything that the app's parts need. */
export interface AppOptions extends ApiOptions, ControlOptions, Omit<OAuthOptions, 'db'> {
  faults: Faults<HubspotFault>;
  webhooks: Webhooks;
  /** Every request waits so long. */
  latencyMs: number;
  /** A UUID for each request. */
  createId: () => string;
  /** Hears of errors that nobody foresaw. */
  report: (error: Error) => void;
}

/** The account's addresses, and the sandbox's own controls beside them. */
export function createApp(options: AppOptions): Hono<HubspotEnv> {
  const { account, tokens, clock, limits } = options;
  const oauth = openOAuth({ ...options, db: account.db });
  const lists = openLists({ ...options, db: account.db, records: account.store });
  const app = new Hono<HubspotEnv>({ getPath });
  app.notFound((c) => answerError(c, unknownPath()));
  app.onError((error, c) => answerError(c, toHubspotError(error, options.report)));
  app.use(nameRequest(options.createId));
  app.route('/_sandbox', controlRoutes(options));
  app.route('/_sandbox/oauth', oauth.control);
  app.route('/_sandbox/webhooks', options.webhooks.control);
  app.use(logRequests(options.requests, clock, detailsOf));
  app.use(addHeaders(limits, clock));
  app.use(playFaults(options.faults));
  app.use(delay(options.latencyMs));
  app.use(playAccountFaults(tokens));
  app.route('/oauth', oauth.routes);
  for (const path of WEBHOOK_PATHS) app.route(path, options.webhooks.routes);
  // From here on a token is needed.
  app.use(...guardApi(options));
  app.route('/', apiRoutes(options));
  for (const version of ['v3', ...DATED_VERSIONS]) {
    app.route(version === 'v3' ? '/crm/v3/lists' : `/crm/lists/${version}`, lists);
  }
  return app;
}

/** Slashes may be doubled, and one may stand at the end. */
function getPath(request: Request): string {
  const path = new URL(request.url).pathname.replaceAll(/\/{2,}/g, '/');
  return path === '/' ? path : path.replace(/\/$/, '');
}

function nameRequest(createId: () => string): MiddlewareHandler<HubspotEnv> {
  return async (c, next) => {
    c.set('correlationId', createId());
    return next();
  };
}

function detailsOf(c: HubspotContext): RequestDetails {
  return { query: new URL(c.req.url).search.slice(1) };
}

/** The date is the account's own clock, by which clients set their upper bounds. */
function addHeaders(limits: Limits, clock: () => number): MiddlewareHandler<HubspotEnv> {
  return async (c, next) => {
    await next();
    // Where the connection was cut there is no answer to put headers on.
    if (c.env.outgoing.headersSent || c.env.incoming.socket.destroyed) return;
    c.res.headers.set('Date', new Date(clock()).toUTCString());
    c.res.headers.set('X-HubSpot-Correlation-Id', c.var.correlationId);
    const { grant } = c.var;
    if (grant === undefined || isSearch(c)) return;
    for (const [name, value] of Object.entries(limits.headersFor(grant))) {
      c.res.headers.set(name, value);
    }
  };
}

function delay(latencyMs: number): MiddlewareHandler<HubspotEnv> {
  return async (_c, next) => {
    if (latencyMs > 0) await sleep(latencyMs, undefined, { ref: false });
    await next();
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
