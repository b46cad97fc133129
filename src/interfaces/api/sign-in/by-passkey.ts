/** Signing in with a passkey, and confirming a user's identity with one. */
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
import type { HttpEnv } from '../request/context.ts';
import { cookieNameOf } from '../request/cookies.ts';
import { type ClientAddress, requireSameOrigin } from '../request/peer.ts';
import { countWhile, createSharedAttempts, PASSKEYS_OF_ADDRESS } from './attempts.ts';
import { createRefusals } from './refusals.ts';

export interface PasskeySignIn {
  /** Our identity for browsers, and the functions that passkey requests need. */
  deps: PasskeyDeps;
  /** Returns the passkey request of the sign-in form for this browser; null while there is no passkey. */
  offer(c: Context<HttpEnv>): Promise<PasskeyOffer | null>;
  /**
   * Starts a session of the user whose passkey has answered. Returns false if the passkey belongs to no user.
   * Throws an HttpError: 403 from a foreign page, 429 after too many attempts.
   */
  signIn(c: Context<HttpEnv>, answer: PasskeyAnswer): Promise<boolean>;
  /** Returns whether a passkey of this user has answered. Throws as above. */
  prove(
    c: Context<HttpEnv>,
    personId: string,
    sessionId: string,
    answer: PasskeyAnswer,
  ): Promise<boolean>;
}

export interface PasskeySignInDeps {
  passkeys: PasskeyDeps;
  store: Store;
  publicUrl: string;
  getAddress: ClientAddress;
  access: Pick<Access, 'signInAs'>;
  /** Called once when an address has reached the limit. */
  onLimit(address: string): void;
}

/** Only the browser that got the challenge can answer it. */
const COOKIE_SECONDS = 3_600;
const COOKIE_VALUE = /^[\w-]{43}$/;

export function createPasskeySignIn(deps: PasskeySignInDeps): PasskeySignIn {
  const { passkeys, store, publicUrl, getAddress, access, onLimit } = deps;
  const { clock } = passkeys;
  const isSecure = publicUrl.startsWith('https:');
  const cookieName = cookieNameOf('donor_sync_passkey', isSecure);
  const counted = { what: 'passkey_address', limit: PASSKEYS_OF_ADDRESS } as const;
  const byAddress = createSharedAttempts(store, clock, counted, onLimit);
  const refusals = createRefusals({ store, clock, getAddress }, { by: 'passkey' });

  /**
   * An attempt is counted before it is checked, and removed from the count if it was correct, like passwords. It is
   * counted only by address: a key's signature cannot be guessed, so nobody can keep a user out.
   */
  async function find(c: Context<HttpEnv>, asked: AskedFor, answer: PasskeyAnswer) {
    const address = getAddress(c);
    const acting = store.actingAs({ kind: 'session', name: null, from: address });
    const found = await countWhile([[byAddress, address]], () =>
      findByPasskey({ ...passkeys, store: acting }, asked, answer),
    );
    if (found.isIn) {
      await byAddress.takeBack(address);
      return found;
    }
    await refusals.note(c, found.personId);
    return null;
  }

  return {
    deps: passkeys,

    async offer(c) {
      if (!(await hasPasskeys(store.reader))) return null;
      const before = getCookie(c, cookieName) ?? '';
      const boundTo = COOKIE_VALUE.test(before) ? before : newSecret();
      setCookie(c, cookieName, boundTo, {
        ...({ httpOnly: true, sameSite: 'Strict', path: '/' } as const),
        secure: isSecure,
        maxAge: COOKIE_SECONDS,
      });
      return askForPasskey(passkeys, { ceremony: 'sign_in', boundTo });
    },

    async signIn(c, answer) {
      requireSameOrigin(c, publicUrl, 'refused');
      const boundTo = getCookie(c, cookieName) ?? '';
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
