import { z } from 'zod';
import type { WallClock } from '../../../src/core/clock.ts';
import { ConfigurationError, RetriableError } from '../../../src/core/errors.ts';
import { parseJson, type SendRequest } from '../../../src/outbound/exchange.ts';
import { formRequest, refusalIn, toCodeChallenge } from '../../../src/outbound/sign-in.ts';
import type { ConsentReply, ConsentRequest } from '../../contract.ts';
import type { CrmExchange } from '../../requests/exchange.ts';
import { SIGN_IN_FIX } from '../errors.ts';
import { createExchange } from '../exchange.ts';
import { OAUTH_PATHS } from '../paths.ts';
import { scopeNeeds } from './scopes.ts';

/** The app that signs in, and the `crm.url` of the settings. */
export interface OAuthClient {
  url: string;
  clientId: string;
  clientSecret: string;
}

/** The response of the token endpoint (CRM facts, section B3). */
export interface TokenGrant {
  accessToken: string;
  refreshToken: string | null;
  /** The number of seconds until the access token expires. */
  expiresInSeconds: number;
  /** The account, or null if the response does not name it. */
  hubId: string | null;
  /** The granted scopes, or null if the response does not list them. */
  scopes: readonly string[] | null;
}

/** The facts that HubSpot reports about a token. */
export interface TokenFacts {
  isActive: boolean;
  hubId: string | null;
  scopes: readonly string[];
}

export type TokenHint = 'access_token' | 'refresh_token';

/**
 * The requests of HubSpot's OAuth API. A connector uses only the request `refresh`. If HubSpot refuses a token, a
 * method throws a ConfigurationError (`crm_unauthorized`). When a user gives consent, the refresh token is stored under
 * `refreshTokenSecret`. The connector reads the refresh token from this secret.
 */
export interface HubspotOAuth {
  authorizeUrl(request: ConsentRequest): string;
  exchangeCode(reply: ConsentReply): Promise<TokenGrant>;
  refresh(token: string): Promise<TokenGrant>;
  introspect(token: string, hint: TokenHint): Promise<TokenFacts>;
  revoke(token: string, hint: TokenHint): Promise<void>;
  close(): void;
}

export interface OAuthOptions extends OAuthClient {
  fetch: SendRequest;
  clock: WallClock;
  signal: AbortSignal;
  /** Returns a random number from 0 up to 1. */
  random: () => number;
}

/** Creates the client without sending a request. */
export function createHubspotOAuth(options: OAuthOptions): HubspotOAuth {
  const { url, clientId, clientSecret, ...world } = options;
  const client = { url, clientId, clientSecret };
  const exchange = createExchange({ ...world, onCall() {}, noteAnswer() {} });
  return {
    authorizeUrl: (request) => consentPage(client, request),
    exchangeCode: ({ code, redirectUri, codeVerifier }) =>
      askForToken(exchange.send, client, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      }),
    refresh: (token) => refreshToken(exchange.send, client, token),
    async introspect(token, hint) {
      const form = { token, token_type_hint: hint };
      const reply = await post(
        exchange.send,
        client,
        OAUTH_PATHS.introspect,
        form,
        'describe a token',
      );
      const facts = factsSchema.safeParse(reply).data ?? {};
      return {
        isActive: facts.active ?? facts.hub_id !== undefined,
        hubId: facts.hub_id === undefined ? null : String(facts.hub_id),
        scopes: facts.scopes ?? [],
      };
    },
    async revoke(token, hint) {
      const form = { token, token_type_hint: hint };
      await post(exchange.send, client, OAUTH_PATHS.revoke, form, 'revoke a token');
    },
    close: () => exchange.close(),
  };
}

/** The app, and the additional scopes that it requests. */
export interface ConsentClient extends Pick<OAuthClient, 'url' | 'clientId'> {
  sensitiveData?: boolean | undefined;
  moreScopes?: readonly string[] | undefined;
}

export function consentPage(
  { url, clientId, sensitiveData = false, moreScopes = [] }: ConsentClient,
  { redirectUri, state, codeVerifier }: ConsentRequest,
): string {
  const [needed, ...optional] = scopeNeeds({ sensitiveData }).map(({ scope }) => scope);
  const page = new URL('/oauth/authorize', getScreensUrl(url));
  page.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: `oauth ${needed}`,
    optional_scope: [...new Set([...optional, ...moreScopes])].join(' '),
    state,
    code_challenge: toCodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    response_type: 'code',
  }).toString();
  return page.href;
}

/**
 * Returns the address of HubSpot's pages, which have a different host than the API. A sandbox uses one host for both
 * its pages and its API.
 */
function getScreensUrl(url: string): string {
  const { hostname, origin } = new URL(url);
  return /(^|\.)hubapi\.com$/.test(hostname) ? 'https://app.hubspot.com' : origin;
}

/** Requests a new access token. The response may contain a new refresh token. */
export function refreshToken(
  send: CrmExchange['send'],
  client: OAuthClient,
  token: string,
): Promise<TokenGrant> {
  return askForToken(send, client, { grant_type: 'refresh_token', refresh_token: token });
}

const factsSchema = z.object({
  active: z.boolean().optional(),
  hub_id: z.number().optional(),
  scopes: z.array(z.string()).optional(),
});

const grantSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number(),
  hub_id: z.number().optional(),
  scopes: z.array(z.string()).optional(),
});

async function askForToken(
  send: CrmExchange['send'],
  client: OAuthClient,
  form: Readonly<Record<string, string>>,
): Promise<TokenGrant> {
  const reply = await post(send, client, OAUTH_PATHS.token, form, 'sign the integration in');
  const grant = grantSchema.safeParse(reply).data;
  if (grant === undefined) throw unreadable();
  return {
    accessToken: grant.access_token,
    refreshToken: grant.refresh_token ?? null,
    expiresInSeconds: grant.expires_in,
    hubId: grant.hub_id === undefined ? null : String(grant.hub_id),
    scopes: grant.scopes ?? null,
  };
}

/**
 * Sends a request. If HubSpot refuses the request, throws a ConfigurationError that says which action failed (`what`).
 */
async function post(
  send: CrmExchange['send'],
  { url, clientId, clientSecret }: OAuthClient,
  path: string,
  form: Readonly<Record<string, string>>,
  what: string,
): Promise<unknown> {
  const credentials = { client_id: clientId, client_secret: clientSecret };
  const reply = await send(formRequest(url + path, { ...form, ...credentials }));
  if (reply.status < 300) return parseJson(reply.text);
  const { word, error, words } = refusalIn(reply);
  const fix = FIXES[word] ?? FIXES[error ?? ''] ?? SIGN_IN_FIX;
  const message = `HubSpot refuses to ${what} (${word}). ${fix}`;
  throw new ConfigurationError(message, { code: 'crm_unauthorized', details: { word }, words });
}

/** Instructions that tell users how to fix the usual errors. */
const FIXES: Readonly<Record<string, string>> = {
  BAD_REFRESH_TOKEN: 'The refresh token is no longer valid: connect the account again.',
  BAD_AUTH_CODE: 'The code was already used, or is too old: connect the account again.',
  BAD_CLIENT_ID: 'No app has this crm.auth.clientId.',
  BAD_CLIENT_SECRET: 'crm.auth.clientSecret does not belong to crm.auth.clientId.',
  invalid_grant: 'The granted access is no longer valid: connect the account again.',
  invalid_client: 'crm.auth.clientId and crm.auth.clientSecret do not belong together.',
};

function unreadable(): RetriableError {
  return new RetriableError(
    'HubSpot could not sign the integration in: the response is not from a token endpoint. Try again later.',
    { code: 'crm_unavailable' },
  );
}
