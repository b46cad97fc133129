import { describe, expect, it } from 'vitest';
import { createId } from '../../../service/assemble.ts';
import type { Database } from '../../../service/database.ts';
import { createJobs } from '../../../service/jobs.ts';
import { createLists } from '../../../service/lists/list-store.ts';
import { openDonorIndex } from '../../../service/matcher/donor-index.ts';
import { createMatcher } from '../../../service/matcher/matcher.ts';
import { verify } from '../../../service/operation/file.ts';
import { openTeams } from '../../../service/operation/teams.ts';
import { checkJoins } from '../../../service/record/check-joins.ts';
import { decideReview, listReviews } from '../../../service/record/decide-reviews.ts';
import { erasePerson } from '../../../service/record/erase.ts';
import { joinDonors } from '../../../service/record/join.ts';
import { openRecord } from '../../../service/record/store.ts';
import { undoJoin } from '../../../service/record/undo-join.ts';
import { isVacant } from '../../../service/record/vacancy.ts';
import { openRecordedWorld } from '../../../service/record/world.ts';
import { openImporting } from './importing.ts';

const clock = () => Date.parse('2026-11-22T12:00:00Z');

const COLUMNS = 'id,first_name,middle_name,last_name,suffix,birth,street,city,state,postal_code';
const HOME = '12 Elm Street,Evanston,IL,60201';

function present(db: Database) {
  const record = openRecord(db);
  return Array.from({ length: record.count() }, (_, number) => record.donor(number))
    .filter((donor) => donor !== null)
    .filter((donor) => !isVacant(donor))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function addJob(db: Database, id: string, donorNumber: number): void {
  const jobs = createJobs(db, clock);
  const person = { first: 'M', last: 'O', addresses: [], employers: [] };
  jobs.add([
    { id, team: 'alpha', person, charge: null, submittedAtMs: clock(), endsAtMs: clock() },
  ]);
  const match = { probability: 1, reasons: [], runnerUp: null };
  jobs.finish([{ id, donorNumber, error: null, match }]);
}

/**
 * Imports two lists, each with half of the data. The service recognises the second list's person by home and date of
 * birth.
 */
async function importLists(...rows: string[]) {
  const importing = openImporting();
  openTeams(importing.db, clock).add('alpha', 10);
  const reports = [];
  for (const [index, row] of rows.entries()) {
    const paths = [importing.file(`list${index}.csv`, `${COLUMNS}\n${row}\n`)];
    reports.push(await importing.import({ kind: 'csv', source: `list${index}`, paths }));
  }
  return { ...importing, reports };
}

const ONE = `A1,Marguerite,,Oldenquist,,1951-03-09,${HOME}`;
const OTHER = `B1,Marguerite,Rose,Oldenquist,,1951-03-09,${HOME}`;

describe('a join of two lists', () => {
  it('is undone exactly, and later statements of each list stay with that list', async () => {
    const apart = await importLists(ONE);
    const alone = present(apart.db)[0];
    const { db, import: bring, file, reports } = await importLists(ONE, OTHER);
    expect(reports).toMatchObject([
      { added: 1, joined: 0 },
      { added: 0, joined: 1 },
    ]);
    const [joined] = present(db);
    expect(joined?.name.middle).toBe('Rose');
    await bring({
      ...{ kind: 'csv', source: 'list1', date: '2026-11-23' },
      paths: [
        file(
          'later.csv',
          `${COLUMNS}\nB1,Marguerite,Rose,Oldenquist,,1951-03-09,9 Oak St,Gary,IN,46401\n`,
        ),
      ],
    });
    const undone = undoJoin(db, joined?.id ?? '', clock);
    expect(undone).toMatchObject({ id: alone?.id, mixed: [] });
    const people = present(db);
    expect(people).toHaveLength(2);
    expect(people).toContainEqual(alone);
    expect(people.find(({ id }) => id === undone.restored)).toMatchObject({
      name: { middle: 'Rose' },
      addresses: [{ city: 'Gary' }, { city: 'Evanston' }],
    });
    expect(verify(db, clock)).toEqual([]);
    expect(joinDonors(db, { isPreview: false, clock })).toEqual([]);
    expect(() => undoJoin(db, undone.restored, clock)).toThrow('not joined');
  });

  it('divides jobs and places: of one person before, of two as one afterwards', async () => {
    const { db, import: bring, file } = await importLists(ONE, `B1,Marguerite,,Oldenquist,,,,,,`);
    const before = present(db);
    expect(before).toHaveLength(2);
    const record = openRecord(db);
    const [one, other] = [record.donor(0)?.id ?? '', record.donor(1)?.id ?? ''];
    const lists = createLists(db, clock, createId);
    const make = (name: string) => {
      const list = lists.create('alpha', name);
      if (list === undefined) throw new Error('There is a list of this name');
      return list;
    };
    const [both, second, late] = [make('Both'), make('Second'), make('Late')];
    addJob(db, 'first job', 0);
    addJob(db, 'second job', 1);
    lists.add(both, [0, 1]);
    lists.add(second, [1]);
    await bring({
      ...{ kind: 'csv', source: 'list1' },
      paths: [file('now.csv', `${COLUMNS}\nB1,Marguerite,,Oldenquist,,1951-03-09,${HOME}\n`)],
    });
    const described = present(db);
    expect(joinDonors(db, { isPreview: false, clock })).toMatchObject([{ id: one, joined: other }]);
    addJob(db, 'late job', 0);
    lists.add(late, [0]);
    expect(lists.entries(both, 0, 10).map(({ donorNumber }) => donorNumber)).toEqual([0]);
    const undone = undoJoin(db, other, clock);
    expect(undone).toEqual({
      ...{ id: one, restored: other },
      mixed: [{ team: 'alpha', jobs: 1, members: 0, places: 1 }],
    });
    expect(present(db)).toEqual(described);
    const jobs = createJobs(db, clock);
    const found = ['first job', 'second job', 'late job'].map((id) => {
      const { donorNumber, isMixed } = jobs.find('alpha', id) ?? {};
      return { donorNumber, isMixed };
    });
    expect(found).toEqual([
      { donorNumber: 0, isMixed: false },
      { donorNumber: 1, isMixed: false },
      { donorNumber: null, isMixed: true },
    ]);
    const on = (list: typeof both) =>
      lists.entries(list, 0, 10).map(({ donorNumber }) => donorNumber);
    expect([on(both).toSorted(), on(second), on(late)]).toEqual([[0, 1], [1], []]);
    expect(lists.mixed(late)).toEqual([0]);
    lists.add(late, [0]);
    expect(lists.mixed(late)).toEqual([]);
    expect(verify(db, clock)).toEqual([]);
  });

  it('of three is undone one by one', async () => {
    const { db } = await importLists(ONE, OTHER, `C1,Marguerite,,Oldenquist,,1951-03-09,${HOME}`);
    const [joined] = present(db);
    expect(present(db)).toHaveLength(1);
    addJob(db, 'of three', 0);
    expect(() => undoJoin(db, joined?.id ?? '', clock)).toThrow('More than two');
    const parts = db
      .prepare<[], string>('select id from record_parts where own_number is null')
      .pluck()
      .all();
    const undone = undoJoin(db, parts[0] ?? '', clock);
    expect(undone.mixed).toEqual([{ team: 'alpha', jobs: 1, members: 0, places: 0 }]);
    addJob(db, 'of two', 0);
    expect(undoJoin(db, parts[1] ?? '', clock).mixed).toMatchObject([{ jobs: 1 }]);
    expect(present(db)).toHaveLength(3);
    expect(verify(db, clock)).toEqual([]);
  });

  it('is erased as a whole with all that an undo needs', async () => {
    const { db } = await importLists(ONE, OTHER);
    erasePerson(db, present(db)[0]?.id ?? '', clock);
    const rows = ['record_parts', 'record_part_keys'].map((table) =>
      db.prepare(`select count(*) from ${table}`).pluck().get(),
    );
    expect(rows).toEqual([0, 0]);
    const bytes = db.serialize();
    expect(bytes.includes('Oldenquist') || bytes.includes('oldenquist')).toBe(false);
    expect(verify(db, clock)).toEqual([]);
  });

  it('is found by a check if two ids of one list are one donor', async () => {
    const { db } = await importLists(ONE, OTHER);
    expect(checkJoins(db)).toEqual([]);
    db.exec(`update record_parts set donor = json_set(donor, '$.name.first', 'Robert')
             where own_number is null`);
    expect(checkJoins(db)).toMatchObject([{ undo: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
    db.exec(`delete from record_parts; delete from record_part_keys;
             update record_keys set key = 'csv:list0:A2' where key = 'csv:list1:B1'`);
    expect(checkJoins(db)).toMatchObject([
      { undo: null, reason: expect.stringContaining('one list') },
    ]);
  });
});

describe('the review list', () => {
  it('lets an operator say that a pair is one person, or two', async () => {
    const importing = openImporting();
    const row = (id: string, first: string) => `${id},${first},,Oldenquist,,1951-03-09,${HOME}`;
    const rows = [
      row('A1', 'Marguerite'),
      row('A2', 'Marguerite'),
      row('A3', 'Zachary'),
      row('A4', 'Zachary'),
    ];
    const paths = [importing.file('list.csv', `${COLUMNS}\n${rows.join('\n')}\n`)];
    expect(await importing.import({ kind: 'csv', paths })).toMatchObject({ added: 4, toReview: 2 });
    const { db } = importing;
    const pairs = listReviews(db);
    expect(pairs.map(({ keys, otherKeys }) => [...keys, ...otherKeys])).toEqual(
      expect.arrayContaining([
        ['csv:board-book:A1', 'csv:board-book:A2'],
        ['csv:board-book:A3', 'csv:board-book:A4'],
      ]),
    );
    const [first, second] = pairs;
    if (first === undefined || second === undefined) throw new Error('There are two pairs');
    decideReview(db, { ids: [first.id, first.other], decision: 'one person' }, clock);
    decideReview(db, { ids: [second.id, second.other], decision: 'two people' }, clock);
    expect(listReviews(db)).toEqual([]);
    expect(present(db)).toHaveLength(3);
    expect(() =>
      decideReview(db, { ids: [second.id, second.other], decision: 'one person' }, clock),
    ).toThrow('not a pair');
    undoJoin(db, first.other, clock);
    expect(present(db)).toHaveLength(4);
    expect(verify(db, clock)).toEqual([]);
  });
});

describe('a dry run of an import', () => {
  it('counts and names the least certain joins, and leaves the database as it is', async () => {
    const { db, import: bring, file } = await importLists(ONE);
    const before = db.serialize();
    const order = {
      ...{ kind: 'csv' as const, source: 'list1' },
      paths: [file('dry.csv', `${COLUMNS}\n${OTHER}\nB2,Ada,,Quill,,,,,,\n`)],
    };
    const report = await bring({ ...order, isDryRun: true });
    expect(report).toMatchObject({
      ...{ people: 2, added: 1, joined: 1 },
      leastCertain: [{ key: 'csv:list1:B1', probability: expect.closeTo(1, 2) }],
    });
    expect(db.serialize().equals(before)).toBe(true);
    expect(await bring(order)).toEqual(report);
  });
});

describe('a contact who fits two donors that agree in all parts', () => {
  it('gets the older one with a word about the other, until an operator says that they are two people', async () => {
    const importing = openImporting();
    const row = (id: string) => `${id},Marguerite,,Oldenquist,,,${HOME}`;
    const paths = [importing.file('list.csv', `${COLUMNS}\n${row('A1')}\n${row('A2')}\n`)];
    await importing.import({ kind: 'csv', paths });
    const { db } = importing;
    const match = () =>
      createMatcher(openDonorIndex(db, openRecordedWorld(db))).match({
        ...{ first: 'Marguerite', last: 'Oldenquist', employers: [] },
        addresses: ['12 Elm Street, Evanston, IL 60201'],
      });
    expect(match()).toMatchObject({
      ...{ donorNumber: 0, runnerUp: { donorNumber: 1 } },
      reasons: expect.arrayContaining([expect.stringContaining('Another donor agrees')]),
    });
    const [pair] = listReviews(db);
    const ids = [pair?.id ?? '', pair?.other ?? ''] as const;
    decideReview(db, { ids, decision: 'two people' }, clock);
    expect(match()).toMatchObject({ donorNumber: null });
  });

  it.each([
    ['whose births are known of both', ['1951', '1951'], ['list', 'list'], 0],
    // A father and a son share a name and a home. In one list, the father and the son have different IDs.
    ['of one list, of whom one birth is known', ['', '1951'], ['list', 'list'], null],
    ['of two lists, of whom one birth is known', ['', '1951'], ['list', 'other list'], 0],
  ] as const)('gets the older one of two %s: %j %j %j', async (_, births, sources, expected) => {
    const importing = openImporting();
    for (const [at, born] of births.entries()) {
      const text = `${COLUMNS}\nA${at},Marguerite,,Oldenquist,,${born},${HOME}\n`;
      const paths = [importing.file(`list${at}.csv`, text)];
      const source = sources[at] ?? '';
      const others = { sameUnderOtherIds: 'other people' } as const;
      await importing.import({ kind: 'csv', paths, source, ...others });
    }
    expect(importing.people()).toHaveLength(2);
    const { db } = importing;
    const match = createMatcher(openDonorIndex(db, openRecordedWorld(db))).match({
      ...{ first: 'Marguerite', last: 'Oldenquist', employers: [] },
      addresses: ['12 Elm Street, Evanston, IL 60201'],
    });
    expect(match.donorNumber).toBe(expected);
  });
});
