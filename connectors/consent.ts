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
