/** Erases an imported person, and prevents them from coming back. */

import type { Database } from '../database.ts';
import { createJobs } from '../jobs.ts';
import { openDonorIndex } from '../matcher/donor-index.ts';
import { createMatcher } from '../matcher/matcher.ts';
import { matchAll } from '../matching-worker.ts';
import { Refusal } from '../operation/refusal.ts';
import { openBlocklist } from './blocklist.ts';
import { openParts } from './parts.ts';
import { openReferences } from './references.ts';
import { openRecord } from './store.ts';
import { openRecordedWorld } from './world.ts';

/**
 * Erases the donor with an ID: profile, sources, matches, places in lists and networks, and the
 * files of exports that contain them. IDs that were joined to this one are erased with it. No
 * service may be using the database.
 */
export function erasePerson(db: Database, id: string, clock: () => number): void {
  const world = openRecordedWorld(db);
  // Jobs that wait for their match contain details of people. Matched jobs contain only the donor's number.
  matchAll(createJobs(db, clock), createMatcher(openDonorIndex(db, world)));
  db.transaction(() => {
    const record = openRecord(db);
    const number = record.numberOf(id);
    const donor = number === null ? null : record.donor(number);
    if (number === null || donor === null) {
      throw new Refusal(`There is no donor ${id}. Ids are in profiles: "id".`);
    }
    const parts = openParts(db)
      .of(number)
      .map((part) => part.id);
    const ids = [...new Set([donor.id, id, ...record.aliasesOf(number), ...parts])];
    openBlocklist(db).block(donor, ids, record.keysOf(number));
    openReferences(db).forget(number, ids);
    const gone = { joinedTo: null, probability: null, reasons: [] };
    record.vacate({ number, ...gone, atMs: clock() });
  }).immediate();
  openRecordedWorld(db);
  // Deleted data, old or new, remains in the free pages of a file until they are rewritten.
  db.exec('vacuum');
  db.pragma('wal_checkpoint(truncate)');
}

/** Allows the next import to bring an erased person back. */
export function allowAgain(db: Database, id: string): void {
  if (!openBlocklist(db).allow(id)) {
    throw new Refusal(`No donor ${id} was erased, or the donor is already allowed to come back.`);
  }
}
