import type { Clock } from '../core/clock.ts';
import type { Database } from './tables/tables.ts';

/** A connection or a transaction, for functions that only read. A reader has no methods to change rows. */
export type Reader = Pick<
  Database,
  'selectFrom' | 'selectNoFrom' | 'with' | 'fn' | 'getExecutor' | 'executeQuery'
>;

export type TimedReader = Reader & { readonly clock: Clock };

/** A connection with a clock, for statements without a run or an actor, such as the pace of a key. */
export type TimedConnection = Database & { readonly clock: Clock };
