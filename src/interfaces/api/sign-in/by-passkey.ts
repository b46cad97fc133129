/** Signs users in with a passkey, and confirms users' identity with a passkey. */
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { newSecret } from '../../../core/new-secret.ts';
import {
  type AskedFor,
  askForPasskey,
  findByPasskey,
  type PasskeyAnswer,
  type PasskeyDeps,
  type PasskeyOffer,
} from '../../../people/sign-in/passkeys.ts';
import { hasPasskeys } from '../../../people/statements/passkeys.ts';
import type { Store } from '../../../store.ts';
import type { Access } from '../access.ts';
import type { AddressBook } from '../request/address-book.ts';
import type { HttpEnv } from '../request/context.ts';
import { cookieNameOf } from '../request/cookies.ts';
import { type ClientAddress, getHostname, requireSameOrigin } from '../request/peer.ts';
import { countWhile, createSharedAttempts, PASSKEYS_OF_ADDRESS } from './attempts.ts';
import { createRefusals } from './refusals.ts';

export interface PasskeySignIn {
  /**
   * Returns the dependencies for requesting a passkey from this browser. Returns null if browsers cannot create
   * passkeys for donor-sync's address.
   */
  depsFor(c: Context<HttpEnv>): PasskeyDeps | null;
  /** Returns a request for a passkey, or null if passkeys are impossible here. */
  offer(c: Context<HttpEnv>): Promise<PasskeyOffer | null>;
  /**
   * Starts a session for the user whose passkey signed the response. Returns false for an unknown passkey. Throws an
   * HttpError: 403 from a foreign page, 429 after too many attempts.
   */
  signIn(c: Context<HttpEnv>, answer: PasskeyAnswer): Promise<boolean>;
  /** True if a passkey of this user signed the response. Throws the same errors as `signIn`. */
  prove(
    c: Context<HttpEnv>,
    personId: string,
    sessionId: string,
    answer: PasskeyAnswer,
  ): Promise<boolean>;
}

export interface PasskeySignInDeps {
  passkeys: Omit<PasskeyDeps, 'party'>;
  store: Store;
  address: AddressBook;
  getAddress: ClientAddress;
  access: Pick<Access, 'signInAs'>;
  /** Called once when an address reaches the limit. */
  onLimit(address: string): void;
}

/** The lifetime of the cookie. Only the browser with the cookie can answer the challenge. */
const COOKIE_SECONDS = 3_600;
const COOKIE_VALUE = /^[\w-]{43}$/;

export function createPasskeySignIn(deps: PasskeySignInDeps): PasskeySignIn {
  const { passkeys, store, address, getAddress, access, onLimit } = deps;
  const { clock } = passkeys;
  const cookieFor = (c: Context<HttpEnv>) => {
    const secure = address.isSecure(getHostname(c));
    return { name: cookieNameOf('donor_sync_passkey', secure), secure };
  };
  const counted = { what: 'passkey_address', limit: PASSKEYS_OF_ADDRESS } as const;
  const byAddress = createSharedAttempts(store, clock, counted, onLimit);
  const refusals = createRefusals({ store, clock, getAddress }, { by: 'passkey' });

  /**
   * Finds the user. Like a password, the attempt is counted before the check. The attempt is counted only by address,
   * because nobody can guess a signature.
   */
  async function find(c: Context<HttpEnv>, asked: AskedFor, answer: PasskeyAnswer) {
    const party = address.partyAt(getHostname(c));
    if (party === null) return null;
    const from = getAddress(c);
    const acting = store.actingAs({ kind: 'session', name: null, from });
    const found = await countWhile([[byAddress, from]], () =>
      findByPasskey({ ...passkeys, party, store: acting }, asked, answer),
    );
    if (found.isIn) {
      await byAddress.takeBack(from);
      return found;
    }
    await refusals.note(c, found.personId);
    return null;
  }

  function depsFor(c: Context<HttpEnv>): PasskeyDeps | null {
    const party = address.partyAt(getHostname(c));
    return party && { ...passkeys, party };
  }

  return {
    depsFor,

    async offer(c) {
      const asking = depsFor(c);
      if (asking === null || !(await hasPasskeys(store.reader))) return null;
      const { name, secure } = cookieFor(c);
      const before = getCookie(c, name) ?? '';
      const boundTo = COOKIE_VALUE.test(before) ? before : newSecret();
      setCookie(c, name, boundTo, {
        ...({ httpOnly: true, sameSite: 'Strict', path: '/' } as const),
        secure,
        maxAge: COOKIE_SECONDS,
      });
      return askForPasskey(asking, { ceremony: 'sign_in', boundTo });
    },

    async signIn(c, answer) {
      requireSameOrigin(c, address.url(), 'refused');
      const boundTo = getCookie(c, cookieFor(c).name) ?? '';
      const found = await find(c, { ceremony: 'sign_in', boundTo }, answer);
      if (found === null) return false;
      const { person, passkeyId: passkey } = found;
      await refusals.close(c, person.id);
      await access.signInAs(c, person, { by: 'passkey', passkey });
      return true;
    },

    async prove(c, personId, sessionId, answer) {
      const found = await find(c, { ceremony: 'prove', boundTo: sessionId }, answer);
      return found?.person.id === personId;
    },
  };
}
