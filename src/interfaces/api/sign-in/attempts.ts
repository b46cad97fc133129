import type { Clock } from '../../../core/clock.ts';
import { isRetriableError } from '../../../core/errors.ts';
import type { Store } from '../../../database/store.ts';
import {
  countAttempt,
  getAttemptCount,
  uncountAttempt,
} from '../../../people/statements/attempts.ts';
import { type HttpError, tryLater } from '../request/errors.ts';

export interface AttemptLimit {
  maxFailures: number;
  windowMs: number;
  message: string;
}

const TOKENS: AttemptLimit = {
  maxFailures: 20,
  windowMs: 60_000,
  message: 'Too many wrong tokens came from this address. Wait a while, then try again.',
};

export const PASSWORDS_OF_ADDRESS: AttemptLimit = {
  ...TOKENS,
  message: 'Too many wrong passwords came from this address. Wait a while, then try again.',
};

/**
 * The limit for wrong passwords of one account, for each IP address, known browser or signed-in user. Wrong passwords
 * from elsewhere never lock the account, because strangers could otherwise lock users out.
 */
export const PASSWORDS_OF_ONE: AttemptLimit = {
  maxFailures: 10,
  windowMs: 15 * 60_000,
  message:
    'Too many wrong passwords for this e-mail address came from here. Wait 15 minutes, then try again.',
};

/**
 * The limit for unknown passkeys from an IP address. The limit for passkeys is separate, so that wrong passwords do not
 * block passkeys.
 */
export const PASSKEYS_OF_ADDRESS: AttemptLimit = {
  ...TOKENS,
  message: 'Too many invalid passkeys came from this address. Wait a while, then try again.',
};

/** The maximum number of addresses in memory. A new address replaces the oldest address. */
const MAX_ADDRESSES = 10_000;

/**
 * Counts wrong tokens. Correct tokens are never counted or refused. Therefore, a user can sign in even if an attacker
 * uses the same proxy.
 */
export interface Attempts {
  /** Throws an HttpError (429) if there were too many wrong tokens. Called after a wrong token. */
  requireAllowed(address: string): void;
  noteFailure(address: string): void;
}

interface Failures {
  count: number;
  /** The time at which counting starts again at zero (epoch ms). */
  until: number;
}

/** Creates a counter. `onLimit` is called once when an address reaches the limit. */
export function createAttempts(
  clock: Pick<Clock, 'now'>,
  onLimit: (address: string) => void = () => {},
  { maxFailures, windowMs, message }: AttemptLimit = TOKENS,
): Attempts {
  const failures = new Map<string, Failures>();

  function current(address: string): Failures | undefined {
    const found = failures.get(address);
    const restMs = (found?.until ?? 0) - clock.now();
    return restMs > 0 && restMs <= windowMs ? found : undefined;
  }

  return {
    requireAllowed(address) {
      const found = current(address);
      if (found === undefined || found.count < maxFailures) return;
      throw tooMany(message, found.until - clock.now());
    },
    noteFailure(address) {
      const { count, until } = current(address) ?? { count: 0, until: clock.now() + windowMs };
      failures.delete(address);
      failures.set(address, { count: count + 1, until });
      const [oldest] = failures.keys();
      if (failures.size > MAX_ADDRESSES && oldest !== undefined) failures.delete(oldest);
      if (count + 1 === maxFailures) onLimit(address);
    },
  };
}

/**
 * Counts attempts for secrets that can be guessed. Attempts are counted before the check, so that simultaneous attempts
 * count too. Correct attempts are removed from the count.
 */
export interface SharedAttempts {
  /** Counts an attempt. Throws an HttpError (429) if there were too many attempts. A refused attempt is not counted. */
  count(key: string): Promise<void>;
  takeBack(key: string): Promise<void>;
}

export type CountedWhat =
  | 'password_address'
  | 'password_pair'
  | 'password_device'
  | 'password_own'
  | 'passkey_address'
  | 'provider_address';

export function createSharedAttempts(
  { connection, fingerprint }: Store,
  clock: Pick<Clock, 'now'>,
  { what, limit }: { what: CountedWhat; limit: AttemptLimit },
  onLimit: (key: string) => void = () => {},
): SharedAttempts {
  const { maxFailures, windowMs, message } = limit;
  const toKey = (key: string) => fingerprint('sign_in_attempts', JSON.stringify([what, key]));

  return {
    async count(key) {
      const { count, until } = await countAttempt(connection, toKey(key), windowMs);
      if (count === maxFailures) onLimit(key);
      if (count <= maxFailures) return;
      await uncountAttempt(connection, toKey(key));
      throw tooMany(message, until - clock.now());
    },
    takeBack: (key) => uncountAttempt(connection, toKey(key)),
  };
}

/** All counters for one attempt, such as the counters of the address and the account. */
export type Counted = readonly (readonly [SharedAttempts, string])[];

/** Counts an attempt in all counters or in none. Attempts that could not be checked do not count. */
export async function countWhile<Found>(
  counted: Counted,
  look: () => Promise<Found>,
): Promise<Found> {
  for (const [place, [attempts, key]] of counted.entries()) {
    try {
      await attempts.count(key);
    } catch (error) {
      await takeAllBack(counted.slice(0, place));
      throw error;
    }
  }
  try {
    return await look();
  } catch (error) {
    if (isRetriableError(error)) await takeAllBack(counted);
    throw error;
  }
}

/** Removes a correct attempt from all counters. */
export async function takeAllBack(counted: Counted): Promise<void> {
  for (const [attempts, key] of counted) await attempts.takeBack(key);
}

/**
 * The number of wrong passwords without a delay. Further wrong passwords are delayed, whatever address they come from.
 */
const UNSLOWED = 10;

/** The longest delay. The longest delay ends well before the response's time limit. */
const MAX_DELAY_MS = 20_000;

/** Counts the attempts to sign in to one account, from all addresses. Many attempts are delayed, but never refused. */
export interface AccountAttempts extends SharedAttempts {
  read(account: string): Promise<number>;
}

export function createAccountAttempts({ connection, fingerprint }: Store): AccountAttempts {
  const toKey = (account: string) =>
    fingerprint('sign_in_attempts', JSON.stringify(['password_account', account]));

  return {
    async count(account) {
      await countAttempt(connection, toKey(account), PASSWORDS_OF_ONE.windowMs);
    },
    takeBack: (account) => uncountAttempt(connection, toKey(account)),
    read: (account) => getAttemptCount(connection, toKey(account)),
  };
}

/**
 * Returns the delay before the next attempt, after this number of attempts. The first ten attempts have no delay. The
 * delay then starts at one second and doubles up to 20 seconds.
 */
export function guessDelayMs(counted: number): number {
  if (counted <= UNSLOWED) return 0;
  return Math.min(MAX_DELAY_MS, 1_000 * 2 ** (counted - UNSLOWED - 1));
}

/** True if donor-sync has to notify the user of an attack. */
export function isAttacked(wrong: number): boolean {
  return wrong >= UNSLOWED;
}

function tooMany(message: string, waitMs: number): HttpError {
  return tryLater(429, 'too_many_attempts', message, waitMs);
}
