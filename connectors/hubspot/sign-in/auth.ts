import { z } from 'zod';
import type { WallClock } from '../../../src/core/clock.ts';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { parseJson } from '../../../src/outbound/exchange.ts';
import {
  refreshWithStored,
  type SharedSignIn,
  secretFingerprint,
  shareSignIn,
} from '../../../src/outbound/sign-in.ts';
import type { ConnectorSecrets } from '../../contract.ts';
import type { CrmExchange } from '../../requests/exchange.ts';
import { errorBodySchema, parseFault, requestError, SIGN_IN_FIX } from '../errors.ts';
import { signedRequest } from '../exchange.ts';
import type { Paths } from '../paths.ts';
import type { AuthSettings } from '../settings.ts';
import { refreshToken, type TokenGrant } from './oauth.ts';

/** A completed sign-in. */
export interface SignIn {
  accessToken: string;
  /** The account's number, which HubSpot calls `portalId` or `hub_id`. */
  portalId: string;
  /**
   * The token's scopes, or null if HubSpot does not report them. If HubSpot does not report the scopes, its errors show
   * which scopes are missing.
   */
  scopes: ReadonlySet<string> | null;
  /** The time at which donor-sync renews the token (epoch ms), or null if the token does not expire. */
  staleAtMs: number | null;
}

export type Auth = SharedSignIn<SignIn>;

export interface AuthDeps {
  /** The API's address without a trailing slash. */
  url: string;
  auth: AuthSettings;
  send: CrmExchange['send'];
  paths: Pick<Paths, 'accountDetails'>;
  clock: WallClock;
  secrets: ConnectorSecrets;
  signal: AbortSignal;
}

/** Creates a connector's sign-in without sending a request. */
export function createAuth(deps: AuthDeps): Auth {
  return shareSignIn({
    ask: () => askForSignIn(deps),
    isRenewable: deps.auth.type !== 'token',
    isStale: ({ staleAtMs }) => staleAtMs !== null && deps.clock.now() >= staleAtMs,
    refusedForGood: () => refusedForGood(deps),
  });
}

/**
 * Returns the name of the secret that stores the latest refresh token of an account. The name depends on the token in
 * the settings, so a new token in the settings takes effect immediately. If the settings contain no token, the name
 * depends on the app.
 */
export function refreshTokenSecret(auth: Extract<AuthSettings, { type: 'oauth' }>): string {
  return `hubspot_refresh_token/${secretFingerprint(auth.refreshToken ?? `app ${auth.clientId}`)}`;
}

/** Returns a fingerprint of the credentials. HubSpot counts the requests of each set of credentials separately. */
export function credentialsFingerprint(url: string, auth: AuthSettings): string {
  const secret = auth.type === 'token' ? auth.token : `${auth.clientId} ${auth.refreshToken ?? ''}`;
  return secretFingerprint(`${url} ${secret}`);
}

function refusedForGood({ auth }: AuthDeps): ConfigurationError {
  const message =
    auth.type === 'token'
      ? 'HubSpot rejected the token in crm.auth: replace it.'
      : `HubSpot signs the integration in, but refuses its requests. ${SIGN_IN_FIX}`;
  return new ConfigurationError(message, { code: 'crm_unauthorized' });
}

function askForSignIn(deps: AuthDeps): Promise<SignIn> {
  const { auth } = deps;
  return auth.type === 'token' ? identify(deps, auth.token) : refresh(deps, auth);
}

/**
 * Asks HubSpot for the account of an access token, because the token does not contain the account. The token stays
 * valid until a user revokes it.
 */
async function identify(deps: AuthDeps, accessToken: string): Promise<SignIn> {
  const portalId = await readPortalId(deps, accessToken);
  return { accessToken, portalId, scopes: null, staleAtMs: null };
}

const detailsSchema = z.object({ portalId: z.number() });

/** Returns the number of the account to which a token belongs. */
async function readPortalId({ url, send, paths }: AuthDeps, accessToken: string): Promise<string> {
  const { status, text } = await send(signedRequest(url + paths.accountDetails, accessToken));
  const body = parseJson(text);
  const details = status < 300 ? detailsSchema.safeParse(body).data : undefined;
  if (details !== undefined) return String(details.portalId);
  if (status === 429 || (status === 403 && errorBodySchema.safeParse(body).success)) {
    throw requestError(parseFault(status, body));
  }
  const message = `HubSpot rejected the token in crm.auth (status ${status}). Replace the token, and check that crm.url is HubSpot's API address.`;
  throw new ConfigurationError(message, { code: 'crm_unauthorized' });
}

function refresh(deps: AuthDeps, auth: Extract<AuthSettings, { type: 'oauth' }>): Promise<SignIn> {
  const { url, send, clock, secrets, signal } = deps;
  const name = refreshTokenSecret(auth);
  const settingsToken = auth.refreshToken ?? null;
  const tokens = { secrets, clock, signal, name, settingsToken };
  return refreshWithStored(tokens, async (token, keep) => {
    const grant = await refreshToken(send, { ...auth, url }, token);
    await keep(grant.refreshToken);
    const portalId = grant.hubId ?? (await readPortalId(deps, grant.accessToken));
    return toSignIn(grant, portalId, clock.now());
  });
}

/** The fraction of a token's lifetime after which donor-sync renews it, so the token never expires during a request. */
const USED_PART_OF_LIFE = 0.9;

function toSignIn(grant: TokenGrant, portalId: string, nowMs: number): SignIn {
  const lifeMs = grant.expiresInSeconds * 1000;
  return {
    accessToken: grant.accessToken,
    portalId,
    scopes: grant.scopes === null ? null : new Set(grant.scopes),
    staleAtMs: nowMs + lifeMs * USED_PART_OF_LIFE,
  };
}
