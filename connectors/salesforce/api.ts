import { isSameOrigin } from '../../src/outbound/address.ts';
import type { AnswerHeaders, SendRequest } from '../../src/outbound/exchange.ts';
import type { ConnectorDeps } from '../contract.ts';
import type { DailyLimit } from '../requests/daily-limit.ts';
import type { CrmExchange, CrmReply, CrmRequest } from '../requests/exchange.ts';
import type { JobKind, LibraryRequest, SalesforceClient } from './client.ts';
import { createOrgLimit, dailyUsage } from './daily-usage.ts';
import { parseFault, requestError } from './errors.ts';
import { createExchange } from './exchange.ts';
import type { SalesforceSettings } from './settings.ts';
import { createAuth, type SignIn } from './sign-in/auth.ts';
import { addressRefused } from './sign-in/instance.ts';

/** Dependencies of a Salesforce connector. Outside tests, donor-sync uses the machine's clock and random numbers. */
export interface SalesforceWorld {
  fetch: SendRequest;
  /** Returns a random number from 0 up to 1. */
  random: () => number;
}

/**
 * The library (jsforce) builds the requests. donor-sync's own code sends the requests and counts them for the daily
 * limit. If a request fails, donor-sync throws one of its four kinds of error.
 */
export interface SalesforceApi extends SalesforceClient {
  signIn(): Promise<SignIn>;
  limit: DailyLimit;
  /** Returns the time in Salesforce's last response (epoch ms), or null before the first response. */
  serverTimeMs(): number | null;
}

/** Creates the client without sending a request. The first call signs in. */
export function createApi(
  settings: SalesforceSettings,
  { clock, secrets, signal, onCall, fetch }: ConnectorDeps,
  { fetch: ownFetch, random }: SalesforceWorld,
): SalesforceApi {
  const limit = createOrgLimit(settings.dailyReservePercent);
  let serverTimeMs: number | null = null;
  const line = {
    fetch: fetch ?? ownFetch,
    random,
    clock,
    signal,
    onCall,
    noteAnswer(headers: AnswerHeaders) {
      limit.note(dailyUsage(headers));
      const time = Date.parse(headers.get('date') ?? '');
      if (!Number.isNaN(time)) serverTimeMs = time;
    },
  };
  const exchange = createExchange(line);
  /** Sends the last request about a job, even if the run has been stopped. */
  const lastExchange = createExchange({ ...line, signal: new AbortController().signal });
  const auth = createAuth({ settings, exchange, clock, secrets, signal });

  let client: Promise<SalesforceClient> | null = null;

  return {
    signIn: () => auth.signIn(),
    get: (path) => speak((org) => org.get(path)),
    send: (method, path, body) => speak((org) => org.send(method, path, body)),
    describe: (objectName) => speak((org) => org.describe(objectName)),
    // Sends the request to the org even if donor-sync has used up its share of the daily requests.
    limits: async () => (await loadClient()).limits(),
    updateContacts: (contacts) => speak((org) => org.updateContacts(contacts)),
    openUpdateJob: () => speak((org) => org.openUpdateJob()),
    openQueryJob: (soql) => speak((org) => org.openQueryJob(soql)),
    checkJob: (kind, id) => speak((org) => org.checkJob(kind, id)),
    closeJob: (id) => speak((org) => org.closeJob(id)),
    abortJob,
    upload: (path, csv) => speak((org) => org.upload(path, csv)),
    download: (path) => speak((org) => org.download(path)),
    limit,
    serverTimeMs: () => serverTimeMs,
  };

  async function speak<Result>(
    request: (org: SalesforceClient) => Promise<Result>,
  ): Promise<Result> {
    limit.guard();
    return request(await loadClient());
  }

  function loadClient(): Promise<SalesforceClient> {
    client ??= import('./client.ts').then(({ createClient }) =>
      createClient(settings.apiVersion, (request) => carry(request, exchange)),
    );
    return client;
  }

  /**
   * The function works even after the run has stopped. Sends a single request with a short timeout, because the process
   * is about to end.
   */
  async function abortJob(kind: JobKind, id: string): Promise<void> {
    const { createClient } = await import('./client.ts');
    const last = createClient(settings.apiVersion, (request) =>
      carry({ ...request, patience: LAST_PATIENCE }, lastExchange),
    );
    await last.abortJob(kind, id);
  }

  /** Adds the token only for the instance that signed in. Only this function adds the token to requests. */
  async function carry(
    { url: path, headers, ...request }: LibraryRequest & Pick<CrmRequest, 'patience'>,
    { send }: Pick<CrmExchange, 'send'>,
  ): Promise<CrmReply> {
    const { instanceUrl } = await auth.signIn();
    const url = instanceUrl + path;
    if (!isSameOrigin(url, instanceUrl)) throw addressRefused();
    const reply = await auth.authorized((accessToken) => {
      const authorization = `Bearer ${accessToken}`;
      return send({
        ...request,
        url,
        headers: { ...COMMON_HEADERS, ...headers, authorization },
      });
    });
    if (reply.status < 300) return reply;
    const root = `/services/data/v${settings.apiVersion}`;
    const asked = path.startsWith(`${root}/`) ? path.slice(root.length) : path;
    throw requestError(parseFault(reply.status, reply.text, asked));
  }
}

/** After a run stops, the request that aborts a job may take this long (ms). */
const LAST_PATIENCE = { maxTries: 1, timeoutMs: 5_000 };

const COMMON_HEADERS = { accept: 'application/json', 'user-agent': 'donor-sync' };
