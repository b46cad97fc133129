/** Authorization codes. A code can be used only once, and only within a quarter of an hour. */

import { createHash } from 'node:crypto';
import { OAuthError } from './oauth-error.ts';
import type { TokenGrant } from './tokens.ts';

const LIFETIME_MS = 900_000;

/** The data that belongs to a code. */
export interface CodeGrant extends TokenGrant {
  redirectUri: string;
  /** The PKCE challenge (SHA-256, base64url). */
  challenge: string;
}

/** The codes of an org. */
export interface Codes {
  issue(grant: CodeGrant): string;
  /** Exchanges a code. Throws an OAuthError if the code, the redirect URI or the verifier is wrong. */
  redeem(code: string, redirectUri: string, verifier: string): CodeGrant;
}

/**
 * Creates an empty collection. Codes are not stored on the disk, because no sign-in is in progress when a sandbox
 * starts.
 */
export function createCodes(clock: () => number, createSecret: () => string): Codes {
  const codes = new Map<string, CodeGrant & { expiresAtMs: number; used: boolean }>();
  return {
    issue(grant) {
      // Real codes also end with `==`, which must be escaped in URLs.
      const code = `aPrx${createSecret()}==`;
      codes.set(code, { ...grant, expiresAtMs: clock() + LIFETIME_MS, used: false });
      return code;
    },
    redeem(code, redirectUri, verifier) {
      const grant = codes.get(code);
      if (grant === undefined) throw new OAuthError('invalid_grant', 'invalid authorization code');
      if (grant.used || grant.expiresAtMs <= clock()) {
        throw new OAuthError('invalid_grant', 'expired authorization code');
      }
      grant.used = true;
      if (grant.redirectUri !== redirectUri) {
        throw new OAuthError('redirect_uri_mismatch', 'redirect_uri must match configuration');
      }
      if (challengeOf(verifier) !== grant.challenge) {
        throw new OAuthError('invalid_grant', 'invalid code verifier');
      }
      return grant;
    },
  };
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
