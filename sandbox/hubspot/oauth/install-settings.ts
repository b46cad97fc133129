/** Settings of the app and its installation that can change while the sandbox runs. */

import { z } from 'zod';
import { isOnThisMachine } from '../../crm/this-machine.ts';

/** The settings as `PUT /_sandbox/oauth` accepts them. An omitted setting stays unchanged. */
export const installSettingsSchema = z.strictObject({
  /** The redirect URLs that are registered for the app. Null, the initial value, allows any URL on this machine. */
  redirectUris: z.array(z.url()).nullable().optional(),
  /** Scopes that the account does not grant. Tokens that are issued from now on do not have them. */
  withheldScopes: z.array(z.string()).optional(),
  /** True if each use of a refresh token returns a new token and invalidates the old one. */
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

/** Returns the scopes that an app is granted, out of the scopes that it requests. */
export function grantableScopes(
  asked: readonly string[],
  { withheldScopes }: InstallSettings,
): string[] {
  return [...new Set(['oauth', ...asked])].filter((scope) => !withheldScopes.includes(scope));
}
