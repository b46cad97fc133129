import { ConfigurationError } from '../../../src/core/errors.ts';
import { withoutSlash } from '../../../src/outbound/address.ts';
import {
  consentNotWanted,
  formRequest,
  refusalIn,
  toCodeChallenge,
} from '../../../src/outbound/sign-in.ts';
import type {
  Consent,
  ConsentDeps,
  Consented,
  ConsentReply,
  ConsentRequest,
} from '../../contract.ts';
import type { CrmExchange } from '../../exchange.ts';
import type { SalesforceWorld } from '../api.ts';
import { createExchange } from '../exchange.ts';
import type { AuthSettings, SalesforceSettings } from '../settings.ts';
import { askForToken, consentSecret, toCredentials, tokenRefused } from './auth.ts';
import { toInstanceUrl } from './instance.ts';

/** What the app asks for: the APIs, and to go on without the person. */
const SCOPE = 'api refresh_token';

/** The web server flow with PKCE (CRM facts, section A1). */
export function createSalesforceConsent(world: SalesforceWorld): Consent<SalesforceSettings> {
  return {
    isWanted: ({ auth }) => auth.type === 'oauth',
    secretName: ({ auth }) => consentSecret(requireApp(auth).clientId),
    begin: authorizeUrl,
    complete: (settings, reply, deps) => complete(world, settings, reply, deps),
    revoke: (settings, refreshToken, deps) => revoke(world, settings, refreshToken, deps),
  };
}

type App = Extract<AuthSettings, { type: 'oauth' }>;

function requireApp(auth: AuthSettings): App {
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
    client_id: requireApp(auth).clientId,
    redirect_uri: redirectUri,
    scope: SCOPE,
    state,
    // Salesforce knows the method S256 alone, and is not given its name.
    code_challenge: toCodeChallenge(codeVerifier),
  }).toString();
  return page.href;
}

async function complete(
  world: SalesforceWorld,
  settings: SalesforceSettings,
  { code, redirectUri, codeVerifier }: ConsentReply,
  deps: ConsentDeps,
): Promise<Consented> {
  const { orgId, instanceNamed, refreshToken } = await askForToken(
    createConsentExchange(world, deps),
    settings.url,
    {
      ...toCredentials(requireApp(settings.auth)),
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    },
  );
  if (refreshToken === null) throw withoutRefreshToken();
  const { host } = new URL(toInstanceUrl(settings, instanceNamed));
  return { account: { id: orgId, name: host }, refreshToken };
}

async function revoke(
  world: SalesforceWorld,
  { url }: SalesforceSettings,
  token: string,
  deps: ConsentDeps,
): Promise<void> {
  const request = formRequest(`${withoutSlash(url)}/services/oauth2/revoke`, { token });
  const reply = await createConsentExchange(world, deps).send(request);
  // Of an unknown token, what is asked for is so already.
  if (reply.status === 200 || refusalIn(reply).error === 'invalid_token') return;
  throw tokenRefused(reply);
}

function createConsentExchange(
  world: SalesforceWorld,
  { clock, signal, fetch = world.fetch }: ConsentDeps,
): CrmExchange {
  return createExchange({ ...world, fetch, clock, signal, onCall() {}, noteAnswer() {} });
}

function withoutRefreshToken(): ConfigurationError {
  const message =
    'Salesforce gave no refresh token: allow the app the scope “Perform requests at any time (refresh_token, offline_access)”, then connect again.';
  return new ConfigurationError(message, { code: 'crm_scope_missing' });
}
