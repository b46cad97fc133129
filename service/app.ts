/** The way of a request through the service. */

import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { Faults } from '../testbed/fault-rules.ts';
import { failInside, playFaults } from '../testbed/faults.ts';
import { type DrawLatency, playLatency, type Wait } from '../testbed/latency.ts';
import { logRequests, type RequestLog } from '../testbed/request-log.ts';
import { accountRoutes } from './account.ts';
import { limitBody, limitMethods, readBody } from './body.ts';
import type { PartnerEnv, RequestDetails } from './context.ts';
import { type ControlOptions, controlRoutes } from './control.ts';
import type { Credits } from './credits.ts';
import type { Database } from './database.ts';
import { addDocuments, donorPage } from './documents.ts';
import { CHARGED_DONORS, donorRoutes } from './donors/donors.ts';
import { chargedEnhancements, type EnhancementOptions, enhancementRoutes } from './enhancements.ts';
import { answerError } from './errors.ts';
import { chargedExports, type ExportOptions, exportRoutes } from './exports/exports.ts';
import type { PartnerFault } from './faults.ts';
import { healthRoutes } from './health.ts';
import { authenticate, type Keys } from './keys.ts';
import { limitRate, type RateLimit } from './limits.ts';
import { CHARGED_LISTS, type ListOptions, listRoutes } from './lists/lists.ts';
import { meterCredits } from './metering.ts';
import { networkControlRoutes } from './networks/control.ts';
import { chargedNetworks, type NetworkOptions, networkRoutes } from './networks/routes.ts';
import { createRouter } from './router.ts';
import type { FindOptions } from './search/find-donors.ts';
import { CHARGED_SEARCHES, searchRoutes } from './search/search.ts';
import { quotePersons } from './validation.ts';

/** Where the service lives; the document's {base_url} ends so. */
export const BASE_PATH = '/v1/partners';

/** Where the addresses of donors in profiles lead, outside the API's path. */
export const DONOR_PAGES = '/people';

/** Everything that the app's parts need. */
export interface AppOptions
  extends EnhancementOptions,
    ExportOptions,
    FindOptions,
    ListOptions,
    NetworkOptions {
  /** What the service calls itself. */
  title: string;
  rateLimit: RateLimit;
  credits: Credits;
  keys: Pick<Keys, 'find'>;
  faults: Faults<PartnerFault>;
  requests: Pick<RequestLog<RequestDetails>, 'add'>;
  /** The stand-in's own controls, which need no key; null where an operator runs the service. */
  controls: ControlOptions | null;
  db: Database;
  drawLatency: DrawLatency;
  wait: Wait;
  /** The paid submit of persons takes so much longer. */
  submitLatencyMs: number;
  /** Receives unexpected errors. */
  report: (error: Error) => void;
}

/** The service at its base path, and the sandbox's own controls beside it. */
export function createApp(options: AppOptions): Hono<PartnerEnv> {
  const app = new Hono<PartnerEnv>({ strict: false });
  const service = createService(options);
  const page = addDocuments(service, BASE_PATH, options);
  if (options.controls !== null) {
    app.route('/_sandbox', controlRoutes(options.controls));
    app.route('/_sandbox/networks', networkControlRoutes(options.networkService));
    app.get('/_sandbox/docs', (c) => c.html(page()));
  }
  // The address of a donor in profiles: a page without data, because a browser cannot send a key.
  app.get(`${DONOR_PAGES}/:id`, (c) => c.html(donorPage(options.title)));
  app.route(BASE_PATH, service);
  app.notFound((c) => c.json({ detail: 'Not Found' }, 404));
  app.onError((error, c) => answerError(error, c, options.report));
  return app;
}

/** The order matters: a caller without access is not charged, and the work comes after the charge. */
function createService(options: AppOptions) {
  const { clock, credits, createId } = options;
  const endpoints = [
    ...chargedEnhancements(options.forms),
    ...CHARGED_DONORS,
    ...CHARGED_LISTS,
    ...chargedExports(options.lists),
    ...CHARGED_SEARCHES,
    ...chargedNetworks(options.networkPrices),
  ];
  const service = createRouter();
  service.use(identify(createId));
  service.use(logRequests(options.requests, clock, detailsOf));
  service.use(playLatency(latencyOf(options), options.db, options.wait));
  service.use(playFaults(options.faults));
  service.use(authenticate(options.keys, clock));
  service.use(limitRate(options.rateLimit, clock));
  service.use(limitMethods());
  service.use(limitBody());
  service.use(readBody());
  service.use(quotePersons());
  service.use(meterCredits({ credits, clock, basePath: BASE_PATH, endpoints }));
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

/** Submits take as long as the service works at them, besides their way. */
function latencyOf({ drawLatency, submitLatencyMs, forms }: AppOptions): (c: Context) => number {
  const submits = chargedEnhancements(forms);
  return ({ req }) => {
    const path = req.path.slice(BASE_PATH.length).replace(/\/$/, '');
    const isSubmit = submits.some((one) => one.method === req.method && one.path.test(path));
    return drawLatency() + (isSubmit ? submitLatencyMs : 0);
  };
}

/** Every request has an id of its own, by which the ledger and the log speak of it. */
function identify(createId: () => string): MiddlewareHandler<PartnerEnv> {
  return async (c, next) => {
    c.set('requestId', createId());
    await next();
  };
}

function detailsOf(c: Context<PartnerEnv>): RequestDetails {
  return { requestId: c.var.requestId, apiKey: c.req.header('x-api-key') ?? null };
}
