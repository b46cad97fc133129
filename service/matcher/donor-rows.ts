/** Writes the index of all donors by name, house and employer. */

import type { Donor } from '../../people/world.ts';
import type { Database } from '../database.ts';
import { comparableAddress, encodeAddresses, houseKeys } from './addresses.ts';
import { comparableEmployer } from './employers.ts';
import { type ComparableName, comparableName } from './names.ts';
import { INDEX_VERSION } from './tables.ts';

/** A donor in the index; all names are comparable ones. */
export interface DonorRow {
  number: number;
  last: string;
  first: string;
  middle: string;
  /** The single names of a last name that has several. */
  lastParts: string;
  /** As `encodeAddresses` writes them. */
  addresses: string;
  /** One a line. */
  employers: string;
  isDead: number;
  /** An invented person has no namesakes outside the file. */
  isInvented: number;
}

/** Takes all donors; the caller opens the transaction. */
export function createDonorRows(db: Database) {
  db.exec(`
    drop table if exists donor_names;
    delete from donor_index; delete from donor_other_names; delete from donor_houses;
    delete from employer_sizes; delete from first_names; delete from last_names;
  `);
  const insert = db.prepare<[DonorRow]>(
    `insert into donor_index
     values (@number, @last, @first, @middle, @lastParts, @addresses, @employers, @isDead, @isInvented)`,
  );
  const insertName = db.prepare<[string, string, number]>(
    'insert or ignore into donor_other_names values (?, ?, ?)',
  );
  // The database sorts them in the end, which is several times as fast as writing them in disorder.
  db.exec('create temp table unsorted_houses (house text not null, number integer not null)');
  const insertHouse = db.prepare<[string, number]>('insert into unsorted_houses values (?, ?)');
  const sizes = new Map<string, number>();
  return {
    add(number: number, donor: Donor): void {
      const name = comparableName(donor.name.first, donor.name.middle ?? '', donor.name.last);
      const employers = employersOf(donor);
      insert.run(toRow(number, name, donor, employers));
      for (const [last, first] of otherNames(name)) insertName.run(last, first, number);
      for (const employer of employers) sizes.set(employer, (sizes.get(employer) ?? 0) + 1);
      for (const address of donor.addresses) {
        for (const key of houseKeys(comparableAddress(address))) insertHouse.run(key, number);
      }
    },
    /** To be called after the last one. */
    finish(): void {
      const insertSize = db.prepare<[string, number]>('insert into employer_sizes values (?, ?)');
      for (const size of sizes) insertSize.run(...size);
      db.exec(`
        insert or ignore into donor_houses select house, number from unsorted_houses order by house, number;
        drop table unsorted_houses;
        create index if not exists donor_index_by_name on donor_index (last, first);
        insert into first_names select first, count(*) from donor_index group by first;
        insert into last_names select last, count(*) from donor_index group by last;
      `);
      db.pragma(`user_version = ${INDEX_VERSION}`);
    },
  };
}

function employersOf(donor: Donor): Set<string> {
  return new Set(donor.work.map((role) => comparableEmployer(role.organisationName)));
}

/** Under which further names a donor is found: a middle name as the first or the last, parts of the last. */
function otherNames({ first, middles, last, lastParts }: ComparableName): [string, string][] {
  const full = middles.filter((middle) => middle.length > 1);
  return [
    ...lastParts.map((part): [string, string] => [part, first]),
    ...full.flatMap((middle): [string, string][] => [
      [last, middle],
      [middle, first],
    ]),
  ];
}

function toRow(
  number: number,
  name: ComparableName,
  donor: Donor,
  employers: ReadonlySet<string>,
): DonorRow {
  return {
    number,
    last: name.last,
    first: name.first,
    middle: name.middles.join(' '),
    lastParts: name.lastParts.join(' '),
    addresses: encodeAddresses(donor.addresses.map(comparableAddress)),
    employers: [...employers].join('\n'),
    isDead: Number(donor.isDeceased === true),
    // Real people never have invented wealth, and invented ones always have some.
    isInvented: Number(donor.netWorth !== null),
  };
}
