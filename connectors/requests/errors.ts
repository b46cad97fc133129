/** Converts failures of an HTTP API to the four kinds of error. */
import type { z } from 'zod';
import { ConfigurationError, type ErrorFacts, RetriableError } from '../../src/core/errors.ts';
import { type AnswerHeaders, MAX_ANSWER_BYTES } from '../../src/outbound/exchange.ts';

type Background = Omit<ErrorFacts, 'code'>;

/** Creates the error for a rejected sign-in. The message tells the user how to fix the problem. */
export function signInRefused(message: string, background: Background): ConfigurationError {
  return new ConfigurationError(message, { ...background, code: 'crm_unauthorized' });
}

/** Creates the error for a request that the CRM permanently rejects. The message contains the reason. */
export function requestRefused(message: string, background: Background): ConfigurationError {
  return new ConfigurationError(message, { ...background, code: 'crm_request_refused' });
}

/** Creates the error for a used-up request limit. The text in `sentence` describes the limit. */
export function limitUsedUp(sentence: string, background: Background): RetriableError {
  return goesOn(sentence, { ...background, code: 'crm_limit_reached' });
}

/** Creates the error for a temporary failure. `sentence` describes it. */
export function passingFailure(sentence: string, background: Background): RetriableError {
  const message = `${sentence} Trying again later will help.`;
  return new RetriableError(message, { ...background, code: 'crm_unavailable' });
}

/** Creates the error for a request if the last attempt failed in the same way as the earlier attempts. */
export function stayedBusy(crm: string, status: number): RetriableError {
  const sentence = `${crm} stays busy (status ${status}).`;
  return goesOn(sentence, { code: 'crm_unavailable', details: { status } });
}

export function unanswered(crm: string, cause: unknown, hasExpired: boolean): RetriableError {
  const sentence = hasExpired
    ? `${crm} did not respond in time.`
    : `${crm} cannot be reached, or the connection broke.`;
  return goesOn(sentence, { code: 'crm_unavailable', cause, details: UNANSWERED });
}

const UNANSWERED = { answered: false };

/** Returns true if the CRM sent no response. A wrong address is one possible cause. */
export function isUnanswered(error: { details?: unknown }): boolean {
  return error.details === UNANSWERED;
}

/** Creates the error for a response that donor-sync cannot read, for example the page of a proxy. */
export function answerUnreadable(crm: string, cause?: unknown): RetriableError {
  return goesOn(`A response from ${crm} could not be read.`, { code: 'crm_unavailable', cause });
}

/** Parses the body of a response with the schema. Throws a RetriableError if the body has a different form. */
export function readAnswer<Shape>(crm: string, schema: z.ZodType<Shape>, body: unknown): Shape {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw answerUnreadable(crm, parsed.error);
}

/** Creates the error for a list that changes or repeats itself during the reading. */
export function listIncomplete(what: string, why: string): RetriableError {
  const sentence = `The list of ${what} could not be read completely, because ${why}.`;
  return goesOn(sentence, { code: 'crm_unavailable', details: { what } });
}

/**
 * Creates the error for a response that is too large. The text in `sentence` names the data that are too large. The
 * error is permanent, because a second request would return the same amount of data.
 */
export function replyTooLarge(sentence: string, maxBytes: number): RetriableError {
  return goesOn(
    `${sentence}, and the rest was not read. No part of its API sends that much. Check whether a proxy in between is the cause.`,
    { code: TOO_LARGE_CODE, details: { maxBytes } },
  );
}

/** Creates the error for a request body that exceeds the limit. */
export function bodyTooLarge(crm: string): RetriableError {
  const megabytes = MAX_ANSWER_BYTES / 1024 / 1024;
  const sentence = `${crm} responded to one request with more than ${megabytes} MB`;
  return replyTooLarge(sentence, MAX_ANSWER_BYTES);
}

export function isReplyTooLarge(error: unknown): boolean {
  return error instanceof RetriableError && error.code === TOO_LARGE_CODE;
}

const TOO_LARGE_CODE = 'crm_reply_too_large';

/**
 * Creates the error for a redirect in the response to a request. donor-sync does not follow redirects. The text in
 * `address` is the value to write into the settings, for example `the org's present My Domain URL`.
 */
export function redirected(
  crm: string,
  { status, headers }: { status: number; headers: AnswerHeaders },
  asked: string,
  address: string,
): ConfigurationError {
  const location = headers.get('location') ?? '';
  const target = URL.canParse(location, asked) ? new URL(location, asked).origin : 'elsewhere';
  return new ConfigurationError(
    `${crm} redirects from ${new URL(asked).origin} to ${target}: set crm.url to ${address}.`,
    { code: 'crm_redirected', details: { status } },
  );
}

function goesOn(sentence: string, facts: ErrorFacts): RetriableError {
  return new RetriableError(`${sentence} The next run continues from there.`, facts);
}
