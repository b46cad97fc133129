/** Authorization codes. A code can be used only once, and only within a few minutes. */

import { createHash } from 'node:crypto';
import { toUuid } from './client-app.ts';
import { OAuthError } from './oauth-error.ts';

const LIFETIME_MS = 600_000;

/** The data that belongs to a code. */
export interface CodeGrant {
  scopes: readonly string[];
  redirectUri: string;
  /** The PKCE challenge (SHA-256, base64url), or undefined if the app does not use PKCE. */
  challenge: string | undefined;
}

export interface Codes {
  issue(grant: CodeGrant): string;
  /** Exchanges a code. Throws an OAuthError if the code, the redirect URI or the verifier is wrong. */
  redeem(code: string, redirectUri: string, verifier: string | undefined): CodeGrant;
}

/**
 * Creates an empty collection. Codes are not stored on the disk, because no sign-in is in progress when a sandbox
 * starts.
 */
export function createCodes(clock: () => number, createSecret: () => string): Codes {
  const codes = new Map<string, CodeGrant & { expiresAtMs: number }>();
  return {
    issue(grant) {
      const code = `na1-${toUuid(createSecret())}`;
      codes.set(code, { ...grant, expiresAtMs: clock() + LIFETIME_MS });
      return code;
    },
    redeem(code, redirectUri, verifier) {
      const grant = codes.get(code);
      codes.delete(code);
      if (grant === undefined) {
        throw new OAuthError('invalid_grant', 'BAD_AUTH_CODE', 'missing or unknown auth code');
      }
      if (grant.expiresAtMs <= clock()) {
        throw new OAuthError('invalid_grant', 'EXPIRED_AUTH_CODE', 'auth code is expired');
      }
      checkGrant(grant, redirectUri, verifier);
      return grant;
    },
  };
}

function checkGrant(grant: CodeGrant, redirectUri: string, verifier: string | undefined): void {
  if (grant.redirectUri !== redirectUri) {
    throw new OAuthError(
      'invalid_grant',
      'MISMATCH_REDIRECT_URI_AUTH_CODE',
      'redirect uri does not match the one the auth code was issued for',
    );
  }
  const challenge = verifier === undefined ? undefined : challengeOf(verifier);
  if (challenge !== grant.challenge) {
    throw new OAuthError('invalid_grant', 'BAD_CODE_VERIFIER', 'missing or invalid code verifier');
  }
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
