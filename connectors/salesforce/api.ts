import { PassThrough } from 'node:stream';
import type { HttpRequest, HttpResponse, OAuth2 } from 'jsforce/lib/core.js';
import type { ConnectorDeps } from '../contract.ts';
import type { DailyLimit } from '../daily-limit.ts';
import { requestError, translated } from './errors.ts';
import { createExchange, type OutgoingRequest, type TextReply } from './exchange.ts';
import { createOrgLimit, dailyUsage } from './limits.ts';
import type { SalesforceSettings } from './settings.ts';
import { createAuth, type SignIn } from './sign-in/auth.ts';
import { requireSameOrigin } from './sign-in/instance.ts';

/** What a connector is given besides its options; in the product the machine's own. */
export interface SalesforceWorld {
  fetch: typeof globalThis.fetch;
  /** From 0 up to 1. */
  random: () => number;
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
  download(path: string): Promise<Response>;
  /** The org's daily requests, straight from it, even if none are left for us. */
  readLimits(): Promise<unknown>;
  limit: DailyLimit;
  /** Epoch ms by Salesforce's clock, as of its last answer; null before the first. */
  serverTimeMs(): number | null;
}

/**
 * Opens nothing: the first request signs in. Only here is jsforce loaded, which others need not
 * wait for, and only its core: SOAP, streaming and the old Bulk API are not used.
 */
export async function createApi(
  settings: SalesforceSettings,
  deps: ConnectorDeps,
  world: SalesforceWorld,
): Promise<SalesforceApi> {
  const { Connection, OAuth2: OAuth2Client } = await import('jsforce/lib/core.js');
  const limit = createOrgLimit(settings.dailyReservePercent);
  let serverTimeMs: number | null = null;
  const exchange = createExchange({
    ...world,
    clock: deps.clock,
    signal: deps.signal,
    onCall: deps.onCall,
    noteAnswer(headers) {
      limit.note(dailyUsage(headers));
      const time = Date.parse(headers.get('date') ?? '');
      if (!Number.isNaN(time)) serverTimeMs = time;
    },
  });
  const oauth2 = new OAuth2Client(oauth2Config(settings));
  oauth2._transport = transportOver((request) => exchange.send(request));
  const { clock, secrets, signal } = deps;
  const auth = createAuth({ settings, exchange, oauth2, clock, secrets, signal });
  const connection = new Connection({ loginUrl: settings.url, version: settings.apiVersion });
  connection._transport = transportOver((request) =>
    authorized(request, (signedRequest) => exchange.send(signedRequest)),
  );

  return {
    signIn: () => auth.signIn(),
    get: (path) => call({ method: 'GET', url: path }),
    send: (method, path, body) =>
      call({ method, url: path, body: JSON.stringify(body), headers: JSON_BODY }),
    async upload(path, csv) {
      const answer = await stream({ method: 'PUT', url: path, headers: CSV_BODY, body: csv });
      await answer.body?.cancel();
    },
    download: (path) => stream({ method: 'GET', url: path, headers: CSV_ANSWER }),
    readLimits: () => ask({ method: 'GET', url: '/limits' }),
    limit,
    serverTimeMs: () => serverTimeMs,
  };

  async function call(request: HttpRequest): Promise<unknown> {
    limit.guard();
    return ask(request);
  }

  async function ask(request: HttpRequest): Promise<unknown> {
    try {
      connection.instanceUrl = (await auth.signIn()).instanceUrl;
      return await connection.request(request);
    } catch (error) {
      throw translated(error, request.url);
    }
  }

  /** The one place where a request gets its token: only one to the instance that signed in. */
  async function authorized<Reply extends Response | TextReply>(
    request: OutgoingRequest,
    send: (signedRequest: OutgoingRequest) => Promise<Reply>,
  ): Promise<Reply> {
    requireSameOrigin(request.url, (await auth.signIn()).instanceUrl);
    return auth.authorized((accessToken) => send(signed(request, accessToken)));
  }

  /** Past jsforce, which would hold the whole body as one text. */
  async function stream(request: OutgoingRequest): Promise<Response> {
    limit.guard();
    const { instanceUrl } = await auth.signIn();
    const url = `${instanceUrl}/services/data/v${settings.apiVersion}${request.url}`;
    const reply = await authorized({ ...request, url }, (signedRequest) =>
      exchange.open(signedRequest),
    );
    if (reply instanceof Response) return reply;
    throw streamError(reply);
  }
}

const JSON_BODY = { 'content-type': 'application/json' };
const CSV_BODY = { 'content-type': 'text/csv; charset=UTF-8' };
const CSV_ANSWER = { accept: 'text/csv' };

function oauth2Config({ url, auth }: SalesforceSettings): ConstructorParameters<typeof OAuth2>[0] {
  if (auth.type === 'clientCredentials') {
    return { loginUrl: url, clientId: auth.clientId, clientSecret: auth.clientSecret };
  }
  if (auth.type !== 'refreshToken' && auth.type !== 'oauth') return { loginUrl: url };
  const { clientId, clientSecret } = auth;
  return { loginUrl: url, clientId, ...(clientSecret === undefined ? {} : { clientSecret }) };
}

function signed(request: OutgoingRequest, accessToken: string): OutgoingRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${accessToken}` } };
}

/** The part of jsforce's transport that its connections use, over our own requests. */
function transportOver(send: (request: OutgoingRequest) => Promise<Response | TextReply>) {
  return {
    httpRequest: (request: HttpRequest) =>
      Object.assign(carry(send, request), { stream: () => new PassThrough() }),
    getRequestStreamCreator: () => () => new PassThrough(),
  };
}

async function carry(
  send: (request: OutgoingRequest) => Promise<Response | TextReply>,
  { method, url, headers = {}, body }: HttpRequest,
): Promise<HttpResponse> {
  // fetch reckons the length itself, and refuses to be told it twice.
  const { 'content-length': _, ...others } = headers;
  const reply = await send({
    method,
    url,
    headers: others,
    ...(typeof body === 'string' ? { body } : {}),
  });
  return {
    statusCode: reply.status,
    headers: Object.fromEntries(reply.headers),
    body: typeof reply.text === 'string' ? reply.text : '',
  };
}

/** The errors of a refused stream are JSON all the same. */
function streamError({ status, text }: TextReply): Error {
  try {
    return translated({ errorCode: `ERROR_HTTP_${status}`, message: '', data: JSON.parse(text) });
  } catch {
    return requestError({ code: `ERROR_HTTP_${status}`, message: '', fields: [] });
  }
}
