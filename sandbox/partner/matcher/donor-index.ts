/** The index of all donors by name, kept in the database so that a file is indexed only once. */

import type { Donor, World } from '../../people/world.ts';
import type { Database } from '../database.ts';
import {
  type ComparableAddress,
  comparableAddress,
  decodeAddresses,
  encodeAddresses,
} from './addresses.ts';
import { comparableEmployer } from './employers.ts';
import { comparableName } from './names.ts';
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
  /** How many donors bear it. */
  countFirstName(first: string): number;
  countLastName(last: string): number;
  /** The last names of donors that lie within one edit of this one. */
  similarLastNames(last: string): string[];
}

/**
 * Opens the index of a world; builds it if the database is new. A database that belongs to
 * another world is an error, as its jobs would lead to other people.
 */
export function openDonorIndex(db: Database, world: World): DonorIndex {
  const present = db
    .prepare<[], { seed: number; donors: number }>('select seed, donors from world')
    .get();
  if (present === undefined) {
    buildIndex(db, world);
  } else if (present.seed !== world.seed || present.donors !== world.donorCount) {
    throw new Error(
      `The database holds a world of seed ${present.seed} with ${present.donors} donors, not of seed ${world.seed} with ${world.donorCount}.`,
    );
  }
  return readIndex(db, world.donorCount);
}

interface Row {
  number: number;
  last: string;
  first: string;
  middle: string;
  /** As `encodeAddresses` writes them. */
  addresses: string;
  /** One a line. */
  employers: string;
}

/** All or nothing: a start that was interrupted leaves an empty database. */
function buildIndex(db: Database, world: World): void {
  const insert = db.prepare<[Row]>(
    'insert into donor_names values (@number, @last, @first, @middle, @addresses, @employers)',
  );
  const build = db.transaction(() => {
    for (let number = 0; number < world.donorCount; number += 1) {
      insert.run(toRow(number, world.donor(number)));
    }
    db.exec(`
      create index donor_names_by_name on donor_names (last, first);
      insert into first_names select first, count(*) from donor_names group by first;
      insert into last_names select last, count(*) from donor_names group by last;
    `);
    db.prepare('insert into world values (1, ?, ?)').run(world.seed, world.donorCount);
  });
  build();
}

function toRow(number: number, donor: Donor): Row {
  const name = comparableName(donor.name.first, donor.name.middle ?? '', donor.name.last);
  const employers = new Set(donor.work.map((role) => comparableEmployer(role.organisationName)));
  return {
    number,
    last: name.last,
    first: name.first,
    middle: name.middles.join(' '),
    addresses: encodeAddresses(donor.addresses.map(comparableAddress)),
    employers: [...employers].join('\n'),
  };
}

function readIndex(db: Database, donorCount: number): DonorIndex {
  const byName = db.prepare<[string, string], Row>(
    'select * from donor_names where last = ? and first = ?',
  );
  const byLastName = db.prepare<[string], Row>('select * from donor_names where last = ?');
  const firstNames = readCounts(db, 'first_names');
  const lastNames = readCounts(db, 'last_names');
  const shortened = shortenedNames(lastNames.keys());
  return {
    donorCount,
    withName: (last, first) => byName.all(last, first).map(toCandidate),
    withLastName: (last) => byLastName.all(last).map(toCandidate),
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

function toCandidate(row: Row): Candidate {
  return {
    number: row.number,
    first: row.first,
    middles: row.middle === '' ? [] : row.middle.split(' '),
    last: row.last,
    addresses: () => decodeAddresses(row.addresses),
    employers: () => row.employers.split('\n'),
  };
}
