/** Signing in with an e-mail address and a password, slowly for those who guess. */
import type { Context } from 'hono';
import { emailFingerprint, findByPassword, type PeopleDeps } from '../../application/people.ts';
import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Access } from '../access.ts';
import {
  type Counted,
  countWhile,
  createSharedAttempts,
  PASSWORDS_OF_ACCOUNT,
  PASSWORDS_OF_ADDRESS,
  takeAllBack,
} from '../attempts.ts';
import type { HttpEnv } from '../request/context.ts';
import { type ClientAddress, requireSameOrigin } from '../request/peer.ts';
import { createRefusals } from './refusals.ts';

export interface PasswordSignIn {
  /**
   * Begins a session of the person with this address and password; false, after the same time, if there is
   * none. Throws an HttpError: 403 from a foreign page, 429 after too many attempts.
   */
  signIn(c: Context<HttpEnv>, typed: { email: string; password: string }): Promise<boolean>;
}

export interface PasswordSignInDeps {
  people: PeopleDeps;
  store: Pick<Store, 'actingAs' | 'people' | 'attempts' | 'fingerprint'>;
  clock: Pick<Clock, 'now'>;
  publicUrl: string;
  addressOf: ClientAddress;
  access: Pick<Access, 'signInAs'>;
  /** Called once when an address, or an account, has reached the limit. */
  onLimit(address: string): void;
}

export function createPasswordSignIn(deps: PasswordSignInDeps): PasswordSignIn {
  const { people, store, clock, publicUrl, addressOf, access, onLimit } = deps;
  const address = { what: 'password_address', limit: PASSWORDS_OF_ADDRESS } as const;
  const account = { what: 'password_account', limit: PASSWORDS_OF_ACCOUNT } as const;
  const byAddress = createSharedAttempts(store, clock, address, onLimit);
  const byAccount = createSharedAttempts(store, clock, account);
  const refusals = createRefusals(deps);

  return {
    async signIn(c, { email, password }) {
      requireSameOrigin(c, publicUrl, 'allowed');
      const counted: Counted = [
        [byAddress, addressOf(c)],
        [byAccount, emailFingerprint(store, email)],
      ];
      const person = await countWhile(counted, () => findByPassword(people, email, password));
      if (person === null) {
        const known = await store.people.findByEmail(emailFingerprint(store, email));
        await refusals.note(c, known?.id ?? null);
        return false;
      }
      await takeAllBack(counted);
      await refusals.close(c, person.id);
      await access.signInAs(c, person);
      return true;
    },
  };
}
