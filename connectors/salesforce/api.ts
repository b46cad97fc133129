import { isSameOrigin } from '../../src/outbound/address.ts';
import { parseJson } from '../../src/outbound/exchange.ts';
import type { ConnectorDeps } from '../contract.ts';
import type { DailyLimit } from '../daily-limit.ts';
import { answerUnreadable } from '../errors.ts';
import type { CrmReply, CrmRequest } from '../exchange.ts';
import { createOrgLimit, dailyUsage } from './daily-usage.ts';
import { parseFault, requestError } from './errors.ts';
import { createExchange } from './exchange.ts';
import type { SalesforceSettings } from './settings.ts';
import { createAuth, type SignIn } from './sign-in/auth.ts';
import { addressRefused } from './sign-in/instance.ts';

/** What a connector is given besides its options; in the product the machine's own. */
export interface SalesforceWorld {
  fetch: typeof globalThis.fetch;
  /** From 0 up to 1. */
  random: () => number;
}

/** An answer in CSV, as it comes. */
export interface CsvAnswer {
  headers: Headers;
  chunks: AsyncIterable<Uint8Array>;
}

/**
 * Salesforce's HTTP, signed in. Paths begin below the API version (`/query?q=…`) or at the root
 * (`/services/data/…`). Whatever fails is thrown as one of the four kinds of error.
 */
export interface SalesforceApi {
  signIn(): Promise<SignIn>;
  get(path: string): Promise<unknown>;
  send(method: 'POST' | 'PATCH', path: string, body: unknown): Promise<unknown>;
  /** Sends CSV as it comes. */
  upload(path: string, csv: () => AsyncIterable<Uint8Array>): Promise<void>;
  /** Asks for CSV and hands the answer over as it comes. */
  download(path: string): Promise<CsvAnswer>;
  /** The org's daily requests, straight from it, even if none are left for us. */
  readLimits(): Promise<unknown>;
  limit: DailyLimit;
  /** Epoch ms by Salesforce's clock, as of its last answer; null before the first. */
  serverTimeMs(): number | null;
}

/** A request whose address begins where the org answers. */
type ApiRequest = Omit<CrmRequest, 'url'> & { path: string };

/** Opens nothing: the first request signs in. */
export function createApi(
  settings: SalesforceSettings,
  { clock, secrets, signal, onCall, fetch }: ConnectorDeps,
  { fetch: ownFetch, random }: SalesforceWorld,
): SalesforceApi {
  const limit = createOrgLimit(settings.dailyReservePercent);
  let serverTimeMs: number | null = null;
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
    },
  });
  const auth = createAuth({ settings, exchange, clock, secrets, signal });

  return {
    signIn: () => auth.signIn(),
    get: (path) => call({ method: 'GET', path, headers: JSON_ANSWER }),
    send: (method, path, body) =>
      call({ method, path, headers: JSON_BODY, body: JSON.stringify(body) }),
    async upload(path, csv) {
      limit.guard();
      await ask({ method: 'PUT', path, headers: CSV_BODY, body: csv });
    },
    async download(path) {
      limit.guard();
      const { headers, chunks } = await ask({
        method: 'GET',
        path,
        headers: CSV_ANSWER,
        isStreamed: true,
      });
      if (chunks === null) throw answerUnreadable('Salesforce');
      return { headers, chunks };
    },
    readLimits: async () =>
      parseReply(await ask({ method: 'GET', path: '/limits', headers: JSON_ANSWER })),
    limit,
    serverTimeMs: () => serverTimeMs,
  };

  async function call(request: ApiRequest): Promise<unknown> {
    limit.guard();
    return parseReply(await ask(request));
  }

  /** The one place where a request gets its token: only one to the instance that signed in. */
  async function ask({ path, headers, ...request }: ApiRequest): Promise<CrmReply> {
    const { instanceUrl } = await auth.signIn();
    const root = path.startsWith('/services/') ? '' : `/services/data/v${settings.apiVersion}`;
    const url = instanceUrl + root + path;
    if (!isSameOrigin(url, instanceUrl)) throw addressRefused();
    const reply = await auth.authorized((accessToken) => {
      const authorization = `Bearer ${accessToken}`;
      return exchange.send({ ...request, url, headers: { ...headers, authorization } });
    });
    if (reply.status >= 300) throw requestError(parseFault(reply.status, reply.text, path));
    return reply;
  }
}

const JSON_ANSWER = { accept: 'application/json', 'user-agent': 'donor-sync' };
const JSON_BODY = { ...JSON_ANSWER, 'content-type': 'application/json' };
const CSV_BODY = { ...JSON_ANSWER, 'content-type': 'text/csv; charset=UTF-8' };
const CSV_ANSWER = { ...JSON_ANSWER, accept: 'text/csv' };

/** Undefined where nothing is said; a page of a proxy (CRM facts, section E) is no answer. */
function parseReply({ text }: CrmReply): unknown {
  if (text === '') return undefined;
  const json = parseJson(text);
  if (json === null) throw answerUnreadable('Salesforce');
  return json;
}
