import {
  type CrmExchange,
  type CrmLine,
  type CrmReply,
  createCrmExchange,
} from '../requests/exchange.ts';

/** HTTP statuses of temporary failures. Salesforce uses 420 for "try again later". */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 420, 429, 500, 502, 503, 504]);

/**
 * Sends requests to Salesforce, and tries each request at most four times. The waits between the attempts are about
 * 0.5, 1 and 2 seconds.
 */
export function createExchange(line: CrmLine): CrmExchange {
  return createCrmExchange(
    {
      crm: 'Salesforce',
      address: "the org's present My Domain URL",
      maxTries: 4,
      firstWaitMs: 500,
      // Salesforce itself ends a request after two minutes.
      timeoutMs: 150_000,
      isPassing,
      isThrottled,
    },
    line,
  );
}

/** Returns true for a temporary failure. A query that exceeded Salesforce's time limit would exceed the limit again. */
function isPassing(reply: CrmReply): boolean {
  if (!PASSING_STATUSES.has(reply.status)) return isConcurrency(reply);
  return !reply.text.includes('QUERY_TIMEOUT');
}

function isThrottled({ status, text }: CrmReply): boolean {
  return status === 403 ? text.includes('REQUEST_LIMIT_EXCEEDED') : status === 429;
}

/**
 * Returns true if too many requests are in flight at the same time. Too many requests in flight are a problem for
 * seconds, but an exhausted daily limit lasts longer.
 */
function isConcurrency(reply: CrmReply): boolean {
  return isThrottled(reply) && /concurrent/i.test(reply.text);
}
