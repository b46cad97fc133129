import type { Context } from 'hono';
import type { Clock } from '../../../core/clock.ts';
import { findPersonBy } from '../../../people/statements/people.ts';
import {
  emailFingerprint,
  findByPassword,
  type PeopleDeps,
} from '../../../people/user-accounts.ts';
import type { Store } from '../../../store.ts';
import type { Access } from '../access.ts';
import type { AddressBook } from '../request/address-book.ts';
import type { HttpEnv } from '../request/context.ts';
import { type ClientAddress, requireSameOrigin } from '../request/peer.ts';
import {
  type Counted,
  countWhile,
  createAccountAttempts,
  createSharedAttempts,
  guessDelayMs,
  isAttacked,
  PASSWORDS_OF_ADDRESS,
  PASSWORDS_OF_ONE,
  takeAllBack,
} from './attempts.ts';
import { createKnownDevices } from './known-device.ts';
import { createRefusals } from './refusals.ts';

/** The result of a sign-in. `attacked` means that others have tried many passwords. */
export type SignedIn = 'wrong' | 'in' | 'attacked';

export interface PasswordSignIn {
  /**
   * Starts a session for the user with this address and password. For an unknown user, `wrong` takes just as long.
   * Throws an HttpError: 403 from a foreign page, 429 after too many attempts.
   */
  signIn(c: Context<HttpEnv>, typed: { email: string; password: string }): Promise<SignedIn>;
}

export interface PasswordSignInDeps {
  people: PeopleDeps;
  store: Store;
  clock: Pick<Clock, 'now' | 'sleep'>;
  address: AddressBook;
  getAddress: ClientAddress;
  access: Pick<Access, 'signInAs'>;
  /** Called once when an address reaches the limit. */
  onLimit(address: string): void;
}

export function createPasswordSignIn(deps: PasswordSignInDeps): PasswordSignIn {
  const { people, store, clock, address, getAddress, access, onLimit } = deps;
  const ofAddress = { what: 'password_address', limit: PASSWORDS_OF_ADDRESS } as const;
  const pair = { what: 'password_pair', limit: PASSWORDS_OF_ONE } as const;
  const device = { what: 'password_device', limit: PASSWORDS_OF_ONE } as const;
  const byAddress = createSharedAttempts(store, clock, ofAddress, onLimit);
  const byPair = createSharedAttempts(store, clock, pair);
  const byDevice = createSharedAttempts(store, clock, device);
  const ofAccount = createAccountAttempts(store);
  const devices = createKnownDevices(store, address);
  const refusals = createRefusals(deps);

  /** Returns the counters for an attempt. Wrong passwords from strangers do not delay a known browser. */
  function listCounted(c: Context<HttpEnv>, account: string, known: string | null): Counted {
    const ofAll = [ofAccount, account] as const;
    if (known !== null) return [[byDevice, known], ofAll];
    const from = getAddress(c);
    return [[byAddress, from], [byPair, JSON.stringify([from, account])], ofAll];
  }

  return {
    async signIn(c, { email, password }) {
      requireSameOrigin(c, address.url(), 'allowed');
      const account = emailFingerprint(store, email);
      const known = devices.find(c, account);
      const counted = listCounted(c, account, known);
      const person = await countWhile(counted, async () => {
        const delayMs = known === null ? guessDelayMs(await ofAccount.read(account)) : 0;
        if (delayMs > 0) await clock.sleep(delayMs);
        return findByPassword(people, email, password);
      });
      if (person === null) {
        const owner = await findPersonBy(store.reader, 'email', account);
        await refusals.note(c, owner?.id ?? null);
        return 'wrong';
      }
      await takeAllBack(counted);
      const wrong = await ofAccount.read(account);
      await refusals.close(c, person.id);
      devices.remember(c, account);
      await access.signInAs(c, person);
      return isAttacked(wrong) ? 'attacked' : 'in';
    },
  };
}
