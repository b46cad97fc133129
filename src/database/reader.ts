import type { Clock } from '../core/clock.ts';
import type { Database } from './tables/tables.ts';

/**
 * The first argument of functions that read: the connection, or any transaction. It has none of the methods that
 * change rows, so that what is given a reader leaves the database as it is.
 */
export type Reader = Pick<
  Database,
  'selectFrom' | 'selectNoFrom' | 'with' | 'fn' | 'getExecutor' | 'executeQuery'
>;

/** The same, with the time. */
export type TimedReader = Reader & { readonly clock: Clock };

/** The connection, for single statements that belong neither to a run nor to an actor, such as the pace of a key. */
export type TimedConnection = Database & { readonly clock: Clock };
