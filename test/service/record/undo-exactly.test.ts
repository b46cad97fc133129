import { describe, expect, it } from 'vitest';
import { createWorld } from '../../../people/world.ts';
import { createId } from '../../../service/assemble.ts';
import type { Database } from '../../../service/database.ts';
import { createExports } from '../../../service/exports/export-store.ts';
import { createJobs } from '../../../service/jobs.ts';
import { createLists } from '../../../service/lists/list-store.ts';
import { verify } from '../../../service/operation/file.ts';
import { openTeams } from '../../../service/operation/teams.ts';
import { openApart } from '../../../service/record/apart.ts';
import { erasePerson } from '../../../service/record/erase.ts';
import { joinDonors } from '../../../service/record/join.ts';
import { openReviews } from '../../../service/record/reviews.ts';
import { openRecord } from '../../../service/record/store.ts';
import { undoJoins } from '../../../service/record/undo-join.ts';
import { openImporting } from './importing.ts';
import { listOf, type Row } from './list-of-families.ts';

const clock = () => Date.parse('2026-11-22T12:00:00Z');
const PEOPLE = 150;

const MOST_SHOWN = 4;

/** The tables in which an undo records itself and the fact that the two records are different people. */
const OF_THE_UNDO = ['record_undone', 'record_apart', 'settled_people', 'sqlite_sequence'];

/** Returns all rows of all tables, without numbers that change when data is recomputed. */
function rowsOf(db: Database): Record<string, unknown[]> {
  const tables = db
    .prepare<[], string>(`select name from sqlite_schema where type = 'table' order by name`)
    .pluck()
    .all()
    .filter((table) => !OF_THE_UNDO.includes(table));
  return Object.fromEntries(
    tables.map((table) => [
      table,
      db.prepare<[], object>(`select * from ${table}`).all().map(inOneOrder).toSorted(),
    ]),
  );
}

/** The order of keys in JSON columns has no effect. */
function inOneOrder(row: object): string {
  const columns = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'string' && value.startsWith('{') ? JSON.parse(value) : value,
  ]);
  return JSON.stringify(columns, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** The first version of the second list lacks some data. */
async function importTwice(count = PEOPLE) {
  const importing = openImporting();
  const { db } = importing;
  openTeams(db, clock).add('alpha', 10_000);
  const world = createWorld({ seed: 5, donors: 2 * count });
  const people = Array.from({ length: count }, (_, number) => world.donor(2 * number));
  const list = (prefix: string, isWhole: boolean) =>
    listOf(
      people.map(({ name, addresses: [home] }, number): Row => {
        const born = `19${40 + (number % 50)}-0${1 + (number % 9)}-1${number % 9}`;
        const place = [home?.street, home?.city, home?.state, home?.postalCode].join(',');
        const known = isWhole ? `${born},${place}` : ',,,,';
        return [`${prefix}${number}`, `${name.first},${name.middle ?? ''},${name.last},,${known}`];
      }),
    );
  const bring = (source: string, isWhole: boolean) =>
    importing.import({
      ...{ kind: 'csv', source },
      paths: [importing.file(`${source}-${isWhole}.csv`, list(source, isWhole))],
    });
  await bring('gala', true);
  await bring('newsletter', false);
  await bring('newsletter', true);
  return importing;
}

/** Creates jobs, lists, exports, pairs to review and separate pairs, for every donor. */
function use(db: Database): void {
  const jobs = createJobs(db, clock);
  const lists = createLists(db, clock, createId);
  const exports = createExports(db);
  const count = openRecord(db).count();
  const all = Array.from({ length: count }, (_, number) => number);
  const person = { first: 'M', last: 'O', addresses: [], employers: [] };
  const job = { team: 'alpha', person, charge: null, submittedAtMs: clock(), endsAtMs: clock() };
  jobs.add(all.map((number) => ({ ...job, id: `job ${number}` })));
  jobs.finish(
    all.map((number) => {
      const runnerUp = { donorNumber: (number + 1) % count, probability: 0.01, reasons: [] };
      const match = { probability: 1, reasons: [], runnerUp };
      return { id: `job ${number}`, donorNumber: number, error: null, match };
    }),
  );
  const [evens, everyone] = ['Evens', 'Everyone'].map((name) => lists.create('alpha', name));
  if (evens === undefined || everyone === undefined) throw new Error('There are such lists');
  lists.add(everyone, all);
  lists.add(
    evens,
    all.filter((number) => number % 2 === 0),
  );
  for (const number of all) {
    const made = {
      id: `export ${number}`,
      team: 'alpha',
      format: 'csv',
      fields: ['full_name'],
    } as const;
    const at = { createdAtMs: clock() - 1_000, donorCount: 1 };
    exports.add({ ...made, ...at, fields: [...made.fields] }, Buffer.from('x'), [number]);
  }
  const reviews = openReviews(db);
  const apart = openApart(db);
  for (const number of all.slice(2, -2)) {
    reviews.add({ one: number, other: number + 2, probability: 0.95, reasons: [], atMs: 1 });
    apart.add(number - 1, number + 1);
  }
}

describe('150 joins', () => {
  it('are undone exactly, row for row', async () => {
    const { db } = await importTwice();
    use(db);
    const before = rowsOf(db);
    const apartBefore = db.prepare('select * from record_apart order by one, other').all();
    const joined = joinDonors(db, { isPreview: false, clock });
    expect(joined.length).toBeGreaterThan(PEOPLE * 0.8);
    expect(rowsOf(db)).not.toEqual(before);
    expect(verify(db, clock)).toEqual([]);
    const undone = undoJoins(
      db,
      joined.map((one) => one.joined),
      clock,
    );
    expect(undone).toHaveLength(joined.length);
    expect(undone.flatMap(({ mixed }) => mixed)).toEqual([]);
    const after = rowsOf(db);
    for (const [table, rows] of Object.entries(before)) {
      const [found, expected] = [new Set(after[table]), new Set(rows)];
      const others = [...found, ...expected].filter(
        (row) => !(found.has(row) && expected.has(row)),
      );
      expect(others.slice(0, MOST_SHOWN), table).toEqual([]);
    }
    const apart = db.prepare('select * from record_apart order by one, other').all();
    expect(apart).toEqual(expect.arrayContaining(apartBefore));
    expect(apart).toHaveLength(apartBefore.length + joined.length);
    expect(verify(db, clock)).toEqual([]);
    expect(joinDonors(db, { isPreview: false, clock })).toEqual([]);
  }, 120_000);

  it('are undone all or none', async () => {
    const { db } = await importTwice(2);
    const [one, other] = joinDonors(db, { isPreview: false, clock });
    const before = rowsOf(db);
    const ids = [one?.joined ?? '', 'a'.repeat(32), other?.joined ?? ''];
    expect(() => undoJoins(db, ids, clock)).toThrow('There is no donor aaa');
    expect(rowsOf(db)).toEqual(before);
  });

  it('leave each person in the files of exports that hold them, which erasing one of them takes away', async () => {
    const { db } = await importTwice(1);
    const exports = createExports(db);
    const add = (id: string, donors: number[], createdAtMs: number) => {
      const made = { id, team: 'alpha', format: 'csv', fields: [], donorCount: 1 } as const;
      exports.add({ ...made, fields: [], createdAtMs }, Buffer.from('x'), donors);
    };
    add('of the one', [0], clock() - 2);
    add('of the other', [1], clock() - 1);
    const [joined] = joinDonors(db, { isPreview: false, clock });
    add('of both as one', [0], clock() + 1);
    undoJoins(db, [joined?.joined ?? ''], clock);
    erasePerson(db, joined?.joined ?? '', clock);
    expect(db.prepare('select export_id from exports').pluck().all()).toEqual(['of the one']);
    expect(verify(db, clock)).toEqual([]);
  });

  it('take the files of both people away when the joined donor is erased', async () => {
    const { db } = await importTwice(1);
    use(db);
    const [joined] = joinDonors(db, { isPreview: false, clock });
    erasePerson(db, joined?.id ?? '', clock);
    const left = ['exports', 'export_donors', 'joined_places', 'record_apart', 'record_reviews'];
    for (const table of left) {
      expect(db.prepare(`select * from ${table}`).all(), table).toEqual([]);
    }
  });

  it('keep a third person apart who was no one of the two', async () => {
    const { db, import: bring, file } = await importTwice(1);
    const [joined] = joinDonors(db, { isPreview: false, clock });
    expect(joined).toBeDefined();
    const [one] = [openRecord(db).donor(0)];
    const [home] = one?.addresses ?? [];
    const row = [
      ...[one?.name.first, one?.name.middle ?? '', one?.name.last, '', one?.birthday],
      ...[home?.street, home?.city, home?.state, home?.postalCode],
    ];
    const least = row.map((cell, at) => (at < 3 ? cell : '')).join(',');
    const paths = (name: string, person: string) => [file(name, listOf([['T1', person]]))];
    const third = { kind: 'csv', source: 'third' } as const;
    await bring({ ...third, paths: paths('third.csv', least) });
    openApart(db).add(1, 2);
    await bring({ ...third, paths: paths('third-more.csv', row.join(',')) });
    expect(joinDonors(db, { isPreview: true, clock })).toEqual([]);
    db.exec('delete from record_apart');
    expect(joinDonors(db, { isPreview: true, clock })).toHaveLength(1);
  });
});

describe('an undo that was done by halves', () => {
  it.each([
    ['record_donors', 'have a description although they were erased or joined'],
    ['record_keys', 'new source data about one person would go to the other'],
    ['record_vacancies', 'one person still leads to the other'],
    ['record_aliases', 'donor ids also lead to somebody else'],
    ['record_parts', 'parts of joined donors belong to nobody'],
    ['record_part_keys', 'keys of parts of joined donors lead elsewhere'],
    ['record_apart', 'nothing keeps the two people apart'],
    ['joined_places', 'kept for joins that were undone'],
    ['donor_index', 'no contact can be matched to them'],
  ])('is named if it left out %s', async (table, named) => {
    const { db } = await importTwice(3);
    use(db);
    const joined = joinDonors(db, { isPreview: false, clock });
    expect(joined).toHaveLength(3);
    db.exec(`create temp table before_undo as select * from ${table}`);
    undoJoins(db, [joined[1]?.joined ?? ''], clock);
    expect(verify(db, clock)).toEqual([]);
    db.pragma('foreign_keys = off');
    db.exec(`delete from ${table}; insert into ${table} select * from before_undo`);
    expect(verify(db, clock).join('\n')).toContain(named);
  });
});
