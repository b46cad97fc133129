/** The world of a service whose people were imported: it is read from the database as it is asked for. */

import { crmPersonOf } from '../../people/crm-person.ts';
import type { World } from '../../people/world.ts';
import { openConnectionEngine } from '../connections/engine.ts';
import type { Database } from '../database.ts';
import { createStoredConnections } from '../networks/stored-connections.ts';
import { IMPORTED, settleAnew } from '../settled-people.ts';
import { openRecord, type RecordStore } from './store.ts';

/** Where people see the donor with an id. */
export type PageOf = (id: string) => string;

/** The people of a record as they are now. */
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
    donor,
    crmPerson: (number) => crmPersonOf(donor(number % donorCount), number),
    donorNumber: (id) => record.numberOf(id),
  };
}

/** Opens the imported people, and brings ties, index and search up to what was imported. */
export function openRecordedWorld(db: Database, pageOf?: PageOf): World {
  const world = createRecordedWorld(openRecord(db), pageOf);
  if (settleAnew(db, world)) {
    createStoredConnections(db, openConnectionEngine(db, world)).renew();
  }
  return world;
}

/** Another import gives another text: then everything that is derived from the people is made anew. */
function describe(record: RecordStore): string {
  return `${record.count()} ${IMPORTED} after ${record.changes()} changes`;
}
