import {
  type CrmExchange,
  type CrmLine,
  type CrmReply,
  createCrmExchange,
} from '../requests/exchange.ts';

/** 420 is Salesforce's own word for "later". */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 420, 429, 500, 502, 503, 504]);

/** Sends requests to Salesforce, each at most four times. The waits are about 0.5, 1 and 2 seconds. */
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

/** Returns true for a temporary failure. A slow query will be slow again. */
function isPassing(reply: CrmReply): boolean {
  if (!PASSING_STATUSES.has(reply.status)) return isConcurrency(reply);
  return !reply.text.includes('QUERY_TIMEOUT');
}

function isThrottled({ status, text }: CrmReply): boolean {
  return status === 403 ? text.includes('REQUEST_LIMIT_EXCEEDED') : status === 429;
}

/**
 * Returns true for too many requests at the same time. This state ends within seconds. The daily limit does not end so
 * soon.
 */
function isConcurrency(reply: CrmReply): boolean {
  return isThrottled(reply) && /concurrent/i.test(reply.text);
}
