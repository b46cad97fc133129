/** How failures of a CRM behind HTTP are told, each as one of the four kinds. */
import { ConfigurationError, type ErrorFacts, RetriableError } from '../src/core/errors.ts';

type Background = Omit<ErrorFacts, 'code'>;

/** The CRM does not let the integration in; the message says what helps. */
export function signInRefused(message: string, background: Background): ConfigurationError {
  return new ConfigurationError(message, { ...background, code: 'crm_unauthorized' });
}

/** The CRM refuses a request for a reason that stays; the message names it. */
export function requestRefused(message: string, background: Background): ConfigurationError {
  return new ConfigurationError(message, { ...background, code: 'crm_request_refused' });
}

/** The account's requests of the day are used up; `sentence` says so. */
export function limitUsedUp(sentence: string, background: Background): RetriableError {
  const message = `${sentence} The next run goes on from there.`;
  return new RetriableError(message, { ...background, code: 'crm_limit_reached' });
}

/** A failure that goes by; `sentence` names it. */
export function passingFailure(sentence: string, background: Background): RetriableError {
  const message = `${sentence} Trying again later will help.`;
  return new RetriableError(message, { ...background, code: 'crm_unavailable' });
}

/** The last try of a request met the same trouble; the status is null if nothing was answered. */
export function stayedBusy(crm: string, status: number | null): RetriableError {
  const message = `${crm} stays busy (status ${status}). The next run goes on from there.`;
  return new RetriableError(message, { code: 'crm_unavailable', details: { status } });
}

/** No answer came, or none that is whole. */
export function unanswered(crm: string, cause: unknown, hasExpired: boolean): RetriableError {
  const sentence = hasExpired
    ? `${crm} did not answer in time.`
    : `${crm} cannot be reached, or the connection broke.`;
  const message = `${sentence} The next run goes on from there.`;
  return new RetriableError(message, { code: 'crm_unavailable', cause });
}

/** An answer that may point elsewhere. */
export interface Redirection {
  status: number;
  /** The header of that name; null if there is none. */
  location: string | null;
  /** The absolute URL that was asked. */
  url: string;
}

/**
 * Redirects are not followed: the token would go wherever they point. Throws a ConfigurationError
 * that tells the person to write `address`, for example `the org's present My Domain URL`.
 */
export function throwIfRedirected(
  crm: string,
  { status, location, url }: Redirection,
  address: string,
): void {
  if (status < 300 || status >= 400 || status === 304) return;
  const target =
    location !== null && URL.canParse(location, url) ? new URL(location, url).origin : 'elsewhere';
  throw new ConfigurationError(
    `${crm} redirects from ${new URL(url).origin} to ${target}: write ${address} into crm.url.`,
    { code: 'crm_redirected', details: { status } },
  );
}
