import type { WallClock } from '../../../src/core/clock.ts';
import { createExchange } from '../exchange.ts';
import { createPacer } from '../pacer.ts';
import {
  type Authorization,
  authorizeUrl,
  exchangeCode,
  introspectToken,
  type OAuthClient,
  refreshToken,
  revokeToken,
  type TokenFacts,
  type TokenGrant,
} from './oauth.ts';
import { SCOPE_NEEDS } from './scopes.ts';

/** Which of the two tokens of a grant it is. */
export type TokenHint = 'access_token' | 'refresh_token';

/**
 * An app's OAuth with HubSpot, for whoever connects accounts; a connector does without. What it is
 * refused is a ConfigurationError with code `crm_unauthorized`. A refresh token that somebody
 * brings is kept under `refreshTokenSecret` for the connector to find.
 */
export interface HubspotOAuth {
  /** Where to send the person; the scopes are those that donor-sync makes use of. */
  authorizeUrl(request: Pick<Authorization, 'redirectUri' | 'state' | 'codeVerifier'>): string;
  exchangeCode(reply: {
    code: string;
    redirectUri: string;
    codeVerifier: string;
  }): Promise<TokenGrant>;
  refresh(token: string): Promise<TokenGrant>;
  introspect(token: string, hint: TokenHint): Promise<TokenFacts>;
  revoke(token: string, hint: TokenHint): Promise<void>;
  close(): void;
}

export interface OAuthOptions extends OAuthClient {
  /** The `crm.url` of the settings. */
  url: string;
  clock: WallClock;
  signal: AbortSignal;
  /** From 0 up to 1. */
  random: () => number;
}

/** Opens nothing yet. */
export function createHubspotOAuth(options: OAuthOptions): HubspotOAuth {
  const { url, clientId, clientSecret, clock, signal, random } = options;
  const client = { clientId, clientSecret };
  const exchange = createExchange({
    url,
    clock,
    signal,
    random,
    pacer: createPacer(null),
    keepsNamedLimit: false,
    onCall() {},
    noteAnswer() {},
  });
  return {
    authorizeUrl: (request) => consentPage({ url, clientId }, request),
    exchangeCode: (reply) => exchangeCode(exchange, client, reply),
    refresh: (token) => refreshToken(exchange, client, token),
    introspect: (token, hint) => introspectToken(exchange, client, token, hint),
    revoke: (token, hint) => revokeToken(exchange, client, token, hint),
    close: () => exchange.close(),
  };
}

/** Where to send the person; the scopes are those that donor-sync makes use of. */
export function consentPage(
  app: Pick<Authorization, 'url' | 'clientId'>,
  request: Pick<Authorization, 'redirectUri' | 'state' | 'codeVerifier'>,
): string {
  const [needed, ...optionalScopes] = SCOPE_NEEDS.map(({ scope }) => scope);
  const scopes = ['oauth', ...(needed === undefined ? [] : [needed])];
  return authorizeUrl({ ...app, ...request, scopes, optionalScopes });
}
