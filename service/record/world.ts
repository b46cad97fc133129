/** The world reads them from the database when they are needed. */

import { openConnectionEngine } from '../connections/engine.ts';
import type { Database } from '../database.ts';
import type { World } from '../donor.ts';
import { createStoredConnections } from '../networks/stored-connections.ts';
import { IMPORTED, settleAnew } from '../settled-people.ts';
import { openRecord, type RecordStore } from './store.ts';

/** Returns the URL of a donor's page. */
export type PageOf = (id: string) => string;

/** Returns the current people of a record. */
function createRecordedWorld(record: RecordStore, pageOf?: PageOf): World {
  const donorCount = record.count();
  const donor = (number: number) => {
    const found = record.donor(number);
    if (found === null) throw new RangeError(`There is no donor ${number}`);
    return pageOf === undefined ? found : { ...found, page: pageOf(found.id) };
  };
  return {
    seed: 0,
    donorCount,
    realPeople: describe(record),
    asOf: dayOfLastImport(record),
    donor,
    donorNumber: (id) => record.numberOf(id),
  };
}

/**
 * Opens the store of imported people. Updates ties, index, search and stored connections so that they include the last
 * import.
 */
export function openRecordedWorld(db: Database, pageOf?: PageOf): World {
  const world = createRecordedWorld(openRecord(db), pageOf);
  // After the people are settled, nothing shows that connections are older.
  const update = db.transaction(() => {
    if (settleAnew(db, world)) {
      createStoredConnections(db, openConnectionEngine(db, world)).renew();
    }
  });
  update.immediate();
  return world;
}

/** The files contain no data about later times. */
function dayOfLastImport(record: RecordStore): string {
  return new Date(record.imports().at(-1)?.atMs ?? 0).toISOString().slice(0, 10);
}

/**
 * Describes the people. Each import changes the text. After a change, all data derived from the people has to be
 * created again.
 */
function describe(record: RecordStore): string {
  return `${record.count()} ${IMPORTED} after ${record.changes()} changes`;
}
