/** The errors of the sign-in endpoints. Sign-in errors have the form that OAuth defines. */

/** An error that rejects a sign-in. */
export class OAuthError extends Error {
  override name = 'OAuthError';
  /** The OAuth error code, for example `invalid_grant`. */
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
