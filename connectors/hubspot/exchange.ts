import {
  type CrmExchange,
  type CrmLine,
  type CrmReply,
  type CrmRequest,
  createCrmExchange,
} from '../requests/exchange.ts';

/**
 * The status that HubSpot returns if an account makes too many changes at the same time. After this status, HubSpot
 * requires a wait of at least this time.
 */
const LOCKED_STATUS = 423;
const LOCKED_WAIT_MS = 2_000;

/**
 * The status that HubSpot returns while it moves the account to different servers. The header `Retry-After` contains
 * the time to wait.
 */
const MIGRATION_STATUS = 477;

/** The time to wait (ms) after a 429 that does not contain a time. */
const LIMIT_WAIT_MS = 1_000;

/** The lowest HTTP status for a failure of HubSpot or of a proxy. */
const FIRST_SERVER_ERROR = 500;

const PASSING_STATUSES: ReadonlySet<number> = new Set([408, LOCKED_STATUS, MIGRATION_STATUS]);

/**
 * Sends requests to HubSpot, and tries each request at most six times. The first wait is half a second, and each
 * further wait is twice as long.
 */
export function createExchange(line: CrmLine): CrmExchange {
  return createCrmExchange(
    {
      crm: 'HubSpot',
      address: "the API's present address",
      maxTries: 6,
      firstWaitMs: 500,
      // HubSpot's own servers end a request within a minute.
      timeoutMs: 90_000,
      isPassing,
      isThrottled: ({ status }) => status === 429,
      leastWaitMs: (status) =>
        status === LOCKED_STATUS ? LOCKED_WAIT_MS : status === 429 ? LIMIT_WAIT_MS : 0,
    },
    line,
  );
}

function isPassing({ status, text }: CrmReply): boolean {
  // After a 429, waiting helps unless the daily limit is used up. The daily limit lasts until the next day.
  if (status === 429) return !/"policyName"\s*:\s*"DAILY"/.test(text);
  return status >= FIRST_SERVER_ERROR || PASSING_STATUSES.has(status);
}

/**
 * Returns a request with the access token of an app or a service key. A request with a body is a POST request with
 * JSON.
 */
export function signedRequest(url: string, accessToken: string, body?: string): CrmRequest {
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${accessToken}`,
    'user-agent': 'donor-sync',
  };
  if (body === undefined) return { method: 'GET', url, headers };
  return {
    method: 'POST',
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  };
}
