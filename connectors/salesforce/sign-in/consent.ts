import { ConfigurationError } from '../../../src/core/errors.ts';
import { consentNotWanted, refusalIn } from '../../../src/outbound/sign-in.ts';
import type {
  Consent,
  ConsentDeps,
  Consented,
  ConsentReply,
  ConsentRequest,
} from '../../contract.ts';
import type { CrmExchange } from '../../requests/exchange.ts';
import type { SalesforceWorld } from '../api.ts';
import type { AppConfig } from '../client.ts';
import { createExchange } from '../exchange.ts';
import type { AuthSettings, SalesforceSettings } from '../settings.ts';
import { askForToken, consentSecret, openSignInClient, tokenRefused } from './auth.ts';
import { toInstanceUrl } from './instance.ts';

/** The scopes that the app requests: access to the APIs, and access while the user is absent. */
const SCOPE = 'api refresh_token';

/** Returns the web server flow with PKCE (CRM facts, section A1). */
export function createSalesforceConsent(world: SalesforceWorld): Consent<SalesforceSettings> {
  return {
    isWanted: ({ auth }) => auth.type === 'oauth',
    secretName: ({ auth }) => consentSecret(requireApp(auth).clientId),
    begin: authorizationUrl,
    complete: (settings, reply, deps) => complete(world, settings, reply, deps),
    revoke: (settings, refreshToken, deps) => revoke(world, settings, refreshToken, deps),
  };
}

type App = Extract<AuthSettings, { type: 'oauth' }>;

function requireApp(auth: AuthSettings): App {
  if (auth.type === 'oauth') return auth;
  throw consentNotWanted(auth.type);
}

function toAppConfig(
  { url, auth }: SalesforceSettings,
  consent: Pick<ConsentRequest, 'redirectUri' | 'codeVerifier'>,
): AppConfig {
  const { clientId, clientSecret } = requireApp(auth);
  return { loginUrl: url, clientId, clientSecret, ...consent };
}

async function authorizationUrl(
  settings: SalesforceSettings,
  { state, ...consent }: ConsentRequest,
): Promise<string> {
  const { toAuthorizationUrl } = await import('../client.ts');
  // Salesforce supports only the PKCE method S256, and the library omits the method's name.
  return toAuthorizationUrl(toAppConfig(settings, consent), { scope: SCOPE, state });
}

async function complete(
  world: SalesforceWorld,
  settings: SalesforceSettings,
  { code, redirectUri, codeVerifier }: ConsentReply,
  deps: ConsentDeps,
): Promise<Consented> {
  const { orgId, instanceNamed, refreshToken } = await askForToken(
    createConsentExchange(world, deps),
    toAppConfig(settings, { redirectUri, codeVerifier }),
    { grant_type: 'authorization_code', code },
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
  const exchange = createConsentExchange(world, deps);
  const client = await openSignInClient(exchange, { loginUrl: url }, (reply) => {
    // If Salesforce does not know the token, the token is already invalid.
    const isRevoked = reply.status === 200 || refusalIn(reply).error === 'invalid_token';
    if (!isRevoked) throw tokenRefused(reply);
  });
  await client.revokeToken(token);
}

function createConsentExchange(
  world: SalesforceWorld,
  { clock, signal, fetch }: ConsentDeps,
): CrmExchange {
  return createExchange({
    ...world,
    fetch: fetch ?? world.fetch,
    clock,
    signal,
    onCall() {},
    noteAnswer() {},
  });
}

function withoutRefreshToken(): ConfigurationError {
  const message =
    'Salesforce did not return a refresh token: allow the app the scope “Perform requests at any time (refresh_token, offline_access)”, then connect again.';
  return new ConfigurationError(message, { code: 'crm_scope_missing' });
}
