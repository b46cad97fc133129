/** The errors with which CiviCRM rejects a request. */

/** An APIv4 exception. The response is a JSON body with `error_code` and `error_message`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 403 for a missing permission. CiviCRM responds to every other exception with 500. */
  readonly status: 403 | 500;

  constructor(message: string, status: 403 | 500 = 500) {
    super(message);
    this.status = status;
  }
}

/** PHP stops in the middle of a request, for example in a hook of an extension. The response is an HTML page. */
export class PhpFatalError extends Error {
  override readonly name = 'PhpFatalError';
}

/** The authx extension rejects the credential. The response is plain text, not JSON. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
}

/** Returns the error for a user who has no permission for this entity or record. */
export function unauthorized(message = 'ACL check failed'): ApiError {
  return new ApiError(message, 403);
}
