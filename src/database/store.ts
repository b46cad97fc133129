import { type Act, actAs, type WriteContext } from './actor-transaction.ts';
import type { Fingerprint } from './encryption/fingerprint.ts';
import { type Checkpoint, type LeaseQueries, leaseQueries } from './leases.ts';
import type { TimedConnection, TimedReader } from './reader.ts';
import type { Database } from './tables/tables.ts';

/**
 * The open database, in the form that topics use. Their functions take `reader` or a transaction as their
 * first argument.
 */
export interface Store {
  /** For functions that read. */
  readonly reader: TimedReader;
  /** For functions whose writes belong neither to a run nor to an actor. */
  readonly connection: TimedConnection;
  readonly fingerprint: Fingerprint;
  readonly leases: LeaseQueries;
  /** Runs a transaction of a run. */
  readonly checkpoint: Checkpoint;
  /** Runs a transaction in the name of the store's actor. */
  readonly act: Act;
}

export function openStore(db: Database, context: WriteContext): Store {
  const { clock, fingerprint } = context;
  // Uses a separate connection object, so the clock is not added to the caller's object.
  const connection = Object.assign(db.withTables(), { clock });
  const leases = leaseQueries(db, context);
  return {
    reader: connection,
    connection,
    fingerprint,
    leases,
    checkpoint: leases.checkpoint,
    act: actAs(db, context),
  };
}
