/** The ways in which CiviCRM rejects a request. */

/** An exception behind APIv4. It becomes a JSON body with `error_code` and `error_message`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 403 for a missing permission. CiviCRM answers every other exception with 500. */
  readonly status: 403 | 500;

  constructor(message: string, status: 403 | 500 = 500) {
    super(message);
    this.status = status;
  }
}

/** PHP ends in the middle of a request, for example in a hook of an extension. The response is a page. */
export class PhpFatalError extends Error {
  override readonly name = 'PhpFatalError';
}

/** The extension authx rejects the credential. It responds with plain text, not with JSON. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
}

/** The user has no permission for this entity or this record. */
export function unauthorized(message = 'ACL check failed'): ApiError {
  return new ApiError(message, 403);
}
