import { z } from 'zod';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { codeChallengeOf, consentNotWanted } from '../../consent.ts';
import type {
  Consent,
  ConsentDeps,
  Consented,
  ConsentReply,
  ConsentRequest,
} from '../../contract.ts';
import { withoutSlash } from '../../crm-url.ts';
import { parseJson } from '../../json.ts';
import type { SalesforceWorld } from '../api.ts';
import { createExchange, type TextReply } from '../exchange.ts';
import type { AuthSettings, SalesforceSettings } from '../settings.ts';
import { consentSecret, noTokenEndpoint, readTokenReply, tokenRefused } from './auth.ts';
import { instanceUrlOf } from './instance.ts';

/** What the app asks for: the APIs, and to go on without the person. */
const SCOPE = 'api refresh_token';

/** The web server flow with PKCE (CRM facts, section A1). */
export function createSalesforceConsent(world: SalesforceWorld): Consent<SalesforceSettings> {
  return {
    isWanted: ({ auth }) => auth.type === 'oauth',
    secretName: ({ auth }) => consentSecret(appOf(auth).clientId),
    begin: authorizeUrl,
    complete: (settings, reply, deps) => complete(world, settings, reply, deps),
    revoke: (settings, refreshToken, deps) => revoke(world, settings, refreshToken, deps),
  };
}

type App = Extract<AuthSettings, { type: 'oauth' }>;

function appOf(auth: AuthSettings): App {
  if (auth.type === 'oauth') return auth;
  throw consentNotWanted(auth.type);
}

function authorizeUrl(
  { url, auth }: SalesforceSettings,
  { redirectUri, state, codeVerifier }: ConsentRequest,
): string {
  const page = new URL(`${withoutSlash(url)}/services/oauth2/authorize`);
  page.search = new URLSearchParams({
    response_type: 'code',
    client_id: appOf(auth).clientId,
    redirect_uri: redirectUri,
    scope: SCOPE,
    state,
    // Salesforce knows the method S256 alone, and is not told.
    code_challenge: codeChallengeOf(codeVerifier),
  }).toString();
  return page.href;
}

async function complete(
  world: SalesforceWorld,
  settings: SalesforceSettings,
  { code, redirectUri, codeVerifier }: ConsentReply,
  deps: ConsentDeps,
): Promise<Consented> {
  const { url, auth } = settings;
  const { clientId, clientSecret } = appOf(auth);
  const reply = await post(world, deps, `${withoutSlash(url)}/services/oauth2/token`, {
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  });
  if (reply.status !== 200) throw refusalOf(reply);
  const { orgId, instanceNamed, refreshToken } = readTokenReply(parseJson(reply.text));
  if (refreshToken === null) throw withoutRefreshToken();
  const { host } = new URL(instanceUrlOf(settings, instanceNamed));
  return { account: { id: orgId, name: host }, refreshToken };
}

async function revoke(
  world: SalesforceWorld,
  { url }: SalesforceSettings,
  token: string,
  deps: ConsentDeps,
): Promise<void> {
  const reply = await post(world, deps, `${withoutSlash(url)}/services/oauth2/revoke`, { token });
  if (reply.status === 200) return;
  // What is asked for is so already.
  if (refusalSchema.safeParse(parseJson(reply.text)).data?.error === 'invalid_token') return;
  throw refusalOf(reply);
}

function post(
  world: SalesforceWorld,
  { clock, signal }: ConsentDeps,
  url: string,
  form: Record<string, string>,
): Promise<TextReply> {
  const exchange = createExchange({ ...world, clock, signal, onCall() {}, noteAnswer() {} });
  return exchange.send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
}

const refusalSchema = z.object({ error: z.string(), error_description: z.string().default('') });

function refusalOf({ status, text }: TextReply): ConfigurationError {
  const refusal = refusalSchema.safeParse(parseJson(text)).data;
  if (refusal === undefined) return noTokenEndpoint(`status ${status}`);
  return tokenRefused(refusal.error, refusal.error_description);
}

function withoutRefreshToken(): ConfigurationError {
  const message =
    'Salesforce gave no refresh token: allow the app the scope “Perform requests at any time (refresh_token, offline_access)”, then connect again.';
  return new ConfigurationError(message, { code: 'crm_scope_missing' });
}
