/** What the sign-in endpoints refuse, in OAuth's form. */

/** Refuses a sign-in. */
export class OAuthError extends Error {
  override name = 'OAuthError';
  /** For example `invalid_grant`. */
  readonly error: string;

  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

/** The body of a refused sign-in. */
export function oauthErrorBody({ error, message }: OAuthError) {
  return { error, error_description: message };
}
