import { createHash } from 'node:crypto';
import { ConfigurationError } from '../src/core/errors.ts';

/** What goes along with the person instead of the PKCE verifier (RFC 7636, section 4.2, `S256`). */
export function codeChallengeOf(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url');
}

/** A consent is asked for where `crm.auth` holds all that a sign-in takes. */
export function consentNotWanted(authType: string): ConfigurationError {
  const message = `crm.auth of type ${authType} signs in by itself: nobody has to consent.`;
  return new ConfigurationError(message, { code: 'consent_not_wanted' });
}

/** The words of OAuth and of the CRMs that may stand in a message; any other may be a text. */
const OAUTH_WORDS: ReadonlySet<string> = new Set([
  ...[
    'access_denied',
    'inactive_org',
    'inactive_user',
    'interaction_required',
    'invalid_app_access',
  ],
  ...[
    'invalid_assertion_type',
    'invalid_client',
    'invalid_client_credentials',
    'invalid_client_id',
  ],
  ...['invalid_grant', 'invalid_grant_type', 'invalid_request', 'invalid_scope', 'invalid_token'],
  ...['login_required', 'rate_limit_exceeded', 'redirect_uri_mismatch', 'redirect_uri_missing'],
  ...[
    'server_error',
    'slow_down',
    'temporarily_unavailable',
    'unauthorized_client',
    'unknown_error',
  ],
  ...['unsupported_grant_type', 'unsupported_response_type', 'unsupported_token_type'],
  ...['BAD_AUTH_CODE', 'BAD_CLIENT_ID', 'BAD_CLIENT_SECRET', 'BAD_GRANT_TYPE', 'BAD_REDIRECT_URI'],
  ...['BAD_REFRESH_TOKEN', 'BAD_TOKEN', 'EXPIRED_AUTH_CODE', 'MISMATCH_REDIRECT_URI_AUTH_CODE'],
  ...['MISSING_AUTH_CODE', 'MISSING_CLIENT_ID', 'MISSING_CLIENT_SECRET', 'MISSING_REFRESH_TOKEN'],
  ...['OAUTH_APPROVAL_ERROR_GENERIC', 'OAUTH_APP_BLOCKED', 'OAUTH_AUTHORIZATION_BLOCKED'],
]);

/** A word of OAuth as a sign-in server or an address says it; `unknown_error` for any other text. */
export function oauthWord(word: string): string {
  return OAUTH_WORDS.has(word) || /^HTTP_\d{3}$/.test(word) ? word : 'unknown_error';
}
