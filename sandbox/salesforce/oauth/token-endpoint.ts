/**
 * The endpoint `/services/oauth2/token` and related endpoints. The endpoints sign users in, refresh tokens and sign
 * users out.
 */

import { createHmac } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { INTEGRATION_USER, ORG_ID } from '../metadata/setup-records.ts';
import type { ClientApp } from './client-app.ts';
import type { Codes } from './codes.ts';
import { readAssertion } from './jwt.ts';
import { OAuthError } from './oauth-error.ts';
import type { TokenGrant, Tokens } from './tokens.ts';

/** The objects that the endpoints need. */
export interface OAuthOptions {
  app: ClientApp;
  codes: Codes;
  tokens: Tokens;
  clock: () => number;
  /** True if each use of a refresh token returns a new token and invalidates the old token. */
  rotateRefreshTokens: boolean;
}

/** Returns the endpoints for `/services/oauth2`. */
export function tokenRoutes(options: OAuthOptions): Hono {
  const router = new Hono();
  router.post('/token', async (c) => {
    const form = await readForm(c);
    return c.json(tokenAnswer(c, options, signIn(c, options, form)), 200, {
      'Cache-Control': 'no-cache, no-store',
    });
  });
  router.on(['GET', 'POST'], '/revoke', async (c) => {
    const token = c.req.query('token') ?? (await readForm(c))['token'] ?? '';
    if (!options.tokens.revoke(token)) throw new OAuthError('invalid_token', 'invalid token');
    return c.body(null, 200);
  });
  router.post('/introspect', async (c) => {
    const form = await readForm(c);
    checkClient(c, options.app, form, 'required');
    return c.json(introspect(options, form['token'] ?? ''));
  });
  return router;
}

type Form = Partial<Record<string, string>>;

interface SignedIn extends TokenGrant {
  refreshToken?: string;
}

function signIn(c: Context, options: OAuthOptions, form: Form): SignedIn {
  switch (form['grant_type']) {
    case 'authorization_code':
      checkClient(c, options.app, form, 'optional');
      return redeemCode(options, form);
    case 'refresh_token':
      checkClient(c, options.app, form, 'optional');
      return refresh(options, form['refresh_token'] ?? '');
    case 'client_credentials':
      checkClient(c, options.app, form, 'required');
      return { user: INTEGRATION_USER, scope: 'api' };
    case 'urn:ietf:params:oauth:grant-type:jwt-bearer':
      return { user: readJwt(c, options, form), scope: 'api' };
    default:
      throw new OAuthError('unsupported_grant_type', 'grant type not supported');
  }
}

function redeemCode({ codes, tokens }: OAuthOptions, form: Form): SignedIn {
  const { user, scope } = codes.redeem(
    form['code'] ?? '',
    form['redirect_uri'] ?? '',
    form['code_verifier'] ?? '',
  );
  const isOffline = /\b(?:refresh_token|offline_access|full)\b/.test(scope);
  return {
    user,
    scope,
    ...(isOffline ? { refreshToken: tokens.issueRefresh({ user, scope }) } : {}),
  };
}

function refresh({ tokens, rotateRefreshTokens }: OAuthOptions, token: string): SignedIn {
  const grant = tokens.findRefresh(token);
  if (grant === undefined) throw new OAuthError('invalid_grant', 'expired access/refresh token');
  if (!rotateRefreshTokens) return grant;
  tokens.revoke(token);
  return { ...grant, refreshToken: tokens.issueRefresh(grant) };
}

function readJwt(c: Context, { app, clock }: OAuthOptions, form: Form) {
  return readAssertion(form['assertion'] ?? '', { app, origin: originOf(c), nowMs: clock() });
}

/**
 * Checks the app's credentials. An app without a secret omits it. If an app sends a secret, the secret must be correct.
 */
function checkClient(
  c: Context,
  app: ClientApp,
  form: Form,
  secretIs: 'required' | 'optional',
): void {
  const basic = readBasic(c.req.header('authorization'));
  const clientId = basic?.clientId ?? form['client_id'];
  const secret = basic?.secret ?? form['client_secret'];
  if (clientId !== app.clientId) {
    throw new OAuthError('invalid_client_id', 'client identifier invalid');
  }
  const isSilent = secret === undefined && secretIs === 'optional';
  if (!isSilent && secret !== app.clientSecret) {
    throw new OAuthError('invalid_client', 'invalid client credentials');
  }
}

function readBasic(header: string | undefined): { clientId: string; secret: string } | undefined {
  const encoded = /^Basic (.+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [clientId = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { clientId, secret };
}

/** Returns the response. Like Salesforce's response, it does not contain `expires_in`. */
function tokenAnswer(c: Context, { app, tokens, clock }: OAuthOptions, signedIn: SignedIn) {
  const origin = originOf(c);
  const id = `${origin}/id/${ORG_ID}/${signedIn.user.id}`;
  const issuedAt = String(clock());
  return {
    access_token: tokens.issueAccess(signedIn),
    ...(signedIn.refreshToken === undefined ? {} : { refresh_token: signedIn.refreshToken }),
    signature: createHmac('sha256', app.clientSecret)
      .update(id + issuedAt)
      .digest('base64'),
    scope: signedIn.scope,
    instance_url: origin,
    id,
    token_type: 'Bearer',
    issued_at: issuedAt,
  };
}

function introspect({ tokens, app }: OAuthOptions, token: string) {
  const grant = tokens.findAccess(token) ?? tokens.findRefresh(token);
  if (grant === undefined) return { active: false };
  const { user, scope } = grant;
  return { active: true, scope, client_id: app.clientId, username: user.username, sub: user.id };
}

async function readForm(c: Context): Promise<Form> {
  const body = await c.req.parseBody();
  return Object.fromEntries(
    Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Returns the address to which the client sent its request. The address may differ from the org's own address. */
export function originOf(c: Context): string {
  return new URL(c.req.url).origin;
}
