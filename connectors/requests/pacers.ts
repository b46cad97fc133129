/** Creates the pacers, which limit the requests to a CRM. All requests that the CRM counts together share one pacer. */
import type { Clock } from '../../src/core/clock.ts';
import {
  createPace,
  type DepartureBoard,
  sharedWindow,
  slidingWindow,
  type WindowLimit,
} from '../../src/outbound/pace.ts';
import type { RequestPace } from './exchange.ts';

export interface Pacer extends RequestPace {
  /** Sets a different limit. */
  keep(limit: WindowLimit): void;
}

export type PaceClock = Pick<Clock, 'monotonicMs' | 'sleep'>;

/** Creates the pacer for a key. If there is a departure board, all processes share the pacer. */
export function createPacer(
  clock: PaceClock,
  limit: WindowLimit,
  shared: { board: DepartureBoard; key: string } | null = null,
): Pacer {
  const { take, pause, keep } = createPace({
    clock,
    lanes: ['all'],
    policy: shared ? sharedWindow(limit, { ...shared, clock }) : slidingWindow(limit),
  });
  return { take: (signal) => take('all', signal), pause, keep };
}

/**
 * Returns a function that stores the pacers of each departure board. The registry creates each pacer when it is first
 * used. The key null is for pacers that only this process uses.
 */
export function eachBoard<Paces>(
  make: (board: DepartureBoard | null) => Paces,
): (board: DepartureBoard | null) => Paces {
  const known = new Map<DepartureBoard | null, Paces>();
  return (board) => {
    const paces = known.get(board) ?? make(board);
    known.set(board, paces);
    return paces;
  };
}
