/** Paces for the requests that a CRM counts together. */
import type { Clock } from '../../src/core/clock.ts';
import {
  createPace,
  type DepartureBoard,
  sharedWindow,
  slidingWindow,
  type WindowLimit,
} from '../../src/outbound/pace.ts';
import type { RequestPace } from './exchange.ts';

/** The pace of requests that a CRM counts together. */
export interface Pacer extends RequestPace {
  /** Keeps to a different limit from now on. */
  keep(limit: WindowLimit): void;
}

export type PaceClock = Pick<Clock, 'monotonicMs' | 'sleep'>;

/** Creates a key's pacer. On a board, all processes share it. */
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

/** Returns the paces of each board, which are created when they are first used. Null is for paces of this process. */
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
