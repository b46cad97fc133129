/** What the sign-in endpoints refuse: OAuth's words beside HubSpot's older ones. */

/** Refuses a sign-in with status 400. */
export class OAuthError extends Error {
  override name = 'OAuthError';
  /** OAuth's word, for example `invalid_grant`. */
  readonly error: string;
  /** HubSpot's own word, for example `BAD_REFRESH_TOKEN`. */
  readonly status: string;

  constructor(error: string, status: string, description: string) {
    super(description);
    this.error = error;
    this.status = status;
  }
}

/** The body of a refused sign-in: what OAuth has, and what every error of HubSpot has. */
export function oauthErrorBody({ error, status, message }: OAuthError, correlationId: string) {
  const category = 'VALIDATION_ERROR';
  return { error, error_description: message, status, message, category, correlationId };
}
