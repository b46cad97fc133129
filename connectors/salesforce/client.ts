/**
 * The library builds paths, bodies and forms, and it parses JSON. The function `carry` sends the requests. Only this
 * file imports the library. The library is loaded when the first request is sent, so processes that send no request do
 * not load it.
 *
 * donor-sync does not use the following parts of the library. If a response contains a malicious address for the next
 * page, `query` and `queryMore` rewrite the address instead of refusing it. `poll` and `loadAndWaitForResults` delete a
 * job after 30 seconds. `uploadData`, `result`, `get…Results` and `bulk2.query` hold whole results in memory, so a
 * large result would crash the process. `login` and `identity` send a password, or put the token into an address.
 */
// The import of this file must be first, because it replaces all functions with which the library could send requests.
import '../senders/without-senders.ts';

import { PassThrough } from 'node:stream';
import { Connection, type HttpRequest, type HttpResponse, OAuth2 } from 'jsforce/lib/core.js';
import 'jsforce/lib/api/bulk2.js';
import { QueryJobV2 } from 'jsforce/lib/api/bulk2.js';
import { Transport } from 'jsforce/lib/transport.js';
import { StreamPromise } from 'jsforce/lib/util/promise.js';
import type { FieldValues } from '../../src/core/crm-field.ts';
import { withoutSlash } from '../../src/outbound/address.ts';
import type { AnswerHeaders, Outgoing } from '../../src/outbound/exchange.ts';
import { answerUnreadable } from '../requests/errors.ts';
import type { CrmReply } from '../requests/exchange.ts';
import { addressRefused } from './sign-in/instance.ts';

/** A request that the library has built. */
export interface LibraryRequest extends Outgoing {
  /** A path at the org's address, including the query. For OAuth, it is a complete address. */
  url: string;
}

/**
 * Uses our own code to send a request that the library has built. Returns only a successful response. Converts any
 * other response to one of our errors and throws it.
 */
export type Carry = (request: LibraryRequest) => Promise<CrmReply>;

/** A CSV response that is streamed. */
export interface CsvAnswer {
  headers: AnswerHeaders;
  chunks: AsyncIterable<Uint8Array>;
}

/** The two kinds of jobs in Bulk API 2.0. */
export type JobKind = 'ingest' | 'query';

/**
 * The requests that the connector makes. A method returns the parsed JSON unchanged, or undefined if the response was
 * empty.
 */
export interface SalesforceClient {
  /** Paths are relative to the API version (`/query?q=…`) or to the root (`/services/…`). */
  get(path: string): Promise<unknown>;
  send(method: 'POST' | 'PATCH', path: string, body: unknown): Promise<unknown>;
  describe(objectName: string): Promise<unknown>;
  limits(): Promise<unknown>;
  /** Updates at most 200 contacts, each independently. */
  updateContacts(contacts: readonly { id: string; values: FieldValues }[]): Promise<unknown>;
  /** Opens a job that updates contacts from CSV. */
  openUpdateJob(): Promise<unknown>;
  openQueryJob(soql: string): Promise<unknown>;
  checkJob(kind: JobKind, id: string): Promise<unknown>;
  /** Reports to Salesforce that the upload of a job is complete. */
  closeJob(id: string): Promise<void>;
  abortJob(kind: JobKind, id: string): Promise<void>;
  /** Uploads CSV while the CSV is being produced. */
  upload(path: string, csv: () => AsyncIterable<Uint8Array>): Promise<void>;
  /** Requests CSV and streams the response. */
  download(path: string): Promise<CsvAnswer>;
}

/** An address that does not exist. With this address, the library cannot send requests itself. */
const ORG = 'https://org.invalid';

/** Errors that `carry` has thrown. All other errors come from the library and may quote the body of a response. */
const thrownByCarry = new WeakSet<Error>();

/** Passes the requests that the library builds to `carry`. */
export class GuardedTransport extends Transport {
  readonly #carry: Carry;

  constructor(carry: Carry) {
    super();
    this.#carry = carry;
  }

  override httpRequest(request: HttpRequest): StreamPromise<HttpResponse> {
    const promise = this.#send(request);
    return StreamPromise.create(() => ({ stream: new PassThrough(), promise }));
  }

  async #send(request: HttpRequest): Promise<HttpResponse> {
    try {
      return toResponse(await this.#carry(toOutgoing(request)));
    } catch (error) {
      if (error instanceof Error) thrownByCarry.add(error);
      throw error;
    }
  }
}

/**
 * A connection that passes all its requests to `carry`. The connection has no token and no credentials, so it cannot
 * renew a session.
 */
export class GuardedConnection extends Connection {
  override _transport: GuardedTransport;

  constructor(version: string, carry: Carry) {
    super({ version, instanceUrl: ORG });
    this._transport = new GuardedTransport((request) =>
      carry({ ...request, url: toPath(request.url) }),
    );
  }

  /** The library's cached version would keep every description in memory. */
  describeUncached(objectName: string): Promise<unknown> {
    return super.describe(objectName);
  }
}

export class GuardedOAuth2 extends OAuth2 {
  override _transport: GuardedTransport;

  constructor(
    { loginUrl, clientId, clientSecret, redirectUri, codeVerifier }: AppConfig,
    carry: Carry,
  ) {
    super({ loginUrl: withoutSlash(loginUrl) });
    this.clientId = clientId;
    this.clientSecret = clientSecret;
    this.redirectUri = redirectUri;
    this.codeVerifier = codeVerifier;
    this._transport = new GuardedTransport(carry);
  }
}

/** Requests the user to whom a token belongs. `carry` adds the token. */
export async function readUserInfo(carry: Carry): Promise<unknown> {
  return readable(
    new GuardedConnection(ANY_VERSION, carry).requestGet('/services/oauth2/userinfo'),
  );
}

/** The library requires a version, even for a path that does not contain a version. */
const ANY_VERSION = '67.0';

/** The requests that an app sends to Salesforce's sign-in servers. */
export interface SignInClient {
  requestToken(form: TokenForm): Promise<unknown>;
  revokeToken(token: string): Promise<void>;
}

/** The parameters of a grant, without the app's own credentials. */
export type TokenForm = { grant_type: string } & { [name: string]: string };

export interface AppConfig {
  /** The address at which the app signs in. */
  loginUrl: string;
  clientId?: string | undefined;
  /** The app's secret. Public clients have no secret. */
  clientSecret?: string | undefined;
  redirectUri?: string | undefined;
  /**
   * The verifier for PKCE. The library sends the verifier's hash with the user's browser, and the verifier itself with
   * the code.
   */
  codeVerifier?: string | undefined;
}

/** Creates the client of an app. The function does not send anything yet. */
export function createSignInClient(config: AppConfig, carry: Carry): SignInClient {
  const app = new GuardedOAuth2(config, carry);
  return {
    requestToken: (form) => withOwnErrors<unknown>(app.requestToken(form)),
    revokeToken: (token) => withOwnErrors(app.revokeToken(token)),
  };
}

/** Returns the page on which a user allows the app to sign in. The function sends no request. */
export function toAuthorizationUrl(
  config: AppConfig,
  parameters: { scope: string; state: string },
): string {
  const nothing: Carry = () => Promise.reject(new Error('A page for a user is not requested.'));
  return new GuardedOAuth2(config, nothing).getAuthorizationUrl(parameters);
}

/** Creates the client without sending a request. */
export function createClient(version: string, carry: Carry): SalesforceClient {
  const org = new GuardedConnection(version, carry);
  const { bulk2: bulk } = org;
  return {
    get: (path) => readable(org.requestGet(path)),
    send: (method, path, body) =>
      readable(
        org.request({ method, url: path, headers: { ...JSON_BODY }, body: JSON.stringify(body) }),
      ),
    describe: (objectName) => readable(org.describeUncached(objectName)),
    limits: () => readable(org.limits()),
    updateContacts(contacts) {
      const records = contacts.map(({ id, values }) => ({ Id: id, ...values }));
      return readable(org.update('Contact', records, { allOrNone: false }));
    },
    openUpdateJob: () => readable(bulk.createJob(CONTACT_UPDATES).open()),
    openQueryJob(query) {
      const bodyParams = { operation: 'query', query } as const;
      return readable(new QueryJobV2(org, { bodyParams, pollingOptions: bulk }).open());
    },
    checkJob: (kind, id) => readable(findJob(kind, id).check()),
    async closeJob(id) {
      const job = bulk.job('ingest', { id });
      // Salesforce's response may still describe an open job. Waiting for a different state here would be useless.
      await readable(job.close().then(() => job.getInfo()));
    },
    async abortJob(kind, id) {
      await withOwnErrors<unknown>(findJob(kind, id).abort());
    },
    async upload(path, csv) {
      // The library could read a stream only once. After a new sign-in, our code creates a new stream and starts the
      // upload again.
      const sending = new GuardedConnection(version, async (request) => {
        const reply = await carry({ ...request, body: csv });
        // Salesforce answers with an empty body. If a proxy answers with an HTML page, Salesforce has not received the
        // upload.
        if (reply.status < 300 && /^\s*</.test(reply.text)) throw answerUnreadable('Salesforce');
        return reply;
      });
      const headers = { 'content-type': 'text/csv; charset=UTF-8' };
      await withOwnErrors(sending.request({ method: 'PUT', url: path, headers }));
    },
    async download(path) {
      let opened: CrmReply | null = null;
      // The library returns only text, so this function captures the streamed body before the library reads it.
      const opening = new GuardedConnection(version, async (request) => {
        opened = await carry({ ...request, isStreamed: true });
        return opened;
      });
      const headers = { accept: 'text/csv' };
      await withOwnErrors(opening.request({ method: 'GET', url: path, headers }));
      return toCsvAnswer(opened);
    },
  };

  /**
   * A job object of the library stores the ID from its last response and uses it in the next request. donor-sync
   * therefore creates a new job object for each request.
   */
  function findJob(kind: JobKind, id: string) {
    return kind === 'ingest' ? bulk.job('ingest', { id }) : bulk.job('query', { id });
  }
}

const CONTACT_UPDATES = {
  object: 'Contact',
  operation: 'update',
  contentType: 'CSV',
  lineEnding: 'LF',
} as const;

const JSON_BODY = { 'content-type': 'application/json' };

function toCsvAnswer(reply: CrmReply | null): CsvAnswer {
  if (reply === null || reply.chunks === null) throw answerUnreadable('Salesforce');
  return { headers: reply.headers, chunks: reply.chunks };
}

/**
 * Returns the library's result. Replaces the library's errors with our errors, because the library's errors may quote
 * the body of a response.
 */
async function withOwnErrors<Result>(result: PromiseLike<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Error && thrownByCarry.has(error)) throw error;
    throw answerUnreadable('Salesforce');
  }
}

/**
 * Throws if the response is not JSON. The library returns a response that is not JSON as text, for example the page of
 * a proxy (CRM facts, section E).
 */
async function readable(answer: PromiseLike<unknown>): Promise<unknown> {
  const body = await withOwnErrors(answer);
  if (body === '' || body === undefined) return undefined;
  if (body === null || typeof body === 'string') throw answerUnreadable('Salesforce');
  return body;
}

/** Returns the path of an address. Throws if a response contains a complete address. */
function toPath(url: string): string {
  if (url.startsWith(`${ORG}/`)) return url.slice(ORG.length);
  throw addressRefused();
}

function toOutgoing({ method, url, headers = {}, body }: HttpRequest): LibraryRequest {
  const outgoing = { method, url, headers: toHeaders(headers) };
  if (body === undefined || body === null) return outgoing;
  if (typeof body === 'string') return { ...outgoing, body };
  throw new TypeError('The library builds bodies of text only.');
}

/** Returns the headers in lower case. Omits the length, because the code that sends the request calculates it again. */
function toHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  return Object.fromEntries(entries.filter(([name]) => name !== 'content-length'));
}

/**
 * Declares every body as JSON. If the body were not declared as JSON, the library would parse XML or CSV from a third
 * party.
 */
function toResponse({ status, text }: CrmReply): HttpResponse {
  return { statusCode: status, headers: { 'content-type': 'application/json' }, body: text };
}
