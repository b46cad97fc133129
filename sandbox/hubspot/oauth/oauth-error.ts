/** The errors of the sign-in endpoints, which contain the OAuth error code and HubSpot's older code. */

/** An error that rejects a sign-in with the status 400. */
export class OAuthError extends Error {
  override name = 'OAuthError';
  /** The OAuth error code, for example `invalid_grant`. */
  readonly error: string;
  /** HubSpot's older code, for example `BAD_REFRESH_TOKEN`. */
  readonly status: string;

  constructor(error: string, status: string, description: string) {
    super(description);
    this.error = error;
    this.status = status;
  }
}

/** Returns the body of the response to a rejected sign-in, with the members of OAuth errors and of HubSpot errors. */
export function oauthErrorBody({ error, status, message }: OAuthError, correlationId: string) {
  const category = 'VALIDATION_ERROR';
  return { error, error_description: message, status, message, category, correlationId };
}
