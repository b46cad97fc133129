import type { Clock } from '../core/clock.ts';
import type { Database } from './tables/tables.ts';

/** A connection or any transaction, for functions that only read. It has no methods that change rows. */
export type Reader = Pick<
  Database,
  'selectFrom' | 'selectNoFrom' | 'with' | 'fn' | 'getExecutor' | 'executeQuery'
>;

export type TimedReader = Reader & { readonly clock: Clock };

/** For statements without a run or an actor, such as a key's pace. */
export type TimedConnection = Database & { readonly clock: Clock };
