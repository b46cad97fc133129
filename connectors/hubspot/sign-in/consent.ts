import { ConfigurationError, RetriableError } from '../../../src/core/errors.ts';
import { withoutSlash } from '../../../src/outbound/address.ts';
import { consentNotWanted } from '../../../src/outbound/sign-in.ts';
import type { Consent, ConsentDeps, Consented, ConsentReply } from '../../contract.ts';
import type { HubspotWorld } from '../api.ts';
import type { AuthSettings, HubspotSettings } from '../settings.ts';
import { refreshTokenSecret } from './auth.ts';
import { consentPage, createHubspotOAuth, type HubspotOAuth } from './oauth.ts';

/** Creates the consent flow, which is OAuth with PKCE (CRM facts, section B3). */
export function createHubspotConsent(world: ConsentWorld): Consent<HubspotSettings> {
  return {
    isWanted: ({ auth }) => auth.type === 'oauth' && auth.refreshToken === undefined,
    secretName: ({ auth }) => refreshTokenSecret(requireApp(auth)),
    loopbackName: LOCALHOST,
    begin({ url, auth, sensitiveData }, request) {
      requireSecure(request.redirectUri);
      const { clientId, moreScopes } = requireApp(auth);
      return consentPage({ url, clientId, sensitiveData, moreScopes }, request);
    },
    complete: (settings, reply, deps) =>
      withOAuth(world, settings, deps, (oauth) => complete(oauth, reply)),
    revoke: (settings, refreshToken, deps) =>
      withOAuth(world, settings, deps, (oauth) => revoke(oauth, refreshToken)),
  };
}

/** The only host to which HubSpot redirects users with http. HubSpot treats 127.0.0.1 as a different host. */
const LOCALHOST = 'localhost';

function requireSecure(redirectUri: string): void {
  const { protocol, hostname } = new URL(redirectUri);
  if (protocol === 'https:' || hostname === LOCALHOST) return;
  throw new ConfigurationError(
    `HubSpot redirects users only to https addresses, or to ${LOCALHOST} over http. ${redirectUri} is neither. Set server.publicUrl to the https address of the service, or run \`donor-sync connect\` with --port on the machine that runs your browser.`,
    { code: 'redirect_refused', details: { redirectUri } },
  );
}

type ConsentWorld = Pick<HubspotWorld, 'fetch' | 'random'>;

type App = Extract<AuthSettings, { type: 'oauth' }>;

function requireApp(auth: AuthSettings): App {
  if (auth.type === 'oauth') return auth;
  throw consentNotWanted(auth.type);
}

async function withOAuth<Result>(
  { fetch: ownFetch, random }: ConsentWorld,
  { url, auth }: HubspotSettings,
  { clock, signal, fetch }: ConsentDeps,
  work: (oauth: HubspotOAuth) => Promise<Result>,
): Promise<Result> {
  const app = { ...requireApp(auth), url: withoutSlash(url) };
  const oauth = createHubspotOAuth({ ...app, fetch: fetch ?? ownFetch, random, clock, signal });
  try {
    return await work(oauth);
  } finally {
    oauth.close();
  }
}

async function complete(oauth: HubspotOAuth, reply: ConsentReply): Promise<Consented> {
  const { refreshToken, accessToken, hubId } = await oauth.exchangeCode(reply);
  const id = hubId ?? (await oauth.introspect(accessToken, 'access_token')).hubId;
  if (refreshToken === null || id === null) throw incomplete();
  return { account: { id, name: `HubSpot account ${id}` }, refreshToken };
}

/** HubSpot's error codes for a token that is already invalid. */
const WORTHLESS: readonly unknown[] = ['BAD_REFRESH_TOKEN', 'BAD_TOKEN', 'invalid_grant'];

async function revoke(oauth: HubspotOAuth, refreshToken: string): Promise<void> {
  try {
    await oauth.revoke(refreshToken, 'refresh_token');
  } catch (error) {
    const word = error instanceof ConfigurationError ? error.details['word'] : undefined;
    if (!WORTHLESS.includes(word)) throw error;
  }
}

function incomplete(): RetriableError {
  const message =
    'HubSpot’s response has no refresh token, or does not name the account. Connecting again might help.';
  return new RetriableError(message, { code: 'crm_unavailable' });
}
