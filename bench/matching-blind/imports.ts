/**
 * Checks that an import of a list creates a separate donor for each person, and that the import joins rows of two lists
 * only if the rows describe one person.
 */

import { isDeepStrictEqual } from 'node:util';
import { writeContact } from './contact.ts';
import { readMarkers, writeDonorList } from './donor-list.ts';
import { drawFirstName, type Sex } from './names.ts';
import { drawBirth, drawPerson, drawPopulation, type Person } from './people.ts';
import type { Random } from './random.ts';
import { drawSecondSource, type SecondRow, WRONG_DETAIL_KINDS } from './second-source.ts';
import {
  countDonors,
  type Donor,
  importList,
  listReview,
  startService,
  undoJoins,
} from './service.ts';

export interface ListCheck {
  people: number;
  donors: number;
  /** The number of pairs on the review list. */
  toReview: number;
}

/** Imports a list of different people into an empty database. */
export async function checkOneList(
  folder: string,
  name: string,
  people: Person[],
): Promise<ListCheck> {
  const db = `${folder}/${name}.db`;
  await importList(db, await writeDonorList(folder, name, people), 'judge');
  const pairs = await listReview(db);
  return { people: people.length, donors: await countDonors(db), toReview: pairs.length };
}

const FAMILY_SIZE = 6;

/**
 * Creates random families, each with six members in one home. The grandfather, father and son have one shared name and
 * different suffixes. The other members are the mother and twin daughters.
 */
export function drawImportFamilies(families: number, random: Random): Person[] {
  return Array.from({ length: families }).flatMap((_, family) => {
    const { home, last, special } = drawPerson(random, '');
    const first = drawFirstName(random, 'M');
    const [mother = '', daughter = '', twin = ''] = drawUnlikeNames(random, 'F', 3);
    const twins = drawBirth(random, 1985, 1995);
    const members: Partial<Person>[] = [
      { sex: 'M', first, suffix: 'Sr', birth: drawBirth(random, 1930, 1938) },
      { sex: 'M', first, suffix: 'Jr', birth: drawBirth(random, 1955, 1963) },
      { sex: 'M', first, suffix: 'III', birth: drawBirth(random, 1980, 1988) },
      { sex: 'F', suffix: '', first: mother },
      { sex: 'F', suffix: '', first: daughter, birth: twins },
      { sex: 'F', suffix: '', first: twin, birth: twins },
    ];
    return members.map((fixed, member) => {
      const key = `h${family * FAMILY_SIZE + member + 1}`;
      const person = drawPerson(random, key, { home, last, special, ...fixed });
      return { ...person, filed: { ...person.filed, suffix: person.suffix } };
    });
  });
}

/** Chooses random first names that are not similar to each other. The first two letters of all names differ. */
function drawUnlikeNames(random: Random, sex: Sex, size: number): string[] {
  const names: string[] = [];
  while (names.length < size) {
    const first = drawFirstName(random, sex);
    if (names.every((name) => name.slice(0, 2) !== first.slice(0, 2))) names.push(first);
  }
  return names;
}

export interface TwiceCheck {
  people: number;
  twice: number;
  donors: number;
  reviewed: number;
  otherPairs: number;
  /** People whose pair of equal rows is not on the review list. */
  missing: Person[];
  /** People for whom the service found no donor, with the service's error. */
  unanswered: { person: Person; error: string | null; reasons: string[] }[];
  /** People for whom the service found a wrong donor. */
  wrong: { person: Person; matched: string[]; reasons: string[] }[];
}

/** Imports a list that contains some people twice, with different IDs. */
export async function checkTwice(
  folder: string,
  people: Person[],
  twice: number,
  random: Random,
): Promise<TwiceCheck> {
  const db = `${folder}/twice.db`;
  const originals = random.shuffle(people).slice(0, twice);
  const copies = originals.map((person) => ({ ...person, key: `${person.key}-again` }));
  const files = await writeDonorList(folder, 'twice', random.shuffle([...people, ...copies]));
  await importList(db, files, 'judge', true);
  const pairs = (await listReview(db)).map(({ keys, otherKeys }) =>
    [...keys, ...otherKeys]
      .map((key) => key.replace('csv:judge:', ''))
      .sort()
      .join(' '),
  );
  const missing = originals.filter(({ key }) => !pairs.includes(`${key} ${key}-again`));
  const service = await startService(db);
  try {
    const answers = await service.submit(originals.map(writeAllDetails));
    const replies = originals.map((person, index) => ({ person, answer: answers[index] }));
    return {
      people: people.length + twice,
      twice,
      donors: await countDonors(db),
      reviewed: twice - missing.length,
      otherPairs: pairs.length - (twice - missing.length),
      missing,
      unanswered: replies
        .filter(({ answer }) => answer?.matched.length === 0)
        .map(({ person, answer }) => ({
          person,
          error: answer?.error ?? null,
          reasons: answer?.runnerUp?.reasons ?? [],
        })),
      wrong: replies
        .filter(({ person, answer }) =>
          answer?.matched.some((key) => key.replace('-again', '') !== person.key),
        )
        .map(({ person, answer }) => ({
          person,
          matched: answer?.matched ?? [],
          reasons: answer?.reasons ?? [],
        })),
    };
  } finally {
    await service.stop();
  }
}

/** Returns a contact with all data about the person that is in the list. */
function writeAllDetails(person: Person) {
  const contact = writeContact(person, { home: true, employer: person.employer !== '' });
  if (person.filed.middle) contact.first += ` ${person.filed.middle}`;
  if (person.filed.suffix) contact.last += ` ${person.filed.suffix}`;
  return contact;
}

export interface Join {
  /** The IDs of all rows of both lists that the service joined to the donor. */
  keys: string[];
  donorId: string;
}

export interface TwoSourcesCheck {
  rows: SecondRow[];
  firstList: Person[];
  joins: number;
  wrongJoins: Join[];
  /**
   * The numbers of rows, of joined rows, and of rows that are joined or on the review list. The numbers are for each
   * kind of wrong detail.
   */
  wrongDetails: { kind: string; rows: number; joined: number; found: number }[];
  /** The numbers for rows that describe one person with ordinary variations. */
  same: { rows: number; joined: number };
  undone: number;
  /**
   * The joins after whose undo a donor was different than before. After an undo, a donor must be as if the service had
   * imported only one list.
   */
  inexact: { keys: string[]; before: unknown; after: unknown }[];
}

/** The maximum number of right joins that are undone. All wrong joins are also undone. */
const UNDONE_RIGHT = 200;

export async function checkTwoSources(
  folder: string,
  donors: number,
  random: Random,
): Promise<TwoSourcesCheck> {
  const firstList = drawPopulation(random, donors, 'a');
  const share = Math.round(donors / 4);
  const size = { same: share, wrongDetails: 80, relatives: share, strangers: share };
  const rows = drawSecondSource(firstList, size, random);
  const first = await writeDonorList(folder, 'first', firstList);
  const second = await writeDonorList(
    folder,
    'second',
    rows.map(({ row }) => row),
  );
  const states = [...new Set([...firstList, ...rows.map(({ row }) => row)].map(readState))];
  const db = `${folder}/two-sources.db`;
  await importList(db, first, 'first');
  const firstAlone = toMap(await readAll(db, states));
  await importList(`${folder}/second.db`, second, 'second');
  const secondAlone = toMap(await readAll(`${folder}/second.db`, states));

  await importList(db, second, 'second');
  const joins = (await readAll(db, states))
    .map(({ id, bio }) => ({ donorId: id, keys: readMarkers(bio) }))
    .filter(({ keys }) => keys.length > 1);
  const sameOf = new Map(rows.map(({ row, same }) => [row.key, same]));
  const isRight = ({ keys: [one = '', other = '', ...more] }: Join) =>
    more.length === 0 && (sameOf.get(other) === one || sameOf.get(one) === other);
  const wrongJoins = joins.filter((join) => !isRight(join));
  const joined = new Set(joins.filter(isRight).flatMap(({ keys }) => keys));
  const reviewed = new Set(
    (await listReview(db)).map(({ keys, otherKeys }) => [...keys, ...otherKeys].sort().join(' ')),
  );
  const isFound = ({ row, same }: SecondRow) =>
    joined.has(row.key) || reviewed.has(`csv:first:${same} csv:second:${row.key}`);

  const undone = [...wrongJoins, ...random.shuffle(joins.filter(isRight)).slice(0, UNDONE_RIGHT)];
  if (undone.length > 0) {
    await undoJoins(
      db,
      undone.map(({ donorId }) => donorId),
    );
  }
  const after = toMap(await readAll(db, states));
  const inexact = undone.flatMap(({ keys }) =>
    keys
      .map((key) => ({
        keys,
        before: firstAlone.get(key) ?? secondAlone.get(key),
        after: after.get(key),
      }))
      .filter((pair) => !isDeepStrictEqual(withoutId(pair.before), withoutId(pair.after))),
  );
  const same = rows.filter((row) => row.same !== null && !WRONG_DETAIL_KINDS.includes(row.kind));
  return {
    rows,
    firstList,
    joins: joins.length,
    wrongJoins,
    wrongDetails: WRONG_DETAIL_KINDS.map((kind) => {
      const ofKind = rows.filter((row) => row.kind === kind);
      return {
        kind,
        rows: ofKind.length,
        joined: ofKind.filter(({ row }) => joined.has(row.key)).length,
        found: ofKind.filter(isFound).length,
      };
    }),
    same: { rows: same.length, joined: same.filter(({ row }) => joined.has(row.key)).length },
    undone: undone.length,
    inexact,
  };
}

function readState({ home }: Person): string {
  return home.state;
}

async function readAll(db: string, states: string[]): Promise<Donor[]> {
  const service = await startService(db);
  try {
    return await service.listDonors(states);
  } finally {
    await service.stop();
  }
}

/** Returns donors by the IDs of their rows. */
function toMap(donors: Donor[]): Map<string, Donor> {
  return new Map(donors.flatMap((donor) => readMarkers(donor.bio).map((key) => [key, donor])));
}

/** Returns a profile without the parts that differ between two databases. */
function withoutId(donor: unknown): unknown {
  if (typeof donor !== 'object' || donor === null) return donor;
  const { id: _id, service_url: _url, ...rest } = donor as Record<string, unknown>;
  return rest;
}
