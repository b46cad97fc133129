/** The endpoint `/oauth/{version}/token` and similar endpoints, which issue, refresh and revoke tokens. */

import type { Context, Hono } from 'hono';
import { OWNER } from '../account/account.ts';
import { HubspotError } from '../core/errors.ts';
import { createRouter, type HubspotEnv } from '../requests/context.ts';
import type { FoundToken, Tokens } from '../requests/tokens.ts';
import type { Codes } from './codes.ts';
import { grantableScopes, type InstallSettings } from './install-settings.ts';
import { OAuthError, oauthErrorBody } from './oauth-error.ts';
import type { RefreshTokens } from './refresh-tokens.ts';
import { accessTokenInfo, refreshTokenInfo, type TokenInfoOptions } from './token-info.ts';

/** The objects that the endpoints need. */
export interface TokenEndpointOptions extends TokenInfoOptions {
  codes: Codes;
  tokens: Tokens;
  refreshTokens: RefreshTokens;
  settings: InstallSettings;
  /** The lifetime of an access token (ms). With the lifetime 0, the token never expires. */
  tokenLifetimeMs: number;
}

/** Returns the routes that issue, refresh and revoke tokens under `/oauth`. */
export function tokenRoutes(options: TokenEndpointOptions): Hono<HubspotEnv> {
  const router = createRouter();
  for (const version of VERSIONS) {
    router.post(`/${version}/token`, async (c) => giveTokens(c, options, await readForm(c)));
    router.post(`/${version}/token/introspect`, async (c) => {
      const form = await readForm(c);
      checkClient(options, form);
      return c.json(introspect(options, form['token'] ?? ''), 200, NOT_STORED);
    });
    router.post(`/${version}/token/revoke`, async (c) => {
      const form = await readForm(c);
      checkClient(options, form);
      revoke(options, form['token'] ?? '');
      return c.body(null, 200);
    });
  }
  addFirstVersion(router, options);
  router.onError((error, c) => {
    if (!(error instanceof OAuthError)) throw error;
    return c.json(oauthErrorBody(error, c.var.correlationId), 400, NOT_STORED);
  });
  return router;
}

const VERSIONS = ['v3', '2026-03', '2026-09'];
const NOT_STORED = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };
const DEFAULT_LIFETIME_SECONDS = 1800;

type Form = Partial<Record<string, string>>;

/**
 * Adds the endpoints with the old paths, which HubSpot will remove in February 2027. The old paths can contain secrets.
 */
function addFirstVersion(router: Hono<HubspotEnv>, options: TokenEndpointOptions): void {
  router.post('/v1/token', async (c) =>
    giveTokens(c, options, { ...c.req.query(), ...(await readForm(c)) }),
  );
  router.get('/v1/access-tokens/:token', (c) => {
    const token = c.req.param('token');
    const found = findAccessToken(options, token);
    if (found === undefined) throw unknownToken('access');
    return c.json(accessTokenInfo(options, token, found));
  });
  router.get('/v1/refresh-tokens/:token', (c) => {
    const token = c.req.param('token');
    const scopes = options.refreshTokens.find(token);
    if (scopes === undefined) throw unknownToken('refresh');
    return c.json(refreshTokenInfo(options, token, scopes));
  });
  router.delete('/v1/refresh-tokens/:token', (c) => {
    if (!options.refreshTokens.revoke(c.req.param('token'))) throw unknownToken('refresh');
    return c.body(null, 204);
  });
}

/** Finds an access token that belongs to the app. Tokens of private apps are not found. */
function findAccessToken({ tokens }: TokenEndpointOptions, token: string): FoundToken | undefined {
  const found = tokens.findToken(token);
  return found?.kind === 'oauth' && !found.isExpired ? found : undefined;
}

function unknownToken(kind: 'access' | 'refresh'): HubspotError {
  return new HubspotError(404, 'OBJECT_NOT_FOUND', `missing or unknown ${kind} token`);
}

interface SignedIn {
  scopes: readonly string[];
  refreshToken: string;
}

function giveTokens(c: Context, options: TokenEndpointOptions, form: Form): Response {
  const { scopes, refreshToken } = signIn(options, form);
  const { tokens, tokenLifetimeMs, app, portalId } = options;
  const grant = { kind: 'oauth', appId: app.appId, userId: OWNER.userId, scopes } as const;
  const body = {
    token_type: 'bearer',
    refresh_token: refreshToken,
    access_token: tokens.issue(grant, { lifetimeMs: tokenLifetimeMs }),
    hub_id: portalId,
    scopes: tokens.listedScopes(scopes),
    user_id: OWNER.userId,
    expires_in:
      tokenLifetimeMs === 0 ? DEFAULT_LIFETIME_SECONDS : Math.ceil(tokenLifetimeMs / 1000),
    token_use: 'access_token',
  };
  return c.json(body, 200, NOT_STORED);
}

function signIn(options: TokenEndpointOptions, form: Form): SignedIn {
  switch (form['grant_type']) {
    case 'authorization_code':
      checkClient(options, form);
      return redeemCode(options, form);
    case 'refresh_token':
      checkClient(options, form);
      return refresh(options, form['refresh_token'] ?? '');
    default:
      throw new OAuthError(
        'unsupported_grant_type',
        'BAD_GRANT_TYPE',
        'missing or unknown grant type',
      );
  }
}

function redeemCode({ codes, refreshTokens }: TokenEndpointOptions, form: Form): SignedIn {
  const code = form['code'] ?? '';
  const { scopes } = codes.redeem(code, form['redirect_uri'] ?? '', form['code_verifier']);
  return { scopes, refreshToken: refreshTokens.issue(scopes) };
}

/** Issues a new access token. The new token does not have scopes that the account has stopped granting. */
function refresh({ refreshTokens, settings }: TokenEndpointOptions, token: string): SignedIn {
  const granted = refreshTokens.find(token);
  if (granted === undefined) {
    throw new OAuthError(
      'invalid_grant',
      'BAD_REFRESH_TOKEN',
      'refresh token is invalid, expired or revoked',
    );
  }
  const scopes = grantableScopes(granted, settings);
  if (!settings.rotateRefreshTokens) return { scopes, refreshToken: token };
  refreshTokens.revoke(token);
  return { scopes, refreshToken: refreshTokens.issue(granted) };
}

function checkClient({ app }: TokenEndpointOptions, form: Form): void {
  if (form['client_id'] !== app.clientId) {
    throw new OAuthError('invalid_client', 'BAD_CLIENT_ID', 'missing or unknown client id');
  }
  if (form['client_secret'] !== app.clientSecret) {
    throw new OAuthError('invalid_client', 'BAD_CLIENT_SECRET', 'missing or invalid client secret');
  }
}

function introspect(options: TokenEndpointOptions, token: string) {
  const { appId, clientId } = options.app;
  const found = findAccessToken(options, token);
  if (found !== undefined) {
    const info = accessTokenInfo(options, token, found);
    return { ...info, active: true, client_id: clientId, token_use: 'access_token' };
  }
  const scopes = options.refreshTokens.find(token);
  if (scopes === undefined) return { active: false };
  const info = refreshTokenInfo(options, token, scopes);
  return { ...info, active: true, app_id: appId, token_use: 'refresh_token' };
}

/** Revokes a refresh token. Access tokens that come from it stay valid until they expire. */
function revoke({ tokens, refreshTokens }: TokenEndpointOptions, token: string): void {
  if (!refreshTokens.revoke(token)) tokens.revoke(token);
}

async function readForm(c: Context): Promise<Form> {
  const body = await c.req.parseBody();
  return Object.fromEntries(
    Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
