import { type Actor, PRODUCT } from './core/actor.ts';
import type { Clock } from './core/clock.ts';
import type { RunsAsked } from './database/actor-transaction.ts';
import type { Fingerprint } from './database/encryption/fingerprint.ts';
import { neverReplaced, type RequireInPlace } from './database/sqlite/database-file.ts';
import { type Store as DatabaseStore, openStore } from './database/store.ts';
import type { Database } from './database/tables/tables.ts';
import {
  type ErasureLog,
  logOfStore,
  noErasureLog,
  storeTag,
} from './privacy/statements/erasure-log.ts';
import { noWriteLog, type WriteLog } from './privacy/statements/write-log.ts';

export interface StoreDeps {
  db: Database;
  clock: Clock;
  fingerprint: Fingerprint;
  /** Of the open database; left out for one that cannot be replaced. */
  requireInPlace?: RequireInPlace;
  /** Who asks, for the audit. */
  actor?: Actor;
  /** Where erasures are noted outside of the database; left out where they are not. */
  erasures?: ErasureLog;
  /** Where writes are noted outside of the database; left out where they are not. */
  writeLog?: WriteLog;
  /** Learns of runs that are asked for; left out where none does. */
  asked?: RunsAsked;
}

const unheard: RunsAsked = async () => {};

/** The open database with the logs that stand beside it, in the name of whoever asks. */
export interface Store extends DatabaseStore {
  readonly requireInPlace: RequireInPlace;
  /** Where erasures are noted outside of the database. */
  readonly erasures: ErasureLog;
  /** Where writes are noted outside of the database. */
  readonly writeLog: WriteLog;
  /** The same store, with another one who asks, for the audit. */
  actingAs(actor: Actor): Store;
}

export function createStore(deps: StoreDeps): Store {
  const { db, clock, fingerprint, actor = PRODUCT, asked = unheard } = deps;
  const { requireInPlace = neverReplaced, writeLog = noWriteLog } = deps;
  return {
    ...openStore(db, { clock, actor, fingerprint, asked }),
    requireInPlace,
    erasures: logOfStore(deps.erasures ?? noErasureLog, storeTag(fingerprint)),
    writeLog,
    actingAs: (other) => createStore({ ...deps, actor: other }),
  };
}
