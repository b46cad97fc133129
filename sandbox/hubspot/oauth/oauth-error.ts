/** The errors of the sign-in endpoints. They contain OAuth's error codes and HubSpot's older codes. */

/** An error that rejects a sign-in with status 400. */
export class OAuthError extends Error {
  override name = 'OAuthError';
  /** OAuth's code, for example `invalid_grant`. */
  readonly error: string;
  /** HubSpot's own code, for example `BAD_REFRESH_TOKEN`. */
  readonly status: string;

  constructor(error: string, status: string, description: string) {
    super(description);
    this.error = error;
    this.status = status;
  }
}

/**
 * Returns the body of the response to a rejected sign-in, with OAuth's fields and the fields of every HubSpot error.
 */
export function oauthErrorBody({ error, status, message }: OAuthError, correlationId: string) {
  const category = 'VALIDATION_ERROR';
  return { error, error_description: message, status, message, category, correlationId };
}
