import type { Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Person } from '../core/person.ts';
import type { SendRequest } from '../outbound/exchange.ts';
import { outboundSend } from '../outbound/guard.ts';
import { type Connections, createConnections } from './connections/connections.ts';
import { createQueryMeter } from './connections/query-cost.ts';
import { type CreditBalances, readCredits } from './credits.ts';
import { type Discovery, discover } from './discovery.ts';
import { createDonors, type Donors } from './donors.ts';
import { createServiceTime, type Line, type ServiceTime } from './exchange.ts';
import { createExports, type Exports } from './exports.ts';
import { type AreaHealth, readHealth, testKey } from './health.ts';
import { createPacer, type Pacer } from './key-pace.ts';
import { createLists, type Lists } from './lists.ts';
import { createNetworks, type Networks } from './networks/networks.ts';
import { type JobProgress, readJobProgress, readProgress } from './progress.ts';
import type { MayLeave, PartnerCall } from './request.ts';
import { type JobResult, readResults } from './results.ts';
import { createRoutes } from './routes.ts';
import { createSearch, type Search } from './search.ts';
import { createSend } from './send.ts';
import { type Submission, submitEnhancements } from './submission.ts';

export interface PartnerClientOptions {
  /** The base URL of the service. The URL ends in `/v1/partners`, with or without a trailing slash. */
  baseUrl: string;
  apiKey: string;
  clock: Clock;
  log: Log;
  /** The pacer that all clients with this service key share. By default, each client has its own pacer. */
  pacer?: Pacer;
  /** Called for every request that received a response or failed. This function must not throw. */
  onCall?: (call: PartnerCall) => void;
  fetch?: SendRequest;
  /**
   * The time limit for one attempt of a free call, in addition to the time that the service needs for it. Defaults to
   * 30,000.
   */
  requestTimeoutMs?: number;
  /** The time limit for one attempt of a call that may cost credits. Defaults to 60,000. */
  submitTimeoutMs?: number;
}

/**
 * The client of the Partner Data Service. Every method respects the key's pace, and retries a request if a retry is
 * safe. A method rejects with an error from `errors.ts` or with its signal's reason.
 */
export interface PartnerClient {
  /**
   * Submits 1 to 100 people. Each submitted person costs a credit. After `AnswerLost`, credits may have been spent.
   * After any other error, no credits were spent. `mayLeave` is called before each attempt.
   */
  submitEnhancements(
    persons: readonly Person[],
    signal?: AbortSignal,
    mayLeave?: MayLeave,
  ): Promise<Submission>;
  readJobProgress(jobId: string, signal?: AbortSignal): Promise<JobProgress>;
  /** Reads the progress of up to 1,000 jobs, by job ID. */
  readProgress(jobIds: readonly string[], signal?: AbortSignal): Promise<Map<string, JobProgress>>;
  /** Reads the results of up to 10 jobs, by job ID. */
  readResults(jobIds: readonly string[], signal?: AbortSignal): Promise<Map<string, JobResult>>;
  /** Reads the remaining credits. */
  readCredits(signal?: AbortSignal): Promise<CreditBalances>;
  /**
   * Returns how far this machine's clock is ahead of the service's clock, based on the `Date` of the last response.
   * Negative if this machine's clock is behind, 0 if there is no certain difference, and null if no response had a
   * `Date`.
   */
  clockAheadMs(): number | null;
  /** Resolves if the service knows the key and its team is active. */
  test(signal?: AbortSignal): Promise<void>;
  /**
   * Reads the health of the service's areas. The result contains the documented areas and the areas that `discover` has
   * found.
   */
  health(signal?: AbortSignal): Promise<AreaHealth[]>;
  /** Reads the paths of the operations and the rate limit from the service's openapi.json. */
  discover(signal?: AbortSignal): Promise<Discovery>;
  networks: Networks;
  connections: Connections;
  donors: Donors;
  lists: Lists;
  exports: Exports;
  search: Search;
}

const REQUEST_TIMEOUT_MS = 30_000;
const SUBMIT_TIMEOUT_MS = 60_000;

/**
 * Creates a client for one key. Creating a client sends no request. Throws `ConfigurationError` for invalid settings.
 */
export function createPartnerClient(options: PartnerClientOptions): PartnerClient {
  const { clock, log, pacer = createPacer({ clock }), onCall = () => {} } = options;
  const time = createServiceTime(clock);
  const line = createLine(options, time);
  const routes = createRoutes();
  const send = createSend({ line, pacer, clock, log, onCall }, routes);
  const queries = createQueryMeter({ readCredits: (signal) => readCredits(send, signal), log });
  const connections = createConnections({ send, routes, queries });
  let isDescribed = false;
  return {
    submitEnhancements: (persons, signal, mayLeave) =>
      submitEnhancements(send, log, persons, signal, mayLeave),
    readJobProgress: (jobId, signal) => readJobProgress(send, log, jobId, signal),
    readProgress: (jobIds, signal) => readProgress(send, log, jobIds, signal),
    readResults: (jobIds, signal) => readResults(send, jobIds, signal),
    readCredits: (signal) => readCredits(send, signal),
    clockAheadMs: time.aheadMs,
    test: (signal) => testKey(send, signal),
    health: (signal) => readHealth(send, routes, signal),
    discover: learnAll,
    networks: createNetworks({
      send,
      routes,
      clock,
      connections,
      async described(signal) {
        if (!isDescribed) await learnAll(signal);
      },
    }),
    connections,
    donors: createDonors(send),
    lists: createLists(send),
    exports: createExports(send),
    search: createSearch(send),
  };

  async function learnAll(signal?: AbortSignal): Promise<Discovery> {
    const discovery = await discover(send, routes, line.baseUrl, signal);
    if (discovery.rateLimit) pacer.keepLimit(discovery.rateLimit);
    isDescribed = true;
    return discovery;
  }
}

function createLine(options: PartnerClientOptions, time: ServiceTime): Line {
  return {
    baseUrl: usableBaseUrl(options.baseUrl),
    apiKey: usableKey(options.apiKey),
    fetch: options.fetch ?? outboundSend('anywhere'),
    clock: options.clock,
    time,
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    submitTimeoutMs: options.submitTimeoutMs ?? SUBMIT_TIMEOUT_MS,
  };
}

function usableBaseUrl(text: string): string {
  const url = URL.parse(text);
  const plain = url && !url.username && !url.password && !url.search && !url.hash;
  if (plain && /^https?:$/.test(url.protocol)) return url.href.replace(/(?<!\/)\/+$/, '');
  throw new ConfigurationError(
    'partner.baseUrl is not a plain http(s) address. It looks like https://HOST/v1/partners.',
    { code: 'partner_base_url_invalid' },
  );
}

/** Returns the key if its characters are allowed in a header. */
function usableKey(text: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new ConfigurationError(
    'partner.apiKey is empty or has characters that never occur in a key. Copy it again.',
    { code: 'partner_key_malformed' },
  );
}
