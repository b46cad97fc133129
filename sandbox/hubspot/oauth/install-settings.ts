/** What may be changed about the app and its installation while the sandbox runs. */

import { z } from 'zod';
import { isOnThisMachine } from '../../crm/this-machine.ts';

/** The settings, as `PUT /_sandbox/oauth` takes them; what is left out stays. */
export const installSettingsSchema = z.strictObject({
  /** The app's registered redirect URLs; null, as at first, means any on this machine. */
  redirectUris: z.array(z.url()).nullable().optional(),
  /** Scopes that the account cannot give: they are missing from every token issued from now on. */
  withheldScopes: z.array(z.string()).optional(),
  /** Whether each use of a refresh token gives a new one and ends the old one. */
  rotateRefreshTokens: z.boolean().optional(),
});

/** The settings in force. */
export interface InstallSettings {
  redirectUris: readonly string[] | null;
  withheldScopes: readonly string[];
  rotateRefreshTokens: boolean;
}

/** Whether the app may be answered at this address. */
export function isRegistered(redirectUri: string, { redirectUris }: InstallSettings): boolean {
  if (redirectUris !== null) return redirectUris.includes(redirectUri);
  return isOnThisMachine(redirectUri);
}

/** The scopes that an app gets of those it asks for. */
export function grantableScopes(
  asked: readonly string[],
  { withheldScopes }: InstallSettings,
): string[] {
  return [...new Set(['oauth', ...asked])].filter((scope) => !withheldScopes.includes(scope));
}
