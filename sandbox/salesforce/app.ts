/** Assembles the org's middleware and routes. */

import type { Hono, MiddlewareHandler } from 'hono';
import { playFaults } from '../../testbed/faults.ts';
import { type DrawLatency, playLatency, type Wait } from '../../testbed/latency.ts';
import { logRequests } from '../../testbed/request-log.ts';
import { addHeaders, detailsOf } from '../crm/requests.ts';
import { type ApiOptions, createApi, createRouter } from './api.ts';
import { type ControlOptions, controlRoutes } from './control/control.ts';
import { playOrgFaults } from './control/play-faults.ts';
import { SalesforceError } from './core/errors.ts';
import { authorizeRoutes } from './oauth/authorize.ts';
import { identityRoutes, userInfoRoutes } from './oauth/identity.ts';
import { type OAuthOptions, tokenRoutes } from './oauth/token-endpoint.ts';
import type { Org } from './org/org.ts';
import type { SalesforceContext, SalesforceEnv } from './requests/context.ts';

/** The data that the parts of the app need. */
export interface AppOptions extends ApiOptions, ControlOptions, OAuthOptions {
  drawLatency: DrawLatency;
  wait: Wait;
  /** The maximum number of requests that run at the same time. 0 means no limit. */
  concurrent: number;
}

/** Creates the org's routes and the routes of the sandbox's own controls. */
export function createApp(options: AppOptions): Hono<SalesforceEnv> {
  const { org, tokens, clock } = options;
  const app = createRouter(options.report);
  app.route('/_sandbox', controlRoutes(options));
  app.use(logRequests(options.requests, clock, detailsOf));
  app.use(addHeaders(clock, (c: SalesforceContext) => headersOf(c, org)));
  app.use(limitConcurrency(options.concurrent));
  app.use(playLatency(options.drawLatency, org.db, options.wait));
  app.use(playFaults(options.faults));
  app.use(playOrgFaults(tokens));
  app.route('/services/oauth2', authorizeRoutes(options.app, options.codes));
  app.route('/services/oauth2', tokenRoutes(options));
  app.route('/services/oauth2', userInfoRoutes(tokens));
  app.route('/id', identityRoutes(tokens));
  app.route('/', createApi(options));
  return app;
}

function headersOf(c: SalesforceContext, { usage }: Org): Record<string, string> {
  return /^\/services\/data\/./.test(c.req.path)
    ? { 'Sforce-Limit-Info': `api-usage=${usage.used()}/${usage.limit}` }
    : {};
}

function limitConcurrency(most: number): MiddlewareHandler<SalesforceEnv> {
  let underWay = 0;
  return async (_c, next) => {
    if (most > 0 && underWay >= most) {
      throw new SalesforceError(
        403,
        'REQUEST_LIMIT_EXCEEDED',
        'ConcurrentRequests Limit exceeded.',
      );
    }
    underWay += 1;
    try {
      await next();
    } finally {
      underWay -= 1;
    }
  };
}
