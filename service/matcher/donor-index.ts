/** The index of all donors by name, kept in the database so that a file is indexed only once. */

import type { World } from '../../people/world.ts';
import type { Database } from '../database.ts';
import { settlePeople } from '../settled-people.ts';
import { type ComparableAddress, decodeAddresses } from './addresses.ts';
import type { DonorRow } from './donor-rows.ts';
import { withinOneEdit, withOneDeletion } from './words.ts';

/** A donor as the matcher sees one. */
export interface Candidate {
  number: number;
  first: string;
  middles: string[];
  last: string;
  /** Most candidates are ruled out by their names, so the rest is only read when asked for. */
  addresses(): ComparableAddress[];
  /** Present and past ones. */
  employers(): string[];
}

/** What can be asked about the donors' names; all names are comparable ones. */
export interface DonorIndex {
  donorCount: number;
  withName(last: string, first: string): Candidate[];
  withLastName(last: string): Candidate[];
  /** The first names of all who bear a last name, some at a time. */
  namesWithLast(last: string): Iterable<{ number: number; first: string }[]>;
  /** How many donors bear it. */
  countFirstName(first: string): number;
  countLastName(last: string): number;
  /** The last names of donors that lie within one edit of this one. */
  similarLastNames(last: string): string[];
}

/** Opens the index of a world, whose people are settled first if the database is new. */
export function openDonorIndex(db: Database, world: World): DonorIndex {
  settlePeople(db, world);
  return readIndex(db, world.donorCount);
}

/** So many names are read at a time. */
const NAMES_AT_ONCE = 2_000;

function readIndex(db: Database, donorCount: number): DonorIndex {
  const byName = db.prepare<[string, string], DonorRow>(
    'select * from donor_names where last = ? and first = ?',
  );
  const byLastName = db.prepare<[string], DonorRow>('select * from donor_names where last = ?');
  const namesByLast = db.prepare<
    [string, string, number, number],
    { number: number; first: string }
  >(
    `select number, first from donor_names
     where last = ? and (first, number) > (?, ?) order by first, number limit ?`,
  );
  const firstNames = readCounts(db, 'first_names');
  const lastNames = readCounts(db, 'last_names');
  const shortened = shortenedNames(lastNames.keys());
  return {
    donorCount,
    withName: (last, first) => byName.all(last, first).map(toCandidate),
    withLastName: (last) => byLastName.all(last).map(toCandidate),
    *namesWithLast(last) {
      let from = { first: '', number: -1 };
      let names: { number: number; first: string }[];
      do {
        names = namesByLast.all(last, from.first, from.number, NAMES_AT_ONCE);
        yield names;
        from = names.at(-1) ?? from;
      } while (names.length === NAMES_AT_ONCE);
    },
    countFirstName: (first) => firstNames.get(first) ?? 0,
    countLastName: (last) => lastNames.get(last) ?? 0,
    similarLastNames(last) {
      const near = withOneDeletion(last).flatMap((key) => shortened.get(key) ?? []);
      return [...new Set(near)].filter((name) => name !== last && withinOneEdit(name, last));
    },
  };
}

function readCounts(db: Database, table: 'first_names' | 'last_names'): Map<string, number> {
  const rows = db.prepare<[], { name: string; bearers: number }>(`select * from ${table}`).all();
  return new Map(rows.map(({ name, bearers }) => [name, bearers]));
}

function shortenedNames(names: Iterable<string>): Map<string, string[]> {
  const shortened = new Map<string, string[]>();
  for (const name of names) {
    for (const key of withOneDeletion(name)) {
      shortened.set(key, [...(shortened.get(key) ?? []), name]);
    }
  }
  return shortened;
}

function toCandidate(row: DonorRow): Candidate {
  return {
    number: row.number,
    first: row.first,
    middles: row.middle === '' ? [] : row.middle.split(' '),
    last: row.last,
    addresses: () => decodeAddresses(row.addresses),
    employers: () => row.employers.split('\n'),
  };
}
