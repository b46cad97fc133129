import { z } from 'zod';
import { ConfigurationError, RetriableError } from '../../../src/core/errors.ts';
import { foreignText } from '../../../src/core/foreign-text.ts';
import { codeChallengeOf, oauthWord } from '../../consent.ts';
import { parseJson } from '../../json.ts';
import { SIGN_IN_MEND } from '../errors.ts';
import type { Exchange, TextReply } from '../exchange.ts';
import { OAUTH_PATHS } from '../paths.ts';

/** The app that signs in. */
export interface OAuthClient {
  clientId: string;
  clientSecret: string;
}

/** What the token endpoint gives (CRM facts, section B3). */
export interface TokenGrant {
  accessToken: string;
  refreshToken: string | null;
  /** Seconds from now until the access token ends. */
  expiresInSeconds: number;
  /** The account; null if the answer does not say. */
  hubId: string | null;
  /** Null if the answer does not say. */
  scopes: readonly string[] | null;
}

/** What is known of a token. */
export interface TokenFacts {
  isActive: boolean;
  hubId: string | null;
  scopes: readonly string[];
}

export interface Authorization {
  /** The `crm.url` of the settings. */
  url: string;
  clientId: string;
  /** One that HubSpot knows of the app. */
  redirectUri: string;
  scopes: readonly string[];
  optionalScopes?: readonly string[];
  /** Unguessable, and compared when the person comes back. */
  state: string;
  /** Kept until then, and shown only to the token endpoint (RFC 7636); at least 43 characters. */
  codeVerifier: string;
}

/** Where somebody with rights in the account lets donor-sync in. */
export function authorizeUrl(authorization: Authorization): string {
  const { clientId, redirectUri, scopes, optionalScopes = [], state, codeVerifier } = authorization;
  const url = new URL('/oauth/authorize', screensOf(authorization.url));
  const query: [string, string][] = [
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ['scope', scopes.join(' ')],
    ['optional_scope', optionalScopes.join(' ')],
    ['state', state],
    ['code_challenge', codeChallengeOf(codeVerifier)],
    ['code_challenge_method', 'S256'],
    ['response_type', 'code'],
  ];
  for (const [name, value] of query) if (value !== '') url.searchParams.set(name, value);
  return url.href;
}

/** The screens have a host of their own; a stand-in has one for all. */
function screensOf(url: string): string {
  const { hostname, origin } = new URL(url);
  return /(^|\.)hubapi\.com$/.test(hostname) ? 'https://app.hubspot.com' : origin;
}

/** The grant for the code with which somebody came back from `authorizeUrl`. */
export function exchangeCode(
  exchange: Exchange,
  client: OAuthClient,
  { code, redirectUri, codeVerifier }: { code: string; redirectUri: string; codeVerifier: string },
): Promise<TokenGrant> {
  return askForToken(exchange, client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  });
}

/** A new access token; the refresh token beside it may be another one than before. */
export function refreshToken(
  exchange: Exchange,
  client: OAuthClient,
  token: string,
): Promise<TokenGrant> {
  return askForToken(exchange, client, { grant_type: 'refresh_token', refresh_token: token });
}

const factsSchema = z.object({
  active: z.boolean().optional(),
  hub_id: z.number().optional(),
  scopes: z.array(z.string()).optional(),
});

/** What HubSpot knows of a token, its own or somebody else's. */
export async function introspectToken(
  exchange: Exchange,
  client: OAuthClient,
  token: string,
  hint: 'access_token' | 'refresh_token',
): Promise<TokenFacts> {
  const form = { ...credentials(client), token, token_type_hint: hint };
  const reply = await exchange.send({ method: 'POST', path: OAUTH_PATHS.introspect, form });
  const facts = factsSchema.safeParse(bodyOf(reply, 'tell of a token')).data ?? {};
  return {
    isActive: facts.active ?? facts.hub_id !== undefined,
    hubId: facts.hub_id === undefined ? null : String(facts.hub_id),
    scopes: facts.scopes ?? [],
  };
}

/** Makes a token worthless, for example when an account is disconnected. */
export async function revokeToken(
  exchange: Exchange,
  client: OAuthClient,
  token: string,
  hint: 'access_token' | 'refresh_token',
): Promise<void> {
  const form = { ...credentials(client), token, token_type_hint: hint };
  const reply = await exchange.send({ method: 'POST', path: OAUTH_PATHS.revoke, form });
  if (reply.status >= 300) bodyOf(reply, 'revoke a token');
}

const grantSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number(),
  hub_id: z.number().optional(),
  scopes: z.array(z.string()).optional(),
});

async function askForToken(
  exchange: Exchange,
  client: OAuthClient,
  wanted: Readonly<Record<string, string>>,
): Promise<TokenGrant> {
  const form = { ...wanted, ...credentials(client) };
  const reply = await exchange.send({ method: 'POST', path: OAUTH_PATHS.token, form });
  const grant = grantSchema.safeParse(bodyOf(reply, 'sign the integration in')).data;
  if (grant === undefined) throw unreadable();
  return {
    accessToken: grant.access_token,
    refreshToken: grant.refresh_token ?? null,
    expiresInSeconds: grant.expires_in,
    hubId: grant.hub_id === undefined ? null : String(grant.hub_id),
    scopes: grant.scopes ?? null,
  };
}

function credentials({ clientId, clientSecret }: OAuthClient) {
  return { client_id: clientId, client_secret: clientSecret };
}

const refusalSchema = z.object({
  error: z.string().optional(),
  status: z.string().optional(),
  error_description: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

/** The body of a good answer. Throws a ConfigurationError that says why the endpoint refuses. */
function bodyOf({ status, text }: TextReply, what: string): unknown {
  const body = parseJson(text);
  if (status < 300) return body;
  const refusal = refusalSchema.safeParse(body).data ?? {};
  const error = oauthWord(refusal.error ?? `HTTP_${status}`);
  const word = refusal.status === undefined ? error : oauthWord(refusal.status);
  const fix = MENDS[word] ?? MENDS[error] ?? SIGN_IN_MEND;
  const message = `HubSpot refuses to ${what} (${word}). ${fix}`;
  const words = foreignText(refusal.error_description ?? refusal.message, { code: word });
  throw new ConfigurationError(message, { code: 'crm_unauthorized', details: { word }, words });
}

/** What helps against the usual refusals. */
const MENDS: Readonly<Record<string, string>> = {
  BAD_REFRESH_TOKEN: 'The refresh token is no longer valid: connect the account again.',
  BAD_AUTH_CODE: 'The code was used already, or is too old: connect the account again.',
  BAD_CLIENT_ID: 'No app has this crm.auth.clientId.',
  BAD_CLIENT_SECRET: 'crm.auth.clientSecret does not belong to crm.auth.clientId.',
  invalid_grant: 'What was granted is no longer valid: connect the account again.',
  invalid_client: 'crm.auth.clientId and crm.auth.clientSecret do not belong together.',
};

function unreadable(): RetriableError {
  return new RetriableError(
    'HubSpot could not be asked to sign the integration in: the answer is none of a token endpoint. Trying again later will help.',
    { code: 'crm_unavailable' },
  );
}
