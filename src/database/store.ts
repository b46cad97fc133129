import { type Act, actAs, type WriteContext } from './actor-transaction.ts';
import type { Fingerprint } from './encryption/fingerprint.ts';
import { type Checkpoint, type LeaseQueries, leaseQueries } from './leases.ts';
import type { TimedConnection, TimedReader } from './reader.ts';
import type { Database } from './tables/tables.ts';

/** The open database. Functions of all topics take `reader` or a transaction as their first argument. */
export interface Store {
  /** The reader for functions that only read. */
  readonly reader: TimedReader;
  readonly connection: TimedConnection;
  readonly fingerprint: Fingerprint;
  readonly leases: LeaseQueries;
  readonly checkpoint: Checkpoint;
  /** Runs a transaction on behalf of this store's actor. */
  readonly act: Act;
}

export function openStore(db: Database, context: WriteContext): Store {
  const { clock, fingerprint } = context;
  // A separate object, so that the caller's own object does not get a clock.
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
