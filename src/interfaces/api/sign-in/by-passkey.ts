/** Signing in with a passkey, and showing with one that it is still the same person. */
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
  /** Who we are to browsers, and what it takes to ask them. */
  deps: PasskeyDeps;
  /** What the form to sign in asks this browser for; null while there is no passkey. */
  offer(c: Context<HttpEnv>): Promise<PasskeyOffer | null>;
  /**
   * Begins a session of the person whose passkey has answered; false for all others. Throws an HttpError: 403
   * from a foreign page, 429 after too many attempts.
   */
  signIn(c: Context<HttpEnv>, answer: PasskeyAnswer): Promise<boolean>;
  /** Whether a passkey of this person has answered; throws as above. */
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

/** The browser that was asked is the one that has to answer. */
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
   * Counted before it is looked at, and taken back if it was right, as passwords are; by addresses alone, since
   * no one can guess what a key signs, and so no one can keep a person out.
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
