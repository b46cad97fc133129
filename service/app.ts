/** Assembles the service's routes and middleware. */

import { Hono, type MiddlewareHandler } from 'hono';
import { accountRoutes } from './account.ts';
import { limitBody, limitMethods, readBody } from './body.ts';
import type { PartnerEnv } from './context.ts';
import type { Credits } from './credits.ts';
import { addDocuments, donorPage } from './documents.ts';
import { CHARGED_DONORS, donorRoutes } from './donors/donors.ts';
import { chargedEnhancements, type EnhancementOptions, enhancementRoutes } from './enhancements.ts';
import { answerError } from './errors.ts';
import { chargedExports, type ExportOptions, exportRoutes } from './exports/exports.ts';
import { healthRoutes } from './health.ts';
import { authenticate, type Keys } from './keys.ts';
import { limitRate, type RateLimit } from './limits.ts';
import { CHARGED_LISTS, type ListOptions, listRoutes } from './lists/lists.ts';
import { meterCredits } from './metering.ts';
import { chargedNetworks, type NetworkOptions, networkRoutes } from './networks/routes.ts';
import { createRouter } from './router.ts';
import type { FindOptions } from './search/find-donors.ts';
import { CHARGED_SEARCHES, searchRoutes } from './search/search.ts';
import { whileOpen } from './slices.ts';
import { quotePersons } from './validation.ts';

/** The last part of `{base_url}` in the service document. */
export const BASE_PATH = '/v1/partners';

/** The path of the donors' pages, to which profiles link. The pages are outside the API's path. */
export const DONOR_PAGES = '/people';

export interface AppOptions
  extends EnhancementOptions,
    ExportOptions,
    FindOptions,
    ListOptions,
    NetworkOptions {
  /** The service's name. */
  title: string;
  rateLimit: RateLimit;
  credits: Credits;
  keys: Pick<Keys, 'find'>;
  /** The outermost middleware functions, in order. The code that starts the service provides them. */
  edge: readonly MiddlewareHandler[];
  /** Called with unexpected errors. */
  report: (error: Error) => void;
}

/**
 * Returns the service at its base path. The documents are also available without a key, because browsers cannot send a
 * key.
 */
export function createApp(options: AppOptions) {
  const app = new Hono<PartnerEnv>({ strict: false });
  const service = createService(options);
  const page = addDocuments(service, BASE_PATH, options);
  // The page at a donor's address. Profiles contain this address. The page contains no data, because browsers cannot
  // send a key.
  app.get(`${DONOR_PAGES}/:id`, (c) => c.html(donorPage(options.title)));
  app.route(BASE_PATH, service);
  app.notFound((c) => c.json({ detail: 'Not Found' }, 404));
  app.onError((error, c) => answerError(error, c, options.report));
  return { app, page };
}

/**
 * The order of the middleware matters. Callers without access are not charged, and the service charges a request before
 * it processes the request.
 */
function createService(options: AppOptions) {
  const { clock, credits, commitTogether, createId } = options;
  const endpoints = [
    ...chargedEnhancements(options.forms),
    ...CHARGED_DONORS,
    ...CHARGED_LISTS,
    ...chargedExports(options.lists),
    ...CHARGED_SEARCHES,
    ...chargedNetworks(options.networkPrices),
  ];
  const service = createRouter();
  service.use((_, next) => whileOpen(next));
  service.use(identify(createId));
  for (const handler of options.edge) service.use(handler);
  service.use(authenticate(options.keys, clock));
  service.use(limitRate(options.rateLimit, clock));
  service.use(limitMethods());
  service.use(limitBody());
  service.use(readBody());
  service.use(quotePersons());
  service.use(meterCredits({ credits, commitTogether, clock, basePath: BASE_PATH, endpoints }));
  service.use(failInside());
  service.route('/', accountRoutes(credits));
  service.route('/', healthRoutes());
  service.route('/', donorRoutes(options));
  service.route('/', listRoutes(options));
  service.route('/', exportRoutes(options));
  service.route('/', searchRoutes(options));
  service.route('/', networkRoutes(options));
  service.route('/', enhancementRoutes(options));
  return service;
}

/** Assigns an ID to each request, for the ledger and the logs. */
function identify(createId: () => string): MiddlewareHandler<PartnerEnv> {
  return async (c, next) => {
    c.set('requestId', createId());
    await next();
  };
}

/**
 * Returns the innermost middleware. The middleware simulates the documented fault `error`, which is a failure of the
 * service itself. The simulated failure happens after authentication, limits and charging.
 */
function failInside(): MiddlewareHandler<PartnerEnv> {
  return async (c, next) =>
    c.var.fault?.kind === 'error' ? c.json({ detail: 'Internal Server Error' }, 500) : next();
}
