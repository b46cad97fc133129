import type { Clock } from '../core/clock.ts';

/**
 * What time it is at the service, by the `Date` of its answers. The monotonic clock carries the last
 * one on, so that a clock of this machine that is set between two answers shows as well.
 */
export interface ServiceTime {
  /** Notes an answer to a request that was sent at that moment of the monotonic clock. */
  note(headers: Headers, sentMs: number): void;
  /**
   * How far this machine's clock is ahead of the service's, in milliseconds; less than 0 if it is
   * behind. 0 if it is within what the way there and back leaves open; null if nothing is known.
   */
  aheadMs(): number | null;
}

/** A `Date` is cut off to the second. */
const DATE_UNIT_MS = 1_000;

export function createServiceTime(clock: Pick<Clock, 'now' | 'monotonicMs'>): ServiceTime {
  /** The service's time at the moment zero of the monotonic clock lies between these (epoch ms). */
  let zero: { earliest: number; latest: number } | null = null;
  return {
    note(headers, sentMs) {
      const dateMs = Date.parse(headers.get('date') ?? '');
      // What a cache on the way has kept tells of the time when it was kept.
      if (Number.isNaN(dateMs) || headers.has('age')) return;
      // However long the way took, the service said it between the sending and this moment.
      zero = { earliest: dateMs - clock.monotonicMs(), latest: dateMs + DATE_UNIT_MS - sentMs };
    },
    aheadMs() {
      if (zero === null) return null;
      const now = clock.now() - clock.monotonicMs();
      if (now > zero.latest) return now - zero.latest;
      return now < zero.earliest ? now - zero.earliest : 0;
    },
  };
}
