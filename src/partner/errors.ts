import { ConfigurationError, FatalError, RetriableError, SkippableError } from '../core/errors.ts';
import type { Bucket, Charge } from './buckets.ts';

/**
 * Errors of the Partner Data Service (service document, section 7). `details` always contains `endpoint` (the method
 * and the path without IDs), `status` (null if there was no response) and `charged`. Messages and details never contain
 * the key or the service's text about a person.
 */

/** Whether the request cost credits. `no` means that the service refunded the credits or never charged them. */
export type Charged = 'no' | 'unknown';

/**
 * Returns `unknown` for `AnswerLost`, because credits may have been spent. For all other errors, including the signal's
 * own reason, returns `no`.
 */
export function chargedBy(error: unknown): Charged {
  return error instanceof AnswerLost ? 'unknown' : 'no';
}

/** 403: the service's gateway does not know the key (section 5, rule 3). */
export class PartnerKeyRejected extends ConfigurationError {
  constructor(endpoint: string) {
    super(
      `The Partner Data Service rejected the service key (${endpoint} responded with 403). ` +
        'Check partner.apiKey in the settings, or ask the service operator for a new key.',
      { code: 'partner_key_rejected', details: { endpoint, status: 403, charged: 'no' } },
    );
  }
}

/** 401: the key's deactivation date has passed (section 5, rule 4). */
export class PartnerKeyExpired extends ConfigurationError {
  /** The last day on which the key was valid, such as `2026-11-20`. Null if the service did not report the day. */
  readonly expiredOn: string | null;

  constructor(endpoint: string, expiredOn: string | null) {
    super(
      `The service key has expired${expiredOn === null ? '' : ` on ${expiredOn}`} ` +
        `(${endpoint} responded with 401). Ask the service operator for a new key and set partner.apiKey to it.`,
      { code: 'partner_key_expired', details: { endpoint, status: 401, charged: 'no', expiredOn } },
    );
    this.expiredOn = expiredOn;
  }
}

/** 402: the bucket is empty (section 4.5, rule 6). Endpoints that use other buckets still work. */
export class CreditsExhausted extends ConfigurationError {
  /** The empty bucket, or null if the service did not name it. */
  readonly bucket: Bucket | null;
  readonly availableCredits: number | null;

  constructor(endpoint: string, bucket: Bucket | null, availableCredits: number | null) {
    super(
      `The ${bucket ?? 'credit'} bucket of the Partner Data Service is empty (${endpoint} responded with 402). ` +
        'Buy credits for this bucket. Work that costs no credits continues.',
      {
        code: 'credits_exhausted',
        details: { endpoint, status: 402, charged: 'no', bucket, availableCredits },
      },
    );
    this.bucket = bucket;
    this.availableCredits = availableCredits;
  }
}

/**
 * The service redirects the base URL. donor-sync does not follow the redirect, because it sends the key only to the
 * configured host.
 */
export class PartnerRedirected extends ConfigurationError {
  constructor(endpoint: string, status: number) {
    super(
      `The Partner Data Service redirects ${endpoint} to another address (status ${status}). ` +
        'Set partner.baseUrl to the final address.',
      { code: 'partner_redirected', details: { endpoint, status, charged: 'no' } },
    );
  }
}

/**
 * The service does not have this path. The status is 405, or 404 if the path itself is unknown. If there is no status,
 * the service's openapi.json does not list the path, so donor-sync does not try the path.
 */
export class PartnerEndpointMissing extends ConfigurationError {
  constructor(endpoint: string, status: number | null) {
    super(
      `The Partner Data Service does not have ${endpoint} (${status === null ? 'not listed' : `status ${status}`}), in any known form. ` +
        'Check partner.baseUrl in the settings.',
      { code: 'partner_endpoint_missing', details: { endpoint, status, charged: 'no' } },
    );
  }
}

/**
 * A part of a request that the service rejected, and the reason. Leaves out `msg` and `input`, because they may contain
 * personal data. Replaces words that are not known places or types (validation-words.ts) with `?`, because they may
 * also be personal data.
 */
export interface ValidationItem {
  /** The type of the error, such as `missing`. */
  type: string;
  /** The place in the request, for example `body`, `persons`, 3, `name`. */
  loc: readonly (string | number)[];
}

/**
 * 422: the body failed the service's validation (section 2.8). The service may still accept other requests and other
 * people.
 */
export class PartnerValidationError extends SkippableError {
  readonly items: readonly ValidationItem[];

  constructor(endpoint: string, items: readonly ValidationItem[]) {
    super(
      `The Partner Data Service found a request to ${endpoint} invalid${describePlaces(items)} (status 422). ` +
        'Omit or correct the named parts, and send the rest again.',
      { code: 'partner_validation', details: { endpoint, status: 422, charged: 'no', items } },
    );
    this.items = items;
  }
}

/**
 * Returns the indexes of the submitted people whom a 422 response rejects, in ascending order. If the response names
 * nobody, the list is empty, and the client does not know which people to leave out.
 */
export function blamedPersons(error: PartnerValidationError): number[] {
  const indexes = error.items.flatMap(({ loc }) => {
    const index = Number(loc[loc.indexOf('persons') + 1] ?? Number.NaN);
    return loc.includes('persons') && Number.isInteger(index) ? [index] : [];
  });
  return [...new Set(indexes)].sort((a, b) => a - b);
}

/** 404: the donor, list, network or job does not exist. */
export class PartnerNotFound extends SkippableError {
  readonly endpoint: string;

  constructor(endpoint: string) {
    super(
      `The Partner Data Service does not know the object of the request to ${endpoint} (status 404). ` +
        'It may be too old to be kept. It is skipped.',
      { code: 'partner_not_found', details: { endpoint, status: 404, charged: 'no' } },
    );
    this.endpoint = endpoint;
  }
}

/** The service will always refuse this request, but may accept other requests. */
export class PartnerBadRequest extends SkippableError {
  constructor(endpoint: string, status: number) {
    super(
      `The Partner Data Service refused a request to ${endpoint} (status ${status}). ` +
        'It would refuse the same request again, so the request is skipped.',
      { code: 'partner_bad_request', details: { endpoint, status, charged: 'no' } },
    );
  }
}

/** 429 after the last attempt, or 429 with a longer wait than a run should spend on the request. */
export class PartnerThrottled extends RetriableError {
  /** The wait that the service requests, or null if the service does not state it. */
  readonly retryAfterMs: number | null;

  constructor(endpoint: string, retryAfterMs: number | null) {
    super(
      `The Partner Data Service keeps responding to ${endpoint} with "too many requests" (status 429). ` +
        'Something else may be using the same key; try again later.',
      {
        code: 'partner_throttled',
        details: { endpoint, status: 429, charged: 'no', retryAfterMs },
      },
    );
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * The service responded twice with the documented status 500. The service refunds the credits (section 4.5, rule 5).
 */
export class PartnerServerError extends RetriableError {
  constructor(endpoint: string) {
    super(
      `The Partner Data Service failed at ${endpoint}, and again on a second attempt (status 500). ` +
        'Nothing was charged; try again later.',
      { code: 'partner_server_error', details: { endpoint, status: 500, charged: 'no' } },
    );
  }
}

export class PartnerUnavailable extends RetriableError {
  /** The status of the response, for example 502 from a gateway. Null if there was no response. */
  readonly status: number | null;

  constructor(endpoint: string, problem: string, status: number | null, cause?: unknown) {
    super(
      `The Partner Data Service cannot be reached for ${endpoint}: ${problem}. ` +
        'Nothing was charged; check the network and partner.baseUrl, or try again later.',
      { code: 'partner_unavailable', cause, details: { endpoint, status, charged: 'no' } },
    );
    this.status = status;
  }
}

/**
 * The response to a request that may have cost credits could not be read. The error is fatal, so no code that repeats
 * retriable work can spend credits twice. The caller uses the balance to find out whether the request was charged.
 */
export class AnswerLost extends FatalError {
  /** The bucket that paid if the request was charged. Null if the document does not state the bucket. */
  readonly bucket: Bucket | null;

  constructor(
    endpoint: string,
    charges: Charge,
    problem: string,
    status: number | null,
    cause?: unknown,
  ) {
    const bucket = charges === 'unknown' ? null : charges;
    super(
      `The response to ${endpoint} is lost: ${problem}. Its credits may have been spent. ` +
        'Compare the balance with the balance before the request, and only then send the request again.',
      { code: 'answer_lost', cause, details: { endpoint, status, charged: 'unknown', bucket } },
    );
    this.bucket = bucket;
  }
}

/** A bulk add takes longer than a caller should wait. The bulk add may still finish. */
export class BulkAddUnfinished extends RetriableError {
  readonly jobId: string;

  constructor(jobId: string, waitedMinutes: number) {
    super(
      `The Partner Data Service has not finished bulk add ${jobId} within ${waitedMinutes} minutes. ` +
        'It may still finish: check the same job again later.',
      {
        code: 'partner_bulk_add_unfinished',
        details: { endpoint: 'GET /networks/jobs/{id}', status: 200, charged: 'no', jobId },
      },
    );
    this.jobId = jobId;
  }
}

/**
 * No attempt of a free call received a readable response. The responses came from an intermediary, or lacked a required
 * field. The message contains the field and the endpoint.
 */
export class ReplyUnreadable extends RetriableError {
  constructor(endpoint: string, problem: string, status: number | null = null) {
    super(
      `The response of the Partner Data Service to ${endpoint} cannot be read: ${problem}. ` +
        'Nothing was charged; try again later. If this persists, something in between responds in its ' +
        'place, or the service has changed: check partner.baseUrl, and ask the service operator.',
      { code: 'partner_reply_unreadable', details: { endpoint, status, charged: 'no' } },
    );
  }
}

/** The maximum number of rejected fields in a message. `items` contains all rejected fields. */
const MAX_PLACES_SHOWN = 5;

function describePlaces(items: readonly ValidationItem[]): string {
  if (items.length === 0) return '';
  const places = items
    .slice(0, MAX_PLACES_SHOWN)
    .map(({ loc, type }) => `${loc.join('.')} (${type})`);
  const rest = items.length - places.length;
  return ` at ${places.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
