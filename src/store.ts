import { type Actor, PRODUCT } from './core/actor.ts';
import type { Clock } from './core/clock.ts';
import {
  journalOfStore,
  noSpendingJournal,
  type SpendingJournal,
  type StoreJournal,
} from './credits/statements/journal/spending-journal.ts';
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
  /** Checks that the database file has not been replaced. Omitted for a database that nobody can replace. */
  requireInPlace?: RequireInPlace;
  /** The requester of changes, for the audit. */
  actor?: Actor;
  /** The erasure log. Omitted if erasures are not recorded outside the database. */
  erasures?: ErasureLog;
  /** The write log. Omitted if writes are not recorded outside the database. */
  writeLog?: WriteLog;
  /** The spending journal. Omitted if spending is not recorded outside the database. */
  spendingJournal?: SpendingJournal;
  /** Called when runs are requested. Omitted if no other part of donor-sync has to be notified. */
  asked?: RunsAsked;
}

const unheard: RunsAsked = async () => {};

/** The open database together with its logs. The store makes all changes on behalf of a requester. */
export interface Store extends DatabaseStore {
  readonly requireInPlace: RequireInPlace;
  readonly erasures: ErasureLog;
  readonly writeLog: WriteLog;
  /** The journal that records spending outside the database. */
  readonly spendingJournal: StoreJournal;
  /** Returns the same store with a different requester, for the audit. */
  actingAs(actor: Actor): Store;
}

export function createStore(deps: StoreDeps): Store {
  const { db, clock, fingerprint, actor = PRODUCT, asked = unheard } = deps;
  const { requireInPlace = neverReplaced, writeLog = noWriteLog } = deps;
  const { spendingJournal = noSpendingJournal } = deps;
  const tag = storeTag(fingerprint);
  return {
    ...openStore(db, { clock, actor, fingerprint, asked }),
    requireInPlace,
    erasures: logOfStore(deps.erasures ?? noErasureLog, tag),
    writeLog,
    spendingJournal: journalOfStore(spendingJournal, tag),
    actingAs: (other) => createStore({ ...deps, actor: other }),
  };
}
