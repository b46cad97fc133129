/** Settings of the app and of its installation, which a test can change while the sandbox is running. */

import { z } from 'zod';
import { isOnThisMachine } from '../../crm/this-machine.ts';

/** The settings that `PUT /_sandbox/oauth` accepts. An omitted setting stays unchanged. */
export const installSettingsSchema = z.strictObject({
  /**
   * The redirect URLs that are registered for the app. Null allows all URLs on this machine, and it is the initial
   * value.
   */
  redirectUris: z.array(z.url()).nullable().optional(),
  /** Scopes that the account refuses to grant, and that new tokens therefore do not have. */
  withheldScopes: z.array(z.string()).optional(),
  /** True if each use of a refresh token returns a new refresh token and invalidates the used token. */
  rotateRefreshTokens: z.boolean().optional(),
});

export interface InstallSettings {
  redirectUris: readonly string[] | null;
  withheldScopes: readonly string[];
  rotateRefreshTokens: boolean;
}

/** Returns true if the app can receive redirects at this address. */
export function isRegistered(redirectUri: string, { redirectUris }: InstallSettings): boolean {
  if (redirectUris !== null) return redirectUris.includes(redirectUri);
  return isOnThisMachine(redirectUri);
}

/** Returns the requested scopes that the account grants. */
export function grantableScopes(
  asked: readonly string[],
  { withheldScopes }: InstallSettings,
): string[] {
  return [...new Set(['oauth', ...asked])].filter((scope) => !withheldScopes.includes(scope));
}
