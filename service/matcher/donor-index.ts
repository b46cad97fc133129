/** The index of all donors. It is stored in the database, so a file is indexed only once. */

import type { Database } from '../database.ts';
import type { Donor, World } from '../donor.ts';
import { shareList } from '../record/lists.ts';
import { settlePeople } from '../settled-people.ts';
import { type ComparableAddress, decodeAddresses } from './addresses.ts';
import { type DonorRow, entriesOf } from './donor-rows.ts';
import { type KnownNames, openKnownNames } from './known-names.ts';
import type { ComparableName } from './names.ts';

/** A donor as the matcher sees it. */
export interface Candidate extends ComparableName {
  number: number;
  isDead: boolean;
  /** An invented person has no namesakes outside the file. */
  isInvented: boolean;
  /** True if it is known where the donor went to school. */
  hasStudied: boolean;
  /** Most candidates are ruled out by their names, so the rest is read only on request. */
  addresses(): ComparableAddress[];
  /** Current and past ones. */
  employers(): string[];
  /** The day or the year of birth. Empty if unknown. */
  born: string;
}

/** Queries about the donors. All names are comparable names. */
export interface DonorIndex {
  donorCount: number;
  candidate(number: number): Candidate | undefined;
  /** Returns the numbers of donors with this name, including as a former or second name; at most `limit`. */
  named(last: string, first: string, limit: number): number[];
  /** Does the same for an initial. */
  withInitial(last: string, initial: string, limit: number): number[];
  /** Returns the numbers of the donors in a house, by one of its keys. */
  inHouse(key: string, limit: number): number[];
  /** True if an operator has decided that two donors are two people. */
  areApart(one: number, other: number): boolean;
  /**
   * True if two donors are from one list in which each person has only one ID. True for donors that were not imported.
   */
  areOfOneList(one: number, other: number): boolean;
  /** Returns how many donors work or worked for an employer. */
  employerSize(employer: string): number;
  /** Yields the first names of all donors with a last name, in batches. */
  namesWithLast(last: string): Iterable<{ number: number; first: string }[]>;
  /** Returns the number of donors with the name. */
  countFirstName(first: string): number;
  countLastName(last: string): number;
  /** Returns the names of donors within one edit of this one. */
  similarFirstNames(first: string): string[];
  similarLastNames(last: string): string[];
}

/** Opens the index of a world. If the database is new, the world's people are written to it first. */
export function openDonorIndex(db: Database, world: World): DonorIndex {
  settlePeople(db, world);
  return indexOf(db, world.donorCount);
}

/** The number of names that are read at a time. */
const NAMES_AT_ONCE = 2_000;

/** Returns the index of a database whose people are settled. */
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

/** Returns a donor in the form in which it would be in the index. */
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
