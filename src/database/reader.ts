import type { Clock } from '../core/clock.ts';
import type { Database } from './tables/tables.ts';

/**
 * The first argument of functions that read: a connection or any transaction. It has no methods that change rows, so a
 * function that receives it cannot change the database.
 */
export type Reader = Pick<
  Database,
  'selectFrom' | 'selectNoFrom' | 'with' | 'fn' | 'getExecutor' | 'executeQuery'
>;

/** The same, with a clock. */
export type TimedReader = Reader & { readonly clock: Clock };

/**
 * A connection for single statements that belong neither to a run nor to an actor, such as statements about a key's
 * pace.
 */
export type TimedConnection = Database & { readonly clock: Clock };
