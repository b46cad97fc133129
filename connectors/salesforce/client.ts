/**
 * The library builds paths, bodies and forms and reads JSON. The function `carry` sends the requests. Only this file
 * imports the library. The library is loaded when the first request is sent. Other processes do not load it.
 *
 * These parts of the library are not used. `query` and `queryMore` rewrite a malicious address of the next page instead
 * of refusing it. `poll` and `loadAndWaitForResults` delete a job after 30 seconds. `uploadData`, `result`,
 * `get…Results` and `bulk2.query` hold whole results in memory. A large result would end the process. `login` and
 * `identity` send a password or put the token into an address.
 */
// Imported first, because it replaces all functions with which the library could send requests.
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

/** A request as built by the library. */
export interface LibraryRequest extends Outgoing {
  /** A path at the org's address, including its query. For OAuth, the whole address. */
  url: string;
}

/**
 * Sends a request that the library has built with our own code. Returns only a successful response. Any other response
 * is thrown as one of our errors.
 */
export type Carry = (request: LibraryRequest) => Promise<CrmReply>;

/** A response in CSV, as it arrives. */
export interface CsvAnswer {
  headers: AnswerHeaders;
  chunks: AsyncIterable<Uint8Array>;
}

/** The two kinds of jobs in Bulk API 2.0. */
export type JobKind = 'ingest' | 'query';

/** The requests that the connector makes. Responses are unchanged JSON, or undefined if the body was empty. */
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
  /** Sends CSV while it is being produced. */
  upload(path: string, csv: () => AsyncIterable<Uint8Array>): Promise<void>;
  /** Requests CSV and passes the response on as it arrives. */
  download(path: string): Promise<CsvAnswer>;
}

/** Without the address, the library cannot send requests itself. */
const ORG = 'https://org.invalid';

/** Errors thrown by `carry`. All other errors come from the library and may quote the body of a response. */
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
 * A connection that passes all its requests to `carry`. It has neither a token nor credentials, so it cannot renew a
 * session itself.
 */
export class GuardedConnection extends Connection {
  override _transport: GuardedTransport;

  constructor(version: string, carry: Carry) {
    super({ version, instanceUrl: ORG });
    this._transport = new GuardedTransport((request) =>
      carry({ ...request, url: toPath(request.url) }),
    );
  }

  /** The cache would keep every description. */
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

/** Requests the user that a token belongs to. `carry` adds the token. */
export async function readUserInfo(carry: Carry): Promise<unknown> {
  return readable(
    new GuardedConnection(ANY_VERSION, carry).requestGet('/services/oauth2/userinfo'),
  );
}

/** A version for a path that does not contain one, because the library requires it. */
const ANY_VERSION = '67.0';

/** The requests from an app to the servers that sign users in. */
export interface SignInClient {
  requestToken(form: TokenForm): Promise<unknown>;
  revokeToken(token: string): Promise<void>;
}

/** A grant with its parameters, excluding the app's own credentials. */
export type TokenForm = { grant_type: string } & { [name: string]: string };

export interface AppConfig {
  /** The address at which the app signs in. */
  loginUrl: string;
  clientId?: string | undefined;
  /** The app's secret. Public clients have none. */
  clientSecret?: string | undefined;
  redirectUri?: string | undefined;
  /** For PKCE. The library sends the verifier's hash with the user's browser, and the verifier itself with the code. */
  codeVerifier?: string | undefined;
}

/** Creates the client of an app. It does not send anything yet. */
export function createSignInClient(config: AppConfig, carry: Carry): SignInClient {
  const app = new GuardedOAuth2(config, carry);
  return {
    requestToken: (form) => withOwnErrors<unknown>(app.requestToken(form)),
    revokeToken: (token) => withOwnErrors(app.revokeToken(token)),
  };
}

/** Returns the page on which a user allows the app to sign in. Nothing is sent. */
export function toAuthorizationUrl(
  config: AppConfig,
  parameters: { scope: string; state: string },
): string {
  const nothing: Carry = () => Promise.reject(new Error('A page for a user is not requested.'));
  return new GuardedOAuth2(config, nothing).getAuthorizationUrl(parameters);
}

/** It does not send anything yet. */
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
      // The job may still be open. Waiting would be useless.
      await readable(job.close().then(() => job.getInfo()));
    },
    async abortJob(kind, id) {
      await withOwnErrors<unknown>(findJob(kind, id).abort());
    },
    async upload(path, csv) {
      // A stream in the library could be read only once. After a new sign-in, the upload starts
      // again.
      const sending = new GuardedConnection(version, async (request) => {
        const reply = await carry({ ...request, body: csv });
        // Salesforce returns nothing. A proxy's page means that the upload was not passed on.
        if (reply.status < 300 && /^\s*</.test(reply.text)) throw answerUnreadable('Salesforce');
        return reply;
      });
      const headers = { 'content-type': 'text/csv; charset=UTF-8' };
      await withOwnErrors(sending.request({ method: 'PUT', url: path, headers }));
    },
    async download(path) {
      let opened: CrmReply | null = null;
      // The library passes on only text, so the body is captured earlier.
      const opening = new GuardedConnection(version, async (request) => {
        opened = await carry({ ...request, isStreamed: true });
        return opened;
      });
      const headers = { accept: 'text/csv' };
      await withOwnErrors(opening.request({ method: 'GET', url: path, headers }));
      return toCsvAnswer(opened);
    },
  };

  /** The library takes the ID for its next request from the last response. donor-sync therefore keeps no job object. */
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

/** Returns the library's result. Its errors are replaced with ours, because they may quote the body of a response. */
async function withOwnErrors<Result>(result: PromiseLike<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Error && thrownByCarry.has(error)) throw error;
    throw answerUnreadable('Salesforce');
  }
}

/**
 * Throws if the response is not JSON. The library returns anything else as text, such as the page of a proxy (CRM
 * facts, section E).
 */
async function readable(answer: PromiseLike<unknown>): Promise<unknown> {
  const body = await withOwnErrors(answer);
  if (body === '' || body === undefined) return undefined;
  if (body === null || typeof body === 'string') throw answerUnreadable('Salesforce');
  return body;
}

/** An absolute address from a response is rejected. */
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

/** Returns the headers in lower case. The length is omitted, because the sender calculates it again. */
function toHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  return Object.fromEntries(entries.filter(([name]) => name !== 'content-length'));
}

/**
 * Declares every body as JSON. Otherwise the library would convert XML or CSV from a third party into something other
 * than text.
 */
function toResponse({ status, text }: CrmReply): HttpResponse {
  return { statusCode: status, headers: { 'content-type': 'application/json' }, body: text };
}
