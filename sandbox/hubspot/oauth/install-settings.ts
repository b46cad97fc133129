/** The settings of the app and its installation that can change while the sandbox runs. */

import { z } from 'zod';
import { isOnThisMachine } from '../../crm/this-machine.ts';

/**
 * The settings, as `PUT /_sandbox/oauth` accepts them. A setting that is left out stays unchanged.
 */
export const installSettingsSchema = z.strictObject({
  /** The app's registered redirect URLs. Null, the initial value, means any URL on this machine. */
  redirectUris: z.array(z.url()).nullable().optional(),
  /** Scopes that the account cannot grant. They are missing from every token issued from now on. */
  withheldScopes: z.array(z.string()).optional(),
  /** True if each use of a refresh token returns a new one and invalidates the old one. */
  rotateRefreshTokens: z.boolean().optional(),
});

/** The current settings. */
export interface InstallSettings {
  redirectUris: readonly string[] | null;
  withheldScopes: readonly string[];
  rotateRefreshTokens: boolean;
}

/** True if the app can be redirected to this address. */
export function isRegistered(redirectUri: string, { redirectUris }: InstallSettings): boolean {
  if (redirectUris !== null) return redirectUris.includes(redirectUri);
  return isOnThisMachine(redirectUri);
}

/** Returns the scopes granted to an app, from the scopes that it requests. */
export function grantableScopes(
  asked: readonly string[],
  { withheldScopes }: InstallSettings,
): string[] {
  return [...new Set(['oauth', ...asked])].filter((scope) => !withheldScopes.includes(scope));
}
