/** Converts thrown errors into responses (design, section 4.5). No other file does this. */
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import {
  isConfigurationError,
  isRetriableError,
  messageOf,
  type Refusal,
} from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import type { HttpEnv } from './context.ts';

export class HttpError extends Error {
  readonly status: ContentfulStatusCode;
  /** A permanent code in snake_case for programs. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    facts: { details?: Record<string, unknown>; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.code = code;
    this.details = facts.details;
    this.headers = facts.headers ?? {};
  }
}

export function nothingHere(message = 'There is nothing here.'): HttpError {
  return new HttpError(404, 'not_found', message);
}

/** Creates the error for an unreadable body. */
export function bodyUnreadable(form: 'a form' | 'JSON'): HttpError {
  return new HttpError(400, 'body_unreadable', `The body cannot be read as ${form}.`);
}

/** Creates a temporary error. The `Retry-After` header contains the number of seconds to wait. */
export function tryLater(
  status: 429 | 503,
  code: string,
  message: string,
  waitMs: number,
): HttpError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new HttpError(status, code, message, { headers: { 'Retry-After': String(seconds) } });
}

/** Responds to any error. The details of an unexpected error are only in the log. */
export function answerError(error: Error, c: Context<HttpEnv>, log: Log): Response {
  const known = knownError(error) ?? brokenOff(c);
  if (known) return answer(c, known);
  const { requestId } = c.var;
  log.error(
    { requestId, error: messageOf(error), stack: error.stack },
    'a request failed inside the service',
  );
  return answer(
    c,
    new HttpError(500, 'internal_error', `An internal error occurred. Its ID is ${requestId}.`, {
      details: { requestId },
    }),
  );
}

/** Builds a response with the body that every error has. */
export function answer(
  c: Context<HttpEnv>,
  { status, code, message, details, headers }: HttpError,
): Response {
  return c.json(
    { error: { code, message, ...(details === undefined ? {} : { details }) } },
    status,
    headers,
  );
}

function knownError(error: Error): HttpError | null {
  if (error instanceof HttpError) return error;
  if (error instanceof HTTPException) return frameworkError(error.status);
  if (isConfigurationError(error)) {
    const { code, message, details, refusal } = error;
    // The details of a refusal concern only the caller's own request. Details of other errors could reveal more.
    const isShown = refusal !== undefined && Object.keys(details).length > 0;
    const shown = isShown ? { details } : {};
    return new HttpError(REFUSALS[refusal ?? 'invalid'], code, message, shown);
  }
  if (isRetriableError(error)) {
    return new HttpError(
      503,
      error.code,
      'The service cannot do this at the moment. Try again later.',
    );
  }
  return null;
}

const REFUSALS: Readonly<Record<Refusal, ContentfulStatusCode>> = {
  invalid: 422,
  unknown: 404,
  conflict: 409,
  forbidden: 403,
};

/** Returns an error if the caller has disconnected. Nobody reads the response, so this is not a failure. */
function brokenOff(c: Context<HttpEnv>): HttpError | null {
  const incoming = c.env?.incoming;
  if (incoming === undefined || incoming.complete || !incoming.destroyed) return null;
  return new HttpError(400, 'request_broken_off', 'The request was cut off.');
}

/** Converts a refusal by the framework, because the framework's messages are written for programmers. */
function frameworkError(status: number): HttpError | null {
  const known = FRAMEWORK_ERRORS.get(status);
  if (status === 400) return bodyUnreadable('JSON');
  return known ? new HttpError(...known) : null;
}

const FRAMEWORK_ERRORS: ReadonlyMap<number, [ContentfulStatusCode, string, string]> = new Map([
  [415, [415, 'body_not_json', 'Send the body as "Content-Type: application/json".']],
  [
    504,
    [
      504,
      'timed_out',
      'There was no response within the time limit. The request might still be carried out. Check whether it was before you repeat it.',
    ],
  ],
]);
