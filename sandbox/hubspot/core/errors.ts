/** The errors of the account, with HubSpot's messages. */

/** A part of an error response that describes one problem. */
export interface ErrorDetail {
  message: string;
  code?: string;
  in?: string;
  context?: Record<string, string[]>;
}

/** Optional parts of an error. */
export interface ErrorExtras {
  subCategory?: string;
  context?: Record<string, string[]>;
  errors?: ErrorDetail[];
  links?: Record<string, string>;
  /** Only for the status 429. The name of the violated limit, for example `DAILY`. */
  policyName?: string;
  /** The value of the header `Retry-After`. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** An error that rejects a whole request. */
export class HubspotError extends Error {
  override name = 'HubspotError';
  readonly status: number;
  /** The category, for example `VALIDATION_ERROR`. The category is null if HubSpot returns none. */
  readonly category: string | null;
  readonly extras: ErrorExtras;

  constructor(status: number, category: string | null, message: string, extras: ErrorExtras = {}) {
    super(message, 'cause' in extras ? { cause: extras.cause } : {});
    this.status = status;
    this.category = category;
    this.extras = extras;
  }
}

/** Returns the body of the response to a rejected request. */
export function errorBody({ category, message, extras }: HubspotError, correlationId: string) {
  const { cause: _, retryAfterSeconds: __, policyName, ...details } = extras;
  const limit = policyName === undefined ? {} : { errorType: 'RATE_LIMIT', policyName };
  const reason = category === null ? {} : { category };
  return { status: 'error', message, correlationId, ...limit, ...details, ...reason };
}

/** Creates the error for an invalid request or for invalid values. */
export function validationError(message: string, extras: ErrorExtras = {}): HubspotError {
  return new HubspotError(400, 'VALIDATION_ERROR', message, extras);
}

/** Creates the error for a search that HubSpot cannot run, without a category or a reason. */
export function unexplainedError(): HubspotError {
  return new HubspotError(400, null, 'There was a problem with the request.');
}

/** Creates the error for a path that does not exist. */
export function unknownPath(): HubspotError {
  return new HubspotError(404, 'OBJECT_NOT_FOUND', 'resource not found');
}

/** Creates the error for a record that does not exist. */
export function unknownRecord(id: string): HubspotError {
  const message = 'Object not found.  objectId are usually numeric.';
  const extras = { subCategory: 'crm.OBJECT_NOT_FOUND', context: { id: [id] } };
  return new HubspotError(404, 'OBJECT_NOT_FOUND', message, extras);
}

/** Creates the error for a request without a valid token. */
export function authenticationError(): HubspotError {
  return new HubspotError(
    401,
    'INVALID_AUTHENTICATION',
    'Authentication credentials not found. This API supports OAuth 2.0 authentication and you can find more details at https://developers.hubspot.com/docs/methods/auth/oauth-overview',
  );
}

/** Creates the error for a request whose token has expired. */
export function expiredError(expiredAtMs: number, nowMs: number): HubspotError {
  const seconds = Math.max(0, Math.floor((nowMs - expiredAtMs) / 1000));
  const message = `The OAuth token used to make this call expired ${seconds} second(s) ago.`;
  const context = { 'expire time': [new Date(expiredAtMs).toISOString()] };
  return new HubspotError(401, 'EXPIRED_AUTHENTICATION', message, { context });
}

/** Creates the error for a token without the required scopes. A token with any of the `scopes` would be sufficient. */
export function scopeError(scopes: readonly string[]): HubspotError {
  const url = 'https://developers.hubspot.com/scopes';
  return new HubspotError(
    403,
    'MISSING_SCOPES',
    `This app hasn't been granted all required scopes to make this call. Read more about required scopes here: ${url}.`,
    {
      errors: [
        {
          message: 'One or more of the following scopes are required.',
          context: { requiredGranularScopes: [...scopes] },
        },
      ],
      links: { scopes: url },
    },
  );
}

/** The limits, with HubSpot's messages. */
const LIMIT_POLICIES = {
  SECONDLY: 'You have reached your secondly limit.',
  TEN_SECONDLY_ROLLING: 'You have reached your ten_secondly_rolling limit.',
  DAILY: 'You have reached your daily limit.',
} as const;

/** Creates the error for a request that exceeds a limit. */
export function limitError(policyName: keyof typeof LIMIT_POLICIES): HubspotError {
  return new HubspotError(429, 'RATE_LIMITS', LIMIT_POLICIES[policyName], { policyName });
}
