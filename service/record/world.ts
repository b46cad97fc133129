/** A world that consists of imported people. The world reads people from the database when they are needed. */

import { openConnectionEngine } from '../connections/engine.ts';
import type { Database } from '../database.ts';
import type { World } from '../donor.ts';
import { createStoredConnections } from '../networks/stored-connections.ts';
import { IMPORTED, settleAnew } from '../settled-people.ts';
import { openRecord, type RecordStore } from './store.ts';

/** Returns the URL of a donor's page. */
export type PageOf = (id: string) => string;

/** Returns a world with the current imported people. */
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
 * Opens the store of imported people. Also updates the ties, the index, the search and the stored connections after an
 * import.
 */
export function openRecordedWorld(db: Database, pageOf?: PageOf): World {
  const world = createRecordedWorld(openRecord(db), pageOf);
  // The connections are updated in the same transaction, because nothing else shows that they are out of date.
  const update = db.transaction(() => {
    if (settleAnew(db, world)) {
      createStoredConnections(db, openConnectionEngine(db, world)).renew();
    }
  });
  update.immediate();
  return world;
}

/** Returns the day of the last import. The files contain no data about later days. */
function dayOfLastImport(record: RecordStore): string {
  return new Date(record.imports().at(-1)?.atMs ?? 0).toISOString().slice(0, 10);
}

/**
 * Returns a description of the people. Each import changes the text. If the description has changed, all data that is
 * derived from the people must be created again.
 */
function describe(record: RecordStore): string {
  return `${record.count()} ${IMPORTED} after ${record.changes()} changes`;
}
