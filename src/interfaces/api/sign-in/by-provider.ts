/** Signs users in with an identity provider. Only invited users can sign in with an identity provider. */

import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { isRetriableError, messageOf, RetriableError } from '../../../core/errors.ts';
import { isConfidential } from '../../../core/host.ts';
import type { Log } from '../../../core/log.ts';
import { publicAddress } from '../../../core/public-address.ts';
import type { ProviderSettings } from '../../../core/sign-in-settings.ts';
import type { SealContext } from '../../../database/encryption/sealed.ts';
import { outboundFetch } from '../../../outbound/guard.ts';
import {
  findByProvider,
  type PeopleDeps,
  type ProvidedIdentity,
} from '../../../people/user-accounts.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';
import type { Store } from '../../../store.ts';
import type { Access } from '../access.ts';
import type { AddressBook } from '../request/address-book.ts';
import type { HttpEnv } from '../request/context.ts';
import { cookieNameOf } from '../request/cookies.ts';
import { type ClientAddress, foreignOrigin, getHostname } from '../request/peer.ts';
import { countWhile, createSharedAttempts, PASSWORDS_OF_ADDRESS } from './attempts.ts';

/** The library is loaded when the first user is redirected. */
const loadClient = () => import('openid-client');
type Client = Awaited<ReturnType<typeof loadClient>>;
type Configuration = Awaited<ReturnType<Client['discovery']>>;

export const PROVIDER_PATH = '/sign-in/provider';
const CALLBACK_PATH = `${PROVIDER_PATH}/callback`;

/** The time within which a user must sign in at the provider. */
const WAY_MS = 10 * 60_000;
const REQUEST_SECONDS = 10;
const COOKIE = 'donor_sync_provider';

/** The encryption context of the cookie. The cookie contains the sign-in's data, so no table is needed. */
const COOKIE_PLACE: SealContext = { table: 'cookie', column: COOKIE, row: ['sign-in'] };

const waySchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  to: z.string(),
  until: z.number(),
});

type Way = z.infer<typeof waySchema>;

export interface ProviderSignIn {
  /** The provider's name. */
  name: string;
  /** Redirects the browser to the provider. Throws an HttpError (403) if another site's page started the sign-in. */
  begin(c: Context<HttpEnv>, to: string): Promise<Response>;
  /**
   * Completes the sign-in when the browser returns. Returns the next page's path, or null if the sign-in is refused.
   */
  comeBack(c: Context<HttpEnv>): Promise<string | null>;
}

export interface ProviderSignInDeps {
  settings: ProviderSettings;
  people: PeopleDeps;
  store: Store;
  allowInsecureHttp: readonly string[];
  address: AddressBook;
  getAddress: ClientAddress;
  access: Pick<Access, 'signInAs'>;
  log: Log;
}

export function createProviderSignIn(deps: ProviderSignInDeps): ProviderSignIn {
  const { settings, people, store, address, getAddress, access, log } = deps;
  const { sealer, clock } = people;
  const issuer = new URL(settings.issuer);
  const isPlain =
    issuer.protocol === 'http:' &&
    (isConfidential(issuer) || deps.allowInsecureHttp.includes(issuer.hostname));
  /**
   * Returns the address that is registered at the provider. Users return to this address, whatever host name they used.
   */
  const redirectUri = () => publicAddress(address.url(), CALLBACK_PATH);
  const cookieFor = (c: Context<HttpEnv>) => {
    const secure = address.isSecure(getHostname(c));
    const options = { httpOnly: true, sameSite: 'Lax', path: '/', secure } as const;
    return { name: cookieNameOf(COOKIE, secure), options };
  };
  const counted = { what: 'provider_address', limit: PASSWORDS_OF_ADDRESS } as const;
  const refusals = createSharedAttempts(store, clock, counted);
  let discovered: Promise<Configuration> | null = null;

  /** Requests the provider's configuration only once. After a failure, the next sign-in requests it again. */
  function discover(client: Client): Promise<Configuration> {
    discovered ??= client
      .discovery(issuer, settings.clientId, settings.clientSecret, undefined, {
        timeout: REQUEST_SECONDS,
        [client.customFetch]: (url, { body, ...options }) =>
          outboundFetch('anywhere')(url, { ...options, ...(body !== undefined && { body }) }),
        // donor-sync checks the token, although it comes directly from the provider.
        execute: [
          client.enableNonRepudiationChecks,
          ...(isPlain ? [client.allowInsecureRequests] : []),
        ],
      })
      .catch((cause: unknown) => {
        discovered = null;
        log.warn({ error: messageOf(cause) }, 'the identity provider could not be reached');
        throw new RetriableError('The identity provider is not responding.', {
          code: 'sign_in_provider_unreachable',
          cause,
        });
      });
    return discovered;
  }

  function openWay(c: Context<HttpEnv>): Way | null {
    const { name, options } = cookieFor(c);
    const sealed = getCookie(c, name);
    deleteCookie(c, name, options);
    if (sealed === undefined) return null;
    try {
      const way = waySchema.parse(JSON.parse(sealer.open(sealed, COOKIE_PLACE)));
      return way.until > clock.now() ? way : null;
    } catch {
      // The cookie was changed, or its encryption key no longer exists.
      return null;
    }
  }

  /** Returns the user's identity, or null for an unverified address or a forged redirect. */
  async function identify(c: Context<HttpEnv>, way: Way): Promise<ProvidedIdentity | null> {
    const client = await loadClient();
    const configuration = await discover(client);
    const back = new URL(redirectUri());
    back.search = new URL(c.req.url).search;
    const tokens = await client.authorizationCodeGrant(configuration, back, {
      pkceCodeVerifier: way.verifier,
      expectedState: way.state,
      expectedNonce: way.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) return null;
    const { iss: issuedBy, sub: subject } = claims;
    const said =
      claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint
        ? await client.fetchUserInfo(configuration, tokens.access_token, subject)
        : claims;
    const { data } = emailSchema.safeParse(said);
    return data === undefined ? null : { issuer: issuedBy, subject, email: data.email };
  }

  return {
    name: settings.name ?? issuer.hostname,

    async begin(c, to) {
      requireOwnClick(c);
      const client = await loadClient();
      const configuration = await discover(client);
      const way: Way = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        to,
        until: clock.now() + WAY_MS,
      };
      const sealed = sealer.seal(JSON.stringify(way), COOKIE_PLACE);
      const { name, options } = cookieFor(c);
      setCookie(c, name, sealed, { ...options, maxAge: WAY_MS / 1_000 });
      const address = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri(),
        scope: 'openid email',
        code_challenge: await client.calculatePKCECodeChallenge(way.verifier),
        code_challenge_method: 'S256',
        state: way.state,
        nonce: way.nonce,
      });
      return c.redirect(address.href, 303);
    },

    async comeBack(c) {
      const way = openWay(c);
      // If the sign-in belongs to another browser or is too old, no audit entry is needed.
      if (way === null) return null;
      const found = await countWhile([[refusals, getAddress(c)]], () =>
        identify(c, way).catch(refuse),
      );
      const acting = store.actingAs({ kind: 'session', name: null, from: getAddress(c) });
      const person =
        found && isAllowed(found.email, settings)
          ? await findByProvider({ ...people, store: acting }, found)
          : null;
      if (person === null) {
        const details = { by: 'provider', person: null, attempts: 1 };
        await noteEntries(acting.act, [{ action: 'session.refused', details }]);
        return null;
      }
      await refusals.takeBack(getAddress(c));
      await access.signInAs(c, person);
      return way.to;
    },
  };

  /**
   * Returns null for an invalid response, so that the sign-in is refused. Throws an error if the provider is
   * unavailable.
   */
  function refuse(error: unknown): null {
    if (isRetriableError(error)) throw error;
    log.warn({ error: messageOf(error) }, 'a sign-in by the identity provider was refused');
    return null;
  }
}

const emailSchema = z.looseObject({ email: z.string(), email_verified: z.literal(true) });

function isAllowed(email: string, { allowedDomains }: ProviderSettings): boolean {
  const domain = email.toLowerCase().split('@').at(-1) ?? '';
  return allowedDomains === undefined || allowedDomains.includes(domain);
}

/** Checks that the user clicked on one of donor-sync's pages. Another site must not be able to start a sign-in. */
function requireOwnClick(c: Context<HttpEnv>): void {
  const site = c.req.header('sec-fetch-site') ?? 'none';
  if (site === 'none' || site === 'same-origin') return;
  throw foreignOrigin();
}
