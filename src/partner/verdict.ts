import { z } from 'zod';
import { type DonorSyncError, isConfigurationError } from '../core/errors.ts';
import { backoffMs } from '../outbound/retry.ts';
import { BUCKETS, type Charge } from './buckets.ts';
import {
  AnswerLost,
  CreditsExhausted,
  PartnerBadRequest,
  PartnerEndpointMissing,
  PartnerKeyExpired,
  PartnerKeyRejected,
  PartnerNotFound,
  PartnerRedirected,
  PartnerServerError,
  PartnerThrottled,
  PartnerUnavailable,
  PartnerValidationError,
  ReplyUnreadable,
  type ValidationItem,
} from './errors.ts';
import type { Body, Call, Exchange, ReceivedFile } from './exchange.ts';
import { shownPlace, shownType } from './reply.ts';

/** The result of a request: a response, or an error together with the information whether a retry is allowed. */
export type Verdict =
  | ({ kind: 'reply' } & Success)
  | { kind: 'failure'; failure: FailureKind; retryAfterMs: number | null; error: DonorSyncError };

/** The content of a successful response. `json` is undefined and `file` is null if the call does not read them. */
export interface Success {
  json: unknown;
  file: ReceivedFile | null;
}

type Answered = Extract<Exchange, { kind: 'answered' }>;

/** Converts the result of a request into donor-sync's own form (service document, section 7). */
export function judge(call: Call, exchange: Exchange): Verdict {
  if (exchange.kind === 'unsent') {
    // The guard rejected the address, and would reject it again.
    if (isConfigurationError(exchange.cause)) return fails('final', exchange.cause);
    const error = new PartnerUnavailable(call.endpoint, 'no connection', null, exchange.cause);
    return call.charges === null ? fails('transient', error) : fails('final', error);
  }
  if (exchange.kind === 'broken') return unanswered(call, exchange.problem, null, exchange.cause);
  if (exchange.status < 300) return judgeSuccess(call, exchange);
  if (exchange.status < 400) return judgeRedirect(call, exchange.status);
  if (exchange.status < 500) return judgeRefusal(call, exchange);
  return judgeServerFailure(call, exchange);
}

function judgeSuccess(call: Call, { status, body }: Answered): Verdict {
  if (call.reads === 'nothing') return { kind: 'reply', json: undefined, file: null };
  if (body.kind === 'file') return { kind: 'reply', json: undefined, file: body.file };
  if (body.kind === 'json') {
    const fault = call.charges === null ? (call.faultIn?.(body.json) ?? null) : null;
    if (fault !== null) return fails('transient', fault);
    return { kind: 'reply', json: body.json, file: null };
  }
  if (call.charges !== null) return unanswered(call, body.problem, status);
  return fails('transient', new ReplyUnreadable(call.endpoint, body.problem, status));
}

/**
 * Interprets a redirect. 307 and 308 mean that the client should send the same request to a different address, so the
 * service has done nothing. With other redirects, the service may have done the work.
 */
function judgeRedirect(call: Call, status: number): Verdict {
  if (call.charges !== null && status !== 307 && status !== 308) {
    return unanswered(call, 'it is a redirect', status);
  }
  return fails('final', new PartnerRedirected(call.endpoint, status));
}

function judgeRefusal(
  { endpoint, charges }: Call,
  { status, body, retryAfterMs }: Answered,
): Verdict {
  switch (status) {
    case 401:
      return fails('final', new PartnerKeyExpired(endpoint, expiryIn(body)));
    case 402:
      return fails('final', creditsExhausted(endpoint, charges, body));
    case 403:
      return fails('final', new PartnerKeyRejected(endpoint));
    case 404:
      // If a 404 has no detail, it does not come from the service. A 404 from a gateway is about the path.
      return readDetail(body) === null
        ? fails('final', new PartnerEndpointMissing(endpoint, status))
        : fails('final', new PartnerNotFound(endpoint));
    case 405:
      return fails('final', new PartnerEndpointMissing(endpoint, status));
    case 408:
      // An intermediary may have given up while the service was still working on the request.
      return unanswered({ endpoint, charges }, 'the response has status 408', status);
    case 422:
      return fails('final', new PartnerValidationError(endpoint, validationItems(body)));
    case 429:
      return fails('throttled', new PartnerThrottled(endpoint, retryAfterMs), retryAfterMs);
    default:
      return fails('final', new PartnerBadRequest(endpoint, status));
  }
}

/**
 * Interprets a failure of the server. The document promises a refund only for status 500. A gateway's 502 may hide a
 * request that is still in progress.
 */
function judgeServerFailure(call: Call, { status, body }: Answered): Verdict {
  if (status === 500 && readDetail(body) !== null) {
    return fails('serverError', new PartnerServerError(call.endpoint));
  }
  return unanswered(call, `the response has status ${status}`, status);
}

function unanswered(
  call: Pick<Call, 'endpoint' | 'charges'>,
  problem: string,
  status: number | null,
  cause?: unknown,
): Verdict {
  const { endpoint, charges } = call;
  return charges === null
    ? fails('transient', new PartnerUnavailable(endpoint, problem, status, cause))
    : fails('final', new AnswerLost(endpoint, charges, problem, status, cause));
}

function fails(
  failure: FailureKind,
  error: DonorSyncError,
  retryAfterMs: number | null = null,
): Verdict {
  return { kind: 'failure', failure, retryAfterMs, error };
}

const detailSchema = z.object({ detail: z.string() });

function readDetail(body: Body): string | null {
  const parsed = detailSchema.safeParse(getJson(body));
  return parsed.success ? parsed.data.detail : null;
}

const exhaustedSchema = z.object({
  bucket: z.enum(BUCKETS).nullable().catch(null),
  available_credits: z.number().nullable().catch(null),
});

/**
 * Creates the error for an empty bucket. If the service does not name the bucket, uses the bucket that the endpoint
 * charges.
 */
function creditsExhausted(endpoint: string, charges: Charge, body: Body): CreditsExhausted {
  const named = exhaustedSchema.safeParse(getJson(body)).data;
  const bucket = named?.bucket ?? (charges === 'unknown' ? null : charges);
  return new CreditsExhausted(endpoint, bucket, named?.available_credits ?? null);
}

const validationSchema = z.object({
  detail: z.array(
    z.object({
      type: z.string().catch('invalid'),
      loc: z.array(z.union([z.string(), z.number()])).catch([]),
    }),
  ),
});

function validationItems(body: Body): ValidationItem[] {
  const items = validationSchema.safeParse(getJson(body)).data?.detail ?? [];
  return items.map(({ type, loc }) => ({ type: shownType(type), loc: shownPlace(loc) }));
}

/** The maximum length of a date in any notation. */
const MAX_DAY_LENGTH = 60;

/**
 * Returns the day in the text "… expired on <date> …", or null if the text contains no day. The document does not
 * describe the date format.
 */
function expiryIn(body: Body): string | null {
  const detail = readDetail(body) ?? '';
  const isoDay = /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/.exec(detail)?.[0];
  if (isoDay !== undefined) return isoDay;
  const start = detail.search(/expired on /i);
  if (start === -1) return null;
  const rest = detail.slice(start + 'expired on '.length).slice(0, MAX_DAY_LENGTH);
  const words = rest.split(/ and\b|[.;\n]/)[0]?.trim();
  const instantMs = Date.parse(`${words} UTC`);
  return Number.isNaN(instantMs) ? null : new Date(instantMs).toISOString().slice(0, 10);
}

function getJson(body: Body): unknown {
  return body.kind === 'json' ? body.json : undefined;
}

/**
 * Calculates when the client sends a failed request again (service document, section 7.2, rules 6 and 7). `verdict.ts`
 * decides whether the client may send the request again.
 */

/**
 * The kind of a failure.
 *
 * - `throttled`: the response had status 429, and the service did nothing.
 * - `serverError`: the response had the documented status 500, which is refunded.
 * - `transient`: a free call received no usable response.
 * - `final`: sending the request again is useless or dangerous.
 */
export type FailureKind = 'throttled' | 'serverError' | 'transient' | 'final';

/** The maximum number of times that a request is sent if every response is 429. */
const MAX_THROTTLED_TRIES = 5;
const MAX_THROTTLED_WAIT_MS = 30_000;

/** The longest `Retry-After` for which a call waits. If the time is longer, the caller has to decide. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** The service document says: "Retry once after a short delay." */
const MAX_SERVER_ERROR_TRIES = 2;
const SERVER_ERROR_WAIT_MS = 1_000;

/**
 * The maximum number of attempts after transient failures. Waits of 1, 2, 4 and 8 seconds are long enough for a restart
 * of the service.
 */
export const MAX_TRANSIENT_TRIES = 5;

/** The maximum number of requests that one call can send, for any combination of failures. */
export const MAX_TRIES = MAX_THROTTLED_TRIES + MAX_SERVER_ERROR_TRIES + MAX_TRANSIENT_TRIES;

/**
 * Returns the number of milliseconds to wait after the `count`-th failure of this kind (from 1), or null to give up.
 */
export function retryDelayMs(
  kind: FailureKind,
  count: number,
  retryAfterMs: number | null,
): number | null {
  switch (kind) {
    case 'throttled':
      return throttledDelayMs(count, retryAfterMs);
    case 'serverError':
      return count < MAX_SERVER_ERROR_TRIES ? SERVER_ERROR_WAIT_MS : null;
    case 'transient':
      return count < MAX_TRANSIENT_TRIES ? backoffMs(1_000, count) : null;
    case 'final':
      return null;
  }
}

function throttledDelayMs(count: number, askedMs: number | null): number | null {
  if (count >= MAX_THROTTLED_TRIES) return null;
  if (askedMs === null) return Math.min(backoffMs(2_000, count), MAX_THROTTLED_WAIT_MS);
  return askedMs <= MAX_RETRY_AFTER_MS ? askedMs : null;
}
