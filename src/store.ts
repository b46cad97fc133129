import { type Actor, PRODUCT } from './core/actor.ts';
import type { Clock } from './core/clock.ts';
import type { RunsAsked } from './database/actor-transaction.ts';
import type { Fingerprint } from './database/encryption/fingerprint.ts';
import { neverReplaced, type RequireInPlace } from './database/sqlite/database-file.ts';
import { openStore } from './database/store.ts';
import type { Database } from './database/tables/tables.ts';
import { auditRecorder } from './privacy/audit/record.ts';
import {
  type ErasureLog,
  logOfStore,
  noErasureLog,
  storeTag,
} from './privacy/statements/erasure-log.ts';
import { readEverything } from './privacy/statements/everything.ts';
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

/** All that the product may ask of its database, by intent. */
export interface Store extends ReturnType<typeof createQueries> {
  /** The same store, with another one who asks, for the audit. */
  actingAs(actor: Actor): Store;
}

export function createStore(deps: StoreDeps): Store {
  return { ...createQueries(deps), actingAs: (actor) => createStore({ ...deps, actor }) };
}

function createQueries(deps: StoreDeps) {
  const { db, clock, fingerprint } = deps;
  const { requireInPlace = neverReplaced, actor = PRODUCT, asked = unheard } = deps;
  const { writeLog = noWriteLog } = deps;
  const erasures = logOfStore(deps.erasures ?? noErasureLog, storeTag(fingerprint));
  const record = auditRecorder({ clock, fingerprint, actor });
  return {
    ...openStore(db, { clock, actor, fingerprint, asked }),
    requireInPlace,
    /** Where erasures are noted outside of the database. */
    erasures,
    /** Where writes are noted outside of the database. */
    writeLog,
    readEverything: (integrationId: string) => readEverything(db, integrationId),
  };
}
