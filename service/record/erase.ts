/** Erases an imported person and prevents the person from being imported again. */

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
 * Erases the donor with this ID. The function deletes the profile, the sources, the matches, and the donor's entries in
 * lists and networks. The function also deletes export files that contain the donor. IDs that were joined to this ID
 * are erased too. If an earlier erasure of this person was interrupted, completes the erasure. Stop all services that
 * use the database first.
 */
export function erasePerson(db: Database, id: string, clock: () => number): void {
  const world = openRecordedWorld(db);
  // All jobs are matched first, because jobs without a match contain details of people. After the match, a job contains
  // only the donor's number.
  matchAll(createJobs(db, clock), createMatcher(openDonorIndex(db, world)));
  const erase = db.transaction(() => {
    const record = openRecord(db);
    const number = record.numberOf(id);
    const donor = number === null ? null : record.donor(number);
    const blocklist = openBlocklist(db);
    if (number === null || donor === null) {
      if (blocklist.has(id)) return;
      throw new Refusal(`There is no donor ${id}. Ids are in profiles: "id".`);
    }
    const parts = openParts(db).of(number);
    const partIds = parts.map((part) => part.id);
    const ids = [...new Set([donor.id, id, ...record.aliasesOf(number), ...partIds])];
    const described = parts.map((part) => part.donor);
    blocklist.block([donor, ...described], ids, record.keysOf(number));
    openReferences(db).forget(number, ids);
    const gone = { joinedTo: null, probability: null, reasons: [] };
    record.vacate({ number, ...gone, atMs: clock() });
  });
  erase.immediate();
  openRecordedWorld(db);
  rewrite(db, id);
}

/** Rewrites the database file and its journal, because free pages of the file still contain the deleted data. */
function rewrite(db: Database, id: string): void {
  const erased = `${id} is erased, but deleted data is still on the disk`;
  try {
    db.exec('vacuum');
  } catch (error) {
    throw new Refusal(
      `${erased}, because the file could not be rewritten: ${error instanceof Error ? error.message : String(error)}. It needs as much free space again as the file has. Then repeat the command.`,
      { cause: error },
    );
  }
  // While another program reads the file, SQLite cannot copy the journal into the file. SQLite does not treat this as
  // an error.
  if (db.pragma('wal_checkpoint(truncate)', { simple: true }) !== 0) {
    throw new Refusal(
      `${erased}, because another program is reading the file. Wait until it has ended, and repeat the command.`,
    );
  }
}

/** Allows an erased person to be imported again. */
export function allowAgain(db: Database, id: string): void {
  if (!openBlocklist(db).allow(id)) {
    throw new Refusal(`No donor ${id} was erased, or the donor is already allowed to come back.`);
  }
}
