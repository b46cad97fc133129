import type { Clock } from '../core/clock.ts';
import { tryLater } from './request/errors.ts';

/** Wrong tokens that an address may present within the time below. */
const MAX_FAILURES = 20;
const WINDOW_MS = 60_000;

/** Addresses that are remembered; the one that has waited longest makes room. */
const MAX_ADDRESSES = 10_000;

/**
 * Counts wrong tokens by address, so that guessing is slow. A right token is never counted nor
 * refused: who shares an address with a guesser, behind one proxy for example, is not shut out.
 */
export interface Attempts {
  /** Throws an HttpError (429) while an address has failed too often; asked about a wrong token. */
  requireAllowed(address: string): void;
  noteFailure(address: string): void;
}

interface Failures {
  count: number;
  /** Epoch ms; from then on the count begins anew. */
  until: number;
}

/** `onLimit` is called once when an address has reached the limit. */
export function createAttempts(
  clock: Pick<Clock, 'now'>,
  onLimit: (address: string) => void = () => {},
): Attempts {
  const failures = new Map<string, Failures>();

  function current(address: string): Failures | undefined {
    const found = failures.get(address);
    const restMs = (found?.until ?? 0) - clock.now();
    // More than the whole window: the clock was set back.
    return restMs > 0 && restMs <= WINDOW_MS ? found : undefined;
  }

  return {
    requireAllowed(address) {
      const found = current(address);
      if (found === undefined || found.count < MAX_FAILURES) return;
      throw tryLater(
        429,
        'too_many_attempts',
        'Too many wrong tokens came from this address. Wait a while.',
        found.until - clock.now(),
      );
    },
    noteFailure(address) {
      const { count, until } = current(address) ?? { count: 0, until: clock.now() + WINDOW_MS };
      failures.delete(address);
      failures.set(address, { count: count + 1, until });
      const [oldest] = failures.keys();
      if (failures.size > MAX_ADDRESSES && oldest !== undefined) failures.delete(oldest);
      if (count + 1 === MAX_FAILURES) onLimit(address);
    },
  };
}
