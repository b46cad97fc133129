import type { ConnectorDeps } from '../contract.ts';
import { withoutSlash } from '../crm-url.ts';
import type { DailyLimit } from '../daily-limit.ts';
import { parseJson } from '../json.ts';
import { faultOf, requestError } from './errors.ts';
import { createExchange, type OutgoingRequest } from './exchange.ts';
import { createAccountLimit, dailyUsage } from './limits.ts';
import type { PacerRegistry } from './pacer.ts';
import { type Paths, pathsOf } from './paths.ts';
import type { HubspotSettings } from './settings.ts';
import { createAuth, credentialsFingerprint, type SignIn } from './sign-in/auth.ts';

/** What a connector is given besides its options; in the product the machine's own. */
export interface HubspotWorld {
  /** From 0 up to 1. */
  random: () => number;
  /** Shared by all connectors of the process. */
  pacers: PacerRegistry;
}

/**
 * HubSpot's HTTP, signed in. What it gives is the body of an answer, parsed; any good status will
 * do, since HubSpot's own documents disagree about which is right. Whatever fails is thrown as
 * one of the four kinds of error.
 */
export interface HubspotApi {
  paths: Paths;
  signIn(): Promise<SignIn>;
  get(path: string): Promise<unknown>;
  post(path: string, body: object): Promise<unknown>;
  search(body: object): Promise<unknown>;
  /** The account's requests of the day, straight from it, even if none are left for us. */
  readUsage(): Promise<unknown>;
  limit: DailyLimit;
  /** Epoch ms by HubSpot's clock, as of its last answer; null before the first. */
  serverTimeMs(): number | null;
  close(): void;
}

/** Opens nothing: the first request signs in. */
export function createApi(
  settings: HubspotSettings,
  { clock, signal, secrets, onCall }: ConnectorDeps,
  world: HubspotWorld,
): HubspotApi {
  const limit = createAccountLimit(settings.dailyReservePercent);
  const paths = pathsOf(settings.apiVersion);
  const url = withoutSlash(settings.url);
  const { requestsPerTenSeconds, searchesPerSecond } = settings;
  const pacer = world.pacers.requests(credentialsFingerprint(url, settings.auth));
  if (requestsPerTenSeconds !== undefined) pacer.keep(limitFor(requestsPerTenSeconds, 10_000));
  let serverTimeMs: number | null = null;
  const exchange = createExchange({
    url,
    clock,
    signal,
    random: world.random,
    onCall,
    pacer,
    keepsNamedLimit: requestsPerTenSeconds === undefined,
    noteAnswer(headers) {
      limit.note(dailyUsage(headers));
      const time = Date.parse(headers['date'] ?? '');
      if (!Number.isNaN(time)) serverTimeMs = time;
    },
  });
  const auth = createAuth({ auth: settings.auth, exchange, paths, clock, secrets, signal });

  return {
    paths,
    signIn: () => auth.signIn(),
    get: (path) => call({ method: 'GET', path }),
    post: (path, body) => call({ method: 'POST', path, body }),
    async search(body) {
      const { portalId } = await auth.signIn();
      const searchPacer = world.pacers.searches(`${url} ${portalId}`);
      searchPacer.keep(limitFor(searchesPerSecond, 1_000));
      return call({ method: 'POST', path: paths.contactsSearch, body, searchPacer });
    },
    readUsage: () => ask({ method: 'GET', path: paths.dailyUsage }),
    limit,
    serverTimeMs: () => serverTimeMs,
    close: () => exchange.close(),
  };

  async function call(request: OutgoingRequest): Promise<unknown> {
    limit.guard();
    return ask(request);
  }

  async function ask(request: OutgoingRequest): Promise<unknown> {
    const reply = await auth.authorized((accessToken) =>
      exchange.send({ ...request, accessToken }),
    );
    const body = parseJson(reply.text);
    if (reply.status >= 300) throw requestError(faultOf(reply.status, body));
    return body;
  }
}

/** Zero stands for no limit. */
function limitFor(requests: number, windowMs: number) {
  return requests === 0 ? null : { requests, windowMs };
}
