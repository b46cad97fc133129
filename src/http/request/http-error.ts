/** An answer that is an error, thrown by whatever on the way of a request finds it out. */
export class HttpError extends Error {
  readonly status: ErrorStatus;
  /** A stable word in snake_case for programs. */
  readonly code: string;
  /** Facts that a caller may want to read. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ErrorStatus,
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

/** The errors that the service answers. */
export type ErrorStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 409
  | 413
  | 415
  | 421
  | 422
  | 429
  | 500
  | 503
  | 504;

/** An error that passes with time: `Retry-After` says in how many seconds to come back. */
export function tryLater(
  status: 429 | 503,
  code: string,
  message: string,
  waitMs: number,
): HttpError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new HttpError(status, code, message, { headers: { 'Retry-After': String(seconds) } });
}
