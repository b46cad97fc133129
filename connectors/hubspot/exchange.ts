import {
  type CrmExchange,
  type CrmLine,
  type CrmReply,
  type CrmRequest,
  createCrmExchange,
} from '../requests/exchange.ts';

/**
 * The status that HubSpot returns while many changes are being made at the same time. HubSpot requires at least this
 * wait.
 */
const LOCKED_STATUS = 423;
const LOCKED_WAIT_MS = 2_000;

/** The status while the account is being moved. `Retry-After` contains the wait. */
const MIGRATION_STATUS = 477;

/** The wait after a 429 that contains no wait. */
const LIMIT_WAIT_MS = 1_000;

/** If the status is at least this number, HubSpot or the network in front of it has failed. */
const FIRST_SERVER_ERROR = 500;

const PASSING_STATUSES: ReadonlySet<number> = new Set([408, LOCKED_STATUS, MIGRATION_STATUS]);

/** Sends requests to HubSpot, each at most six times. The waits start at half a second and double. */
export function createExchange(line: CrmLine): CrmExchange {
  return createCrmExchange(
    {
      crm: 'HubSpot',
      address: "the API's present address",
      maxTries: 6,
      firstWaitMs: 500,
      // HubSpot's own servers give up within a minute.
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
  // A daily limit lasts until the next day, which is too long to wait.
  if (status === 429) return !/"policyName"\s*:\s*"DAILY"/.test(text);
  return status >= FIRST_SERVER_ERROR || PASSING_STATUSES.has(status);
}

/** Returns a request of an app or a key. A request with a body is a POST with JSON. */
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
