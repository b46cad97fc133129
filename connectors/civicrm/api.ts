/** Sends requests to CiviCRM's APIv4. A request consists of an entity, an action, and parameters as JSON in a form. */
import { z } from 'zod';
import { type ForeignText, foreignText } from '../../src/core/foreign-text.ts';
import type { ConnectorDeps } from '../contract.ts';
import { requestRefused } from '../requests/errors.ts';
import { createHttp } from '../requests/http.ts';
import { apiAddress } from './addresses.ts';
import type { CivicrmSettings } from './settings.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Conditions in APIv4, such as `[field, operator, value]` or `['OR', […]]`. */
export type Where = readonly unknown[];

export interface GetParams {
  select?: readonly string[];
  where?: Where;
  orderBy?: Readonly<Record<string, 'ASC' | 'DESC'>>;
  limit?: number;
}

export interface Rows {
  values: readonly Row[];
  /** The number of matching rows, if the request has selected `row_count`. */
  total: number | null;
}

export interface Refused {
  isUnauthorized: boolean;
  /**
   * True if the error text names a lock as the cause. CiviCRM sends the error text only to users with the permission
   * `view debug output`.
   */
  isLock: boolean;
  words: ForeignText | null;
}

export interface CivicrmApi {
  /**
   * Returns the rows. Throws a RetriableError if CiviCRM fails. Set `maxTries` for a request that can be split into
   * smaller requests.
   */
  get(entity: string, params: GetParams, maxTries?: number): Promise<Rows>;
  /** Returns the result of an action that changes nothing. */
  ask(entity: string, action: string, params: object): Promise<readonly Row[]>;
  /** Returns the same result as the function `ask`. Returns null if CiviCRM refuses the request. */
  askIfAllowed(entity: string, action: string, params: object): Promise<readonly Row[] | null>;
  /** Returns the result of an action that changes something. */
  change(
    entity: string,
    action: string,
    params: object,
    maxTries?: number,
  ): Promise<Refused | null>;
  close(): void;
}

const rowsSchema = z.object({
  values: z.array(z.record(z.string(), z.unknown())),
  countMatched: z.number().nullish(),
});

/**
 * The body of a response about an exception in CiviCRM. A missing permission has the status 403, and every other
 * exception has the status 500.
 */
const exceptionSchema = z.object({
  error_code: z.unknown(),
  error_message: z.string(),
  status: z.number().optional(),
});

export function createApi(settings: CivicrmSettings, deps: ConnectorDeps): CivicrmApi {
  const { apiKey, siteKey } = settings.auth;
  const http = createHttp({
    crm: 'CiviCRM',
    url: settings.url,
    deps,
    headers: {
      'x-civi-auth': `Bearer ${apiKey}`,
      'x-requested-with': 'XMLHttpRequest',
      ...(siteKey === undefined ? {} : { 'x-civi-key': siteKey }),
    },
    keySetting: 'crm.auth.apiKey',
    // A limit below one request per second applies to a longer period.
    pace: toPace(settings.requestsPerSecond),
    timeoutMs: TIMEOUT_MS,
  });

  return {
    async get(entity, params, maxTries) {
      const request = requestOf(entity, 'get', params, { isWrite: false, maxTries });
      const { values, countMatched } = await http.read(request, rowsSchema);
      return { values, total: countMatched ?? null };
    },
    async ask(entity, action, params) {
      const request = requestOf(entity, action, params, { isWrite: false });
      return (await http.read(request, rowsSchema)).values;
    },
    async askIfAllowed(entity, action, params) {
      const request = requestOf(entity, action, params, { isWrite: false });
      const answer = await http.ask({ ...request, isRefusal }, rowsSchema);
      if (answer.ok) return answer.body.values;
      requireCivicrm(answer.status, answer.body);
      return null;
    },
    async change(entity, action, params, maxTries) {
      const request = requestOf(entity, action, params, { isWrite: true, maxTries });
      const answer = await http.ask({ ...request, isRefusal }, rowsSchema);
      if (answer.ok) return null;
      requireCivicrm(answer.status, answer.body);
      return toRefused(answer.status, answer.body);
    },
    close: () => http.close(),
  };

  function requestOf(
    entity: string,
    action: string,
    params: object,
    { isWrite, maxTries }: { isWrite: boolean; maxTries?: number | undefined },
  ) {
    return {
      ...apiAddress(settings, entity, action),
      method: 'POST',
      form: { params: JSON.stringify(params) },
      isWrite,
      ...(maxTries === undefined ? {} : { maxTries }),
    } as const;
  }
}

/** The timeout (ms) of a request. PHP often allows a request 30 seconds, and some servers allow more time. */
const TIMEOUT_MS = 90_000;

function toPace(requestsPerSecond: number): { requests: number; perMs: number } | null {
  if (requestsPerSecond === 0) return null;
  const requests = Math.max(1, Math.floor(requestsPerSecond));
  return { requests, perMs: Math.ceil((1_000 * requests) / requestsPerSecond) };
}

/** Returns false for the error page of a failing server. */
function isRefusal({ status, text }: { status: number; text: string }): boolean {
  return status === 500 && text.startsWith('{') && /"error_message"\s*:/.test(text);
}

/**
 * Throws if the response is the page of a firewall between donor-sync and CiviCRM. A firewall's page contains no
 * information about a contact.
 */
function requireCivicrm(status: number, body: unknown): void {
  if (status !== 403 || body !== null) return;
  throw requestRefused(
    'A page instead of CiviCRM refused the request (status 403). Nothing was written. Check that the user has the permission "access AJAX API", and that no firewall in front of the site blocks this machine.',
    { details: { status } },
  );
}

function toRefused(status: number, body: unknown): Refused {
  const { data } = exceptionSchema.safeParse(body);
  const message = data?.error_message ?? '';
  return {
    isUnauthorized: status === 403,
    isLock: status === 423 || /deadlock|lock wait timeout/i.test(message),
    words: foreignText(message, { code: 'API_ERROR' }),
  };
}
