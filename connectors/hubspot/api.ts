import { withoutSlash } from '../../src/outbound/address.ts';
import { parseJson, type SendRequest } from '../../src/outbound/exchange.ts';
import type { ConnectorDeps } from '../contract.ts';
import type { DailyLimit } from '../requests/daily-limit.ts';
import type { CrmExchange, CrmRequest, RequestPace } from '../requests/exchange.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import type { HubspotRequests, LibraryRequest } from './client.ts';
import { createAccountLimit, dailyUsage } from './daily-usage.ts';
import { parseFault, requestError } from './errors.ts';
import { createExchange, signedRequest } from './exchange.ts';
import { keepNamedLimit, type PacerRegistry, toWindowLimit } from './pacers.ts';
import { type ApiVersion, buildPaths, type Paths } from './paths.ts';
import type { HubspotSettings } from './settings.ts';
import { createAuth, credentialsFingerprint, type SignIn } from './sign-in/auth.ts';

/**
 * The objects that a HubSpot connector needs from its environment. Outside tests, the connector uses the machine's
 * clock and random numbers.
 */
export interface HubspotWorld {
  fetch: SendRequest;
  /** Returns a random number from 0 up to 1. */
  random: () => number;
  /** The pacers, which all connectors of the process share. */
  pacers: PacerRegistry;
  /** The timeout (ms) of a request that a run can do without. The default is ten seconds. */
  patienceMs?: number;
}

const PATIENCE_MS = 10_000;

/** Sends the requests that HubSpot's library builds. The responses are the parsed JSON that HubSpot returned. */
type LibraryAnswers = {
  [Name in keyof HubspotRequests]: (
    ...words: Parameters<HubspotRequests[Name]>
  ) => Promise<unknown>;
};

/** The requests that a reading of all contacts sends. */
export interface WalkApi extends Pick<LibraryAnswers, 'listRecords' | 'searchContacts'> {
  /** Waits until a reading of all contacts may send its next search. */
  awaitWalk(): Promise<void>;
}

/**
 * Sends signed-in requests to HubSpot's HTTP API. A method of this API returns the parsed body of a response. The API
 * accepts any success status, because HubSpot's own documents contradict each other about the statuses. For every
 * failure, the API throws an error of one of the four kinds.
 */
export interface HubspotApi extends LibraryAnswers, WalkApi {
  paths: Paths;
  signIn(): Promise<SignIn>;
  /**
   * Sends requests that the library cannot build, and requests whose responses the library would shorten (`client.ts`).
   */
  get(path: string): Promise<unknown>;
  /** Sends a request that a run can do without. A request that a run can do without has a short timeout. */
  getSoon(path: string): Promise<unknown>;
  post(path: string, body: object): Promise<unknown>;
  /** Returns an API that ends its requests early if this signal is aborted. */
  until(early: AbortSignal): WalkApi;
  /** Requests the account's daily usage, even if donor-sync has used up its share of the daily requests. */
  readUsage(): Promise<unknown>;
  limit: DailyLimit;
  /** Returns the time of HubSpot's clock in its last response (epoch ms), or null before the first response. */
  serverTimeMs(): number | null;
  /** Returns the duration of the fastest request so far (ms). */
  fastestMs(): number;
  close(): void;
}

/** The options for sending a request. */
interface Manner {
  /** The pacer that additionally slows down searches. */
  searchPace?: RequestPace;
  patience?: NonNullable<CrmRequest['patience']>;
  /** The function that sends a request that may end early. */
  send?: CrmExchange['send'];
}

/** Creates the API without sending a request. The first call of a method signs in to HubSpot. */
export function createApi(
  settings: HubspotSettings,
  { clock, signal, secrets, onCall, board, fetch }: ConnectorDeps,
  { fetch: ownFetch, random, pacers: known, patienceMs = PATIENCE_MS }: HubspotWorld,
): HubspotApi {
  const pacers = known.on(board ?? null);
  const limit = createAccountLimit(settings.dailyReservePercent);
  const paths = buildPaths(settings.apiVersion);
  const url = withoutSlash(settings.url);
  const { requestsPerTenSeconds, searchesPerSecond } = settings;
  const pacer = pacers.requests.for(credentialsFingerprint(url, settings.auth));
  if (requestsPerTenSeconds !== undefined) pacer.keep(toWindowLimit(requestsPerTenSeconds, 10_000));
  let serverTimeMs: number | null = null;
  let fastestMs = Number.POSITIVE_INFINITY;
  let library: Promise<HubspotRequests> | null = null;
  const exchange = createExchange({
    fetch: fetch ?? ownFetch,
    random,
    clock,
    signal,
    onCall,
    noteAnswer(headers) {
      limit.note(dailyUsage(headers));
      const time = Date.parse(headers.get('date') ?? '');
      if (!Number.isNaN(time)) serverTimeMs = time;
      // If few requests are left, all requests slow down, because other tools may use the same limit.
      if (requestsPerTenSeconds === undefined) keepNamedLimit(pacer, headers);
    },
  });
  const send: CrmExchange['send'] = (request) => exchange.send({ paces: [pacer], ...request });
  const auth = createAuth({ url, auth: settings.auth, send, paths, clock, secrets, signal });

  return {
    paths,
    signIn: () => auth.signIn(),
    get: (path) => call({ method: 'GET', path }),
    getSoon: (path) =>
      call({ method: 'GET', path }, { patience: { maxTries: 2, timeoutMs: patienceMs } }),
    post: (path, body) => call({ method: 'POST', path, body: JSON.stringify(body) }),
    ...walkApi({}, signal),
    until(early) {
      const sendUntil = exchange.until(early);
      const manner = { send: (request: CrmRequest) => sendUntil({ paces: [pacer], ...request }) };
      return walkApi(manner, AbortSignal.any([signal, early]));
    },
    readRecords: (type, batch) => speak((hubspot) => hubspot.readRecords(type, batch)),
    updateContacts: (updates) => speak((hubspot) => hubspot.updateContacts(updates)),
    searchLists: (search) => speak((hubspot) => hubspot.searchLists(search)),
    findListById: (id) => speak((hubspot) => hubspot.findListById(id)),
    findListByName: (name) => speak((hubspot) => hubspot.findListByName(name)),
    createList: (body) => speak((hubspot) => hubspot.createList(body)),
    listMembers: (id, page) => speak((hubspot) => hubspot.listMembers(id, page)),
    readUsage: () => carry({ method: 'GET', path: paths.dailyUsage }),
    limit,
    serverTimeMs: () => serverTimeMs,
    fastestMs: () => fastestMs,
    close: () => exchange.close(),
  };

  function walkApi(manner: Manner, ending: AbortSignal): WalkApi {
    return {
      listRecords: (type, page) => speak((hubspot) => hubspot.listRecords(type, page), manner),
      async searchContacts(body) {
        const { portalId } = await auth.signIn();
        const searchPace = pacers.searches.for(`${url} ${portalId}`);
        searchPace.keep(toWindowLimit(searchesPerSecond, 1_000));
        return speak((hubspot) => hubspot.searchContacts(body), { ...manner, searchPace });
      },
      async awaitWalk() {
        const { portalId } = await auth.signIn();
        try {
          const end = await pacers.walks.for(`${url} ${portalId}`).take(ending);
          end();
        } catch (error) {
          throwIfStopped(ending);
          throw error;
        }
      },
    };
  }

  async function speak(
    build: (hubspot: HubspotRequests) => Promise<LibraryRequest>,
    manner: Manner = {},
  ): Promise<unknown> {
    library ??= loadLibrary(settings.apiVersion);
    return call(await build(await library), manner);
  }

  async function call(request: LibraryRequest, manner: Manner = {}): Promise<unknown> {
    limit.guard();
    return carry(request, manner);
  }

  async function carry(
    { path, body }: LibraryRequest,
    { searchPace, patience, send: sendOne = send }: Manner = {},
  ): Promise<unknown> {
    const startedAtMs = clock.now();
    const reply = await auth.authorized((accessToken) => {
      const request = {
        ...signedRequest(url + path, accessToken, body),
        ...(patience === undefined ? {} : { patience }),
      };
      if (searchPace === undefined)
        return sendOne({ ...request, ...(isRead(path) ? { isWrite: false } : {}) });
      return sendOne({ ...request, isWrite: false, paces: [searchPace, pacer] });
    });
    fastestMs = Math.min(fastestMs, clock.now() - startedAtMs);
    const answer = parseJson(reply.text);
    if (reply.status >= 300) throw requestError(parseFault(reply.status, answer));
    return answer;
  }
}

async function loadLibrary(version: ApiVersion): Promise<HubspotRequests> {
  const { createRequests } = await import('./client.ts');
  return createRequests(version);
}

/** Returns true for a request that only reads data. A request that reads many records also uses POST. */
function isRead(path: string): boolean {
  const [resource = ''] = path.split('?');
  return resource.endsWith('/batch/read');
}
