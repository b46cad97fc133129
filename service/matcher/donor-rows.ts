/** Writes the index of all donors by name, house and employer. */

import type { Database } from '../database.ts';
import type { Donor } from '../donor.ts';
import { comparableAddress, encodeAddresses, houseKeys } from './addresses.ts';
import { comparableEmployer } from './employers.ts';
import { writeKnownNames } from './known-names.ts';
import { toLatin } from './latin.ts';
import { type ComparableName, comparableName } from './names.ts';
import { INDEX_TABLES, INDEX_VERSION } from './tables.ts';

/** A donor as a row of the index, with all names in their comparable form. */
export interface DonorRow {
  number: number;
  last: string;
  first: string;
  middle: string;
  /** The separate names within a last name that consists of several names. */
  lastParts: string;
  /** The addresses in the form of `encodeAddresses`. */
  addresses: string;
  /** The donor's employers, one per line. */
  employers: string;
  isDead: number;
  /** 1 for a fictional person, whose name nobody outside the file has. Otherwise 0. */
  isInvented: number;
  /** 1 if the service knows the donor's school, otherwise 0. */
  hasStudied: number;
  /** A real person's date or year of birth, or an empty text. */
  born: string;
  /** The generation that the name's suffix indicates, or null. */
  generation: number | null;
}

/**
 * Creates the tables, and returns functions that add donors. All donors must then be added. The caller starts the
 * transaction.
 */
export function createDonorRows(db: Database) {
  db.exec(`
    drop table if exists donor_names;
    drop table donor_index; delete from donor_other_names; delete from donor_houses;
    delete from employer_sizes; delete from first_names; delete from last_names;
    drop table if exists near_first_names; drop table if exists near_last_names;
  `);
  // The tables are created again, because an index from a different version may have other columns.
  db.exec(INDEX_TABLES);
  const { insert, insertName } = prepareInserts(db);
  // The rows are first stored without an order and are sorted at the end. Sorting at the end is several times faster.
  db.exec('create temp table unsorted_houses (house text not null, number integer not null)');
  const insertHouse = db.prepare<[string, number]>('insert into unsorted_houses values (?, ?)');
  const sizes = new Map<string, number>();
  return {
    add(number: number, donor: Donor): void {
      const { row, otherNames, employers, houses } = entriesOf(number, donor);
      insert(row);
      for (const [last, first] of otherNames) insertName(last, first, number);
      for (const employer of employers) sizes.set(employer, (sizes.get(employer) ?? 0) + 1);
      for (const key of houses) insertHouse.run(key, number);
    },
    /** Completes the index. Call the function after the last donor. */
    finish(): void {
      const insertSize = db.prepare<[string, number]>('insert into employer_sizes values (?, ?)');
      for (const size of sizes) insertSize.run(...size);
      db.exec(`
        insert or ignore into donor_houses select house, number from unsorted_houses order by house, number;
        drop table unsorted_houses;
        create index if not exists donor_index_by_name on donor_index (last, first);
      `);
      writeKnownNames(db, 'first_names', 'first');
      writeKnownNames(db, 'last_names', 'last');
      db.pragma(`user_version = ${INDEX_VERSION}`);
    },
  };
}

/** Writes one donor's entries into the index. */
export interface DonorInserts {
  insert(row: DonorRow): void;
  insertName(last: string, first: string, number: number): void;
}

/** Returns a function that writes one donor's entries into the index. */
export function prepareInserts(db: Database): DonorInserts {
  const row = db.prepare<[DonorRow]>(
    `insert into donor_index values (@number, @last, @first, @middle, @lastParts, @addresses,
                                     @employers, @isDead, @isInvented, @hasStudied, @born, @generation)`,
  );
  const name = db.prepare<[string, string, number]>(
    'insert or ignore into donor_other_names values (?, ?, ?)',
  );
  return {
    insert: (donor) => void row.run(donor),
    insertName: (last, first, number) => void name.run(last, first, number),
  };
}

/** Returns all index entries of a donor. */
export function entriesOf(number: number, donor: Donor) {
  const { first, middle, last } = donor.name;
  const name = comparableName(toLatin(first), toLatin(middle ?? ''), toLatin(last), donor.suffix);
  const employers = employersOf(donor);
  return {
    row: toRow(number, name, donor, employers),
    otherNames: otherNamesOf(name),
    employers,
    houses: new Set(donor.addresses.flatMap((address) => houseKeys(comparableAddress(address)))),
  };
}

/**
 * Returns a donor's employers. A real person's employers include the boards on which the person serves, because contact
 * lists often name a board as the employer.
 */
function employersOf(donor: Donor): Set<string> {
  const roles = isImported(donor) ? [...donor.work, ...donor.boards] : donor.work;
  return new Set(roles.map((role) => comparableEmployer(role.organisationName)));
}

function isImported({ sources }: Donor): boolean {
  return sources !== undefined;
}

/**
 * Returns additional names for the index: middle names, which can be a first or last name, and the parts of the last
 * name.
 */
function otherNamesOf({ first, middles, last, lastParts }: ComparableName): [string, string][] {
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
    // Fictional people always have fictional wealth. Real people in a generated world never have wealth.
    isInvented: Number(donor.netWorth !== null && !isImported(donor)),
    hasStudied: Number(donor.education.length > 0),
    born: isImported(donor) ? (donor.birthday ?? String(donor.birthYear ?? '')) : '',
    generation: name.generation,
  };
}
