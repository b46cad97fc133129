/** Assembles the routes and the middleware. */
import { Hono } from 'hono';
import { playFaults } from '../../testbed/faults.ts';
import { type DrawLatency, playLatency, type Wait } from '../../testbed/latency.ts';
import { logRequests } from '../../testbed/request-log.ts';
import { addHeaders, detailsOf, getPath } from '../crm/requests.ts';
import { DETAIL_KINDS } from './account/details.ts';
import { type ControlOptions, controlRoutes } from './control/control.ts';
import { BloomerangError, errorBody, notFound } from './core/errors.ts';
import type { BloomerangEnv } from './requests/context.ts';
import { limitRequests } from './requests/limits.ts';
import type { SignIn } from './requests/sign-in.ts';
import { accountRoutes } from './routes/account-routes.ts';
import { constituentRoutes } from './routes/constituent-routes.ts';
import { detailRoutes } from './routes/detail-routes.ts';

export interface AppOptions extends Omit<ControlOptions, 'signIn'> {
  signIn: SignIn;
  ratePerSecond: number;
  drawLatency: DrawLatency;
  wait: Wait;
  /** Called with unexpected errors. */
  report: (error: Error) => void;
}

/** The path of the API, as in its public address. */
export const BASE_PATH = '/v2';

export function createApp(options: AppOptions): Hono<BloomerangEnv> {
  const { account, signIn, ratePerSecond, requests, faults } = options;
  const { clock, db } = account;
  const app = new Hono<BloomerangEnv>({ getPath });
  app.notFound(() => toResponse(notFound('resource')));
  app.onError((error) => {
    if (error instanceof BloomerangError) return toResponse(error);
    options.report(error);
    return toResponse(new BloomerangError(500, 'An error has occurred.'));
  });
  app.route('/_sandbox', controlRoutes(options));
  app.use(logRequests(requests, clock, detailsOf));
  app.use(playLatency(options.drawLatency, db, options.wait));
  app.use(addHeaders(clock, () => ({})));
  app.use(playFaults(faults));
  app.use(async (c, next) => {
    if (c.var.fault?.kind === 'error') throw new BloomerangError(500, 'An error has occurred.');
    return next();
  });
  // Bloomerang serves this page on crm.bloomerang.co.
  app.route('/authorize', signIn.authorizeRoutes);
  app.use(limitRequests(ratePerSecond, account));
  app.route(`${BASE_PATH}/oauth/token`, signIn.tokenRoutes);
  app.use(signIn.authenticate);
  app.route(BASE_PATH, accountRoutes(account));
  app.route(BASE_PATH, constituentRoutes(account));
  for (const kind of DETAIL_KINDS) app.route(BASE_PATH, detailRoutes(account, kind));
  return app;
}

function toResponse(error: BloomerangError): Response {
  const { status, retryAfterSeconds } = error;
  const headers = retryAfterSeconds === null ? {} : { 'Retry-After': `${retryAfterSeconds}` };
  return Response.json(errorBody(error), { status, headers });
}
