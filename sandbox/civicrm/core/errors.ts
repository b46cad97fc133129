/** The errors with which CiviCRM rejects requests. */

/** An exception of APIv4. The response is a JSON body with `error_code` and `error_message`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status, which is 403 for a missing permission. For every other exception, the status is 500. */
  readonly status: 403 | 500;

  constructor(message: string, status: 403 | 500 = 500) {
    super(message);
    this.status = status;
  }
}

/** PHP stops in the middle of a request, for example in an extension's hook. The response is an HTML page. */
export class PhpFatalError extends Error {
  override readonly name = 'PhpFatalError';
}

/** The authx extension rejects the user's credential. The response is plain text, not JSON. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
}

/** Returns the error if the user has no permission for the entity or the record. */
export function unauthorized(message = 'ACL check failed'): ApiError {
  return new ApiError(message, 403);
}
