/** Describes tokens for the introspection endpoint and for older endpoints. */

import { createHmac } from 'node:crypto';
import { OWNER } from '../account/account.ts';
import type { FoundToken } from '../requests/tokens.ts';
import type { ClientApp } from './client-app.ts';

/** The objects that the descriptions need. */
export interface TokenInfoOptions {
  app: ClientApp;
  portalId: number;
  clock: () => number;
}

/** Describes an access token in the form of `/oauth/v1/access-tokens`. */
export function accessTokenInfo(options: TokenInfoOptions, token: string, found: FoundToken) {
  return {
    token,
    ...installation(options),
    scopes: found.listedScopes,
    signed_access_token: signedAccessToken(options, token, found),
    app_id: found.appId,
    is_private_distribution: false,
    expires_in: secondsLeft(options, found),
    token_type: 'access',
  };
}

/** Describes a refresh token as `/oauth/v1/refresh-tokens` returns it. */
export function refreshTokenInfo(
  options: TokenInfoOptions,
  token: string,
  scopes: readonly string[],
) {
  const { clientId } = options.app;
  return { token, ...installation(options), client_id: clientId, scopes, token_type: 'refresh' };
}

function installation({ portalId }: TokenInfoOptions) {
  const hubDomain = OWNER.email.replace(/^.*@/, '');
  return { user: OWNER.email, hub_domain: hubDomain, hub_id: portalId, user_id: OWNER.userId };
}

function secondsLeft({ clock }: TokenInfoOptions, { expiresAtMs }: FoundToken): number {
  return expiresAtMs === null ? 0 : Math.max(0, Math.floor((expiresAtMs - clock()) / 1000));
}

/**
 * Returns a signed access token. Some apps check such tokens without a request to HubSpot. No app in this sandbox does
 * this.
 */
function signedAccessToken(options: TokenInfoOptions, token: string, found: FoundToken) {
  const signature = createHmac('sha256', options.app.clientSecret).update(token).digest('base64');
  const scopes = found.listedScopes.join(' ');
  return {
    expiresAt: found.expiresAtMs ?? 0,
    scopes,
    hubId: options.portalId,
    userId: OWNER.userId,
    appId: found.appId,
    signature,
    newSignature: signature,
    scopeToScopeGroupPks: '',
    trialScopes: '',
    trialScopeToScopeGroupPks: '',
    hublet: 'na1',
    audience: 'external',
    appInstallId: `${options.portalId}-${found.appId}`,
    installingUserId: OWNER.userId,
    isPrivateDistribution: false,
    isServiceAccount: false,
    isUserLevel: false,
  };
}
