import type { Clock } from '../core/clock.ts';
import type { Database } from './tables/tables.ts';

/**
 * The first argument of functions that read: the connection, or any transaction. It has no methods that change rows, so
 * a function that receives a reader does not change the database.
 */
export type Reader = Pick<
  Database,
  'selectFrom' | 'selectNoFrom' | 'with' | 'fn' | 'getExecutor' | 'executeQuery'
>;

/** The same, with a clock. */
export type TimedReader = Reader & { readonly clock: Clock };

/**
 * The connection, for single statements that belong neither to a run nor to an actor, such as those about the
 * pace of a key.
 */
export type TimedConnection = Database & { readonly clock: Clock };
