/** The index of all donors. The index is stored in the database, so each file is indexed only once. */

import type { Database } from '../database.ts';
import type { Donor, World } from '../donor.ts';
import { shareList } from '../record/lists.ts';
import { settlePeople } from '../settled-people.ts';
import { type ComparableAddress, decodeAddresses } from './addresses.ts';
import { type DonorRow, entriesOf } from './donor-rows.ts';
import { type KnownNames, openKnownNames } from './known-names.ts';
import type { ComparableName } from './names.ts';

/** A donor in the form that the matcher uses for comparisons. */
export interface Candidate extends ComparableName {
  number: number;
  isDead: boolean;
  /** True for a fictional person, whose name nobody outside the file has. */
  isInvented: boolean;
  /** True if the donor's school is known. */
  hasStudied: boolean;
  /**
   * Returns the donor's addresses. The matcher reads addresses only when it needs them, because it excludes most
   * candidates by their names.
   */
  addresses(): ComparableAddress[];
  /** Returns current and former employers. */
  employers(): string[];
  /** The donor's date or year of birth, or an empty text. */
  born: string;
}

/** Queries about donors, with all names in their comparable form. */
export interface DonorIndex {
  donorCount: number;
  candidate(number: number): Candidate | undefined;
  named(last: string, first: string, limit: number): number[];
  withInitial(last: string, initial: string, limit: number): number[];
  /** Returns the numbers of at most `limit` donors in a house. The argument is one of the house's keys. */
  inHouse(key: string, limit: number): number[];
  /** Returns true if an operator has decided that the two donors are two people. */
  areApart(one: number, other: number): boolean;
  /**
   * Returns true if one list contains both donors, because each person has only one ID in a list. Also returns true for
   * donors that were not imported.
   */
  areOfOneList(one: number, other: number): boolean;
  employerSize(employer: string): number;
  /** Yields the first names of all donors with this last name, in batches. */
  namesWithLast(last: string): Iterable<{ number: number; first: string }[]>;
  /** Returns the number of donors with this first name. */
  countFirstName(first: string): number;
  countLastName(last: string): number;
  /** Returns the first names of donors that differ from the given name by at most one edit. */
  similarFirstNames(first: string): string[];
  similarLastNames(last: string): string[];
}

/** Opens the index. If the database is new, first writes the world's people to it. */
export function openDonorIndex(db: Database, world: World): DonorIndex {
  settlePeople(db, world);
  return indexOf(db, world.donorCount);
}

const NAMES_AT_ONCE = 2_000;

/** Returns the index of a database that already contains its people. */
export function indexOf(
  db: Database,
  donorCount: number,
  firstNames: KnownNames = openKnownNames(db, 'first_names'),
  lastNames: KnownNames = openKnownNames(db, 'last_names'),
): DonorIndex {
  return {
    ...prepareNumbers(db),
    donorCount,
    countFirstName: firstNames.count,
    countLastName: lastNames.count,
    similarFirstNames: firstNames.similar,
    similarLastNames: lastNames.similar,
  };
}

function prepareNumbers(db: Database) {
  const byNumber = db.prepare<[number], DonorRow>('select * from donor_index where number = ?');
  const byName = prepareNumberList<[string, string, string, string, number]>(
    db,
    `select number from donor_index where last = ? and first = ?
     union select number from donor_other_names where last = ? and first = ? limit ?`,
  );
  const byInitial = prepareNumberList<[string, string, string, number]>(
    db,
    'select number from donor_index where last = ? and first >= ? and first < ? limit ?',
  );
  const byHouse = prepareNumberList<[string, number]>(
    db,
    'select number from donor_houses where house = ? limit ?',
  );
  const apart = db.prepare<[number, number]>(
    'select 1 from record_apart where one = ? and other = ?',
  );
  const keys = db.prepare<[number], string>('select key from record_keys where number = ?').pluck();
  const sizeOf = db
    .prepare<[string], number>('select donors from employer_sizes where name = ?')
    .pluck();
  const namesByLast = db.prepare<
    [string, string, number, number],
    { number: number; first: string }
  >(
    `select number, first from donor_index
     where last = ? and (first, number) > (?, ?) order by first, number limit ?`,
  );
  return {
    candidate(number: number) {
      const row = byNumber.get(number);
      return row === undefined ? undefined : toCandidate(row);
    },
    named: (last: string, first: string, limit: number) => byName(last, first, last, first, limit),
    withInitial: (last: string, initial: string, limit: number) =>
      byInitial(last, initial, `${initial}\uffff`, limit),
    inHouse: (key: string, limit: number) => byHouse(key, limit),
    areApart: (one: number, other: number) =>
      apart.get(Math.min(one, other), Math.max(one, other)) !== undefined,
    areOfOneList(one: number, other: number) {
      const [mine, theirs] = [keys.all(one), keys.all(other)];
      return mine.length === 0 || theirs.length === 0 || shareList(mine, theirs);
    },
    employerSize: (employer: string) => sizeOf.get(employer) ?? 0,
    *namesWithLast(last: string) {
      let from = { first: '', number: -1 };
      let names: { number: number; first: string }[];
      do {
        names = namesByLast.all(last, from.first, from.number, NAMES_AT_ONCE);
        yield names;
        from = names.at(-1) ?? from;
      } while (names.length === NAMES_AT_ONCE);
    },
  };
}

function prepareNumberList<Parameters extends unknown[]>(db: Database, sql: string) {
  const statement = db.prepare<Parameters, number>(sql).pluck();
  return (...parameters: Parameters): number[] => statement.all(...parameters);
}

/** Returns a donor in the form of the index. */
export function candidateOf(number: number, donor: Donor): Candidate {
  return toCandidate(entriesOf(number, donor).row);
}

function toCandidate(row: DonorRow): Candidate {
  return {
    number: row.number,
    isDead: row.isDead === 1,
    isInvented: row.isInvented === 1,
    hasStudied: row.hasStudied === 1,
    first: row.first,
    middles: listIn(row.middle, ' '),
    last: row.last,
    lastParts: listIn(row.lastParts, ' '),
    addresses: () => decodeAddresses(row.addresses),
    employers: () => listIn(row.employers, '\n'),
    born: row.born,
    generation: row.generation,
  };
}

function listIn(text: string, separator: string): string[] {
  return text === '' ? [] : text.split(separator);
}
