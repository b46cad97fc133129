/** Error responses in the form of ASP.NET, with a message and any errors about form fields. */

type Status = 400 | 401 | 403 | 404 | 409 | 423 | 429 | 500 | 503;

export class BloomerangError extends Error {
  override readonly name = 'BloomerangError';
  readonly status: Status;
  readonly errors: readonly string[];
  readonly retryAfterSeconds: number | null;

  constructor(
    status: Status,
    message: string,
    {
      errors = [],
      retryAfterSeconds = null,
    }: { errors?: readonly string[]; retryAfterSeconds?: number | null } = {},
  ) {
    super(message);
    this.status = status;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function invalid(...errors: readonly string[]): BloomerangError {
  return new BloomerangError(400, 'The request is invalid.', { errors });
}

export function notFound(what: string): BloomerangError {
  return new BloomerangError(404, `The ${what} was not found.`);
}

export function unauthorized(): BloomerangError {
  return new BloomerangError(401, 'Authorization has been denied for this request.');
}

export function errorBody({ message, errors }: BloomerangError): object {
  return errors.length === 0 ? { Message: message } : { Message: message, Errors: errors };
}
