/** An index to which donors can be added. The matcher finds new donors immediately. */

import type { Database } from '../database.ts';
import type { Donor } from '../donor.ts';
import { type DonorIndex, indexOf } from './donor-index.ts';
import { entriesOf, prepareInserts } from './donor-rows.ts';
import { openKnownNames } from './known-names.ts';

/** An index to which donors can be added. */
export interface GrowingIndex {
  index: DonorIndex;
  /** Writes a donor's entries and replaces existing entries. The caller starts the transaction. */
  put(number: number, donor: Donor, before: Donor | null): void;
  /** Removes a donor's entries. */
  remove(number: number, donor: Donor): void;
}

/** Opens the index of a database that already contains its people. */
export function openGrowingIndex(db: Database, donorCount: number): GrowingIndex {
  const firstNames = openKnownNames(db, 'first_names');
  const lastNames = openKnownNames(db, 'last_names');
  const sql = { ...prepareInserts(db), ...prepareChanges(db) };
  const index = indexOf(db, donorCount, firstNames, lastNames);

  function remove(number: number, donor: Donor): void {
    const { row, otherNames, employers, houses } = entriesOf(number, donor);
    sql.remove.run(number);
    for (const [last, first] of otherNames) sql.removeName.run(last, first, number);
    for (const house of houses) sql.removeHouse.run(house, number);
    for (const employer of employers) sql.resize.run({ employer, change: -1 });
    firstNames.change(row.first, -1);
    lastNames.change(row.last, -1);
  }

  return {
    index,
    remove,
    put(number, donor, before) {
      if (before === null) index.donorCount += 1;
      else remove(number, before);
      const { row, otherNames, employers, houses } = entriesOf(number, donor);
      sql.insert(row);
      for (const [last, first] of otherNames) sql.insertName(last, first, number);
      for (const house of houses) sql.insertHouse.run(house, number);
      for (const employer of employers) sql.resize.run({ employer, change: 1 });
      firstNames.change(row.first, 1);
      lastNames.change(row.last, 1);
    },
  };
}

function prepareChanges(db: Database) {
  return {
    remove: db.prepare<[number]>('delete from donor_index where number = ?'),
    removeName: db.prepare<[string, string, number]>(
      'delete from donor_other_names where last = ? and first = ? and number = ?',
    ),
    insertHouse: db.prepare<[string, number]>('insert or ignore into donor_houses values (?, ?)'),
    removeHouse: db.prepare<[string, number]>(
      'delete from donor_houses where house = ? and number = ?',
    ),
    resize: db.prepare<[{ employer: string; change: number }]>(
      `insert into employer_sizes values (@employer, @change)
       on conflict do update set donors = donors + @change`,
    ),
  };
}
