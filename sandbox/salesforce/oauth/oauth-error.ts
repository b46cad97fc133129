/** The errors of the sign-in endpoints, in OAuth's form. */

/** The error that rejects a sign-in. */
export class OAuthError extends Error {
  override name = 'OAuthError';
  /** For example `invalid_grant`. */
  readonly error: string;

  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

/** Returns the body of the response to a rejected sign-in. */
export function oauthErrorBody({ error, message }: OAuthError) {
  return { error, error_description: message };
}
