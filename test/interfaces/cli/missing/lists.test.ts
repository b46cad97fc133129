/** Tests short lists, lists that become empty, and lists that become a little shorter each night. */
import { writeFile } from 'node:fs/promises';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openCliWorld } from '../../../helpers/cli.ts';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';
import { holdsSchema } from '../documents.ts';
import {
  ASKED,
  expectAllOf,
  expectRows,
  idsOf,
  openShortFile,
  type ShortFile,
  WELL,
} from './a-short-file.ts';

const open = closedAfterTest(openCliWorld);

const DAY_MS = 86_400_000;

/** Exports only the header of the file. */
async function exportHeader({ here, exported }: ShortFile): Promise<void> {
  const names = Object.keys(exported[0] ?? {});
  await writeFile(here.path('riverside.csv'), `${names.join(',')}\n`);
}

async function openQuestions({ here }: ShortFile): Promise<number> {
  const { batches } = await here.runJson(['holds'], holdsSchema);
  return batches.reduce((sum, { count }) => sum + count, 0);
}

describe('a file without a single contact', () => {
  it.each([1, 4, 60])(
    'of which %i were known is asked about, and loses nothing',
    async (people) => {
      const file = await openShortFile(open, { people });
      await exportHeader(file);
      expect(await file.sync()).toMatchObject(ASKED);
      expect(await openQuestions(file)).toBe(people);
      await expectRows(file, file.paid.keys());
      await file.export(file.exported);
      expect(await file.sync()).toMatchObject(WELL);
      await expectAllOf(file);
    },
  );

  it('is refused if it has not even a header, and changes nothing', async () => {
    const file = await openShortFile(open, { people: 8 });
    await writeFile(file.here.path('riverside.csv'), '');
    const { exitCode } = await file.here.run(['sync']);
    expect(exitCode).toBe(2);
    await expectRows(file, file.paid.keys());
    await file.export(file.exported);
    expect(await file.sync()).toMatchObject(WELL);
    await expectAllOf(file);
  });
});

describe('a short list', () => {
  it.each([
    { of: 5, left: 3, isAsked: false },
    { of: 5, left: 2, isAsked: true },
    { of: 6, left: 3, isAsked: false },
    { of: 4, left: 1, isAsked: false },
    { of: 48, left: 24, isAsked: false },
    { of: 49, left: 24, isAsked: true },
  ])('of $of contacts with $left left is a question: $isAsked', async ({ of, left, isAsked }) => {
    const file = await openShortFile(open, { people: of });
    await file.export(file.exported.slice(0, left));
    expect(await file.sync()).toMatchObject(isAsked ? ASKED : WELL);
    expect(await openQuestions(file)).toBe(isAsked ? of - left : 0);
    expect((await file.output()).size).toBe(isAsked ? of : left);
    await file.export(file.exported);
    expect(await file.sync()).toMatchObject(WELL);
    await expectAllOf(file);
  });
});

describe('a list that shrinks a little each night', () => {
  /** Opens a client. The test can simulate the passing of days. */
  async function openDays() {
    const file = await openShortFile(open, { people: 150 });
    return {
      file,
      /** Runs the next night, with this many contacts in the file. */
      async night(contacts: number, days = 1) {
        makeOlder(file, days * DAY_MS);
        await file.export(file.exported.slice(0, contacts));
        return file.sync();
      },
    };
  }

  /**
   * Moves the times of all recorded departures and answers back. The clock cannot be moved, because the service and
   * this machine use the same time.
   */
  function makeOlder({ here }: ShortFile, ms: number): void {
    const db = new Sqlite(here.path('store.db'));
    db.prepare('update contacts set missing_since = missing_since - ?').run(ms);
    db.prepare('update questions set decided_at = decided_at - ?').run(ms);
    db.close();
  }

  it('is asked about once more have left within seven days than the guard allows', async () => {
    const { file, night } = await openDays();
    expect(await night(142)).toMatchObject(WELL);
    expect(await night(134)).toMatchObject(WELL);
    expect(await night(126)).toMatchObject(WELL);
    expect((await file.output()).size).toBe(126);
    // This is the twenty-fifth contact of the week.
    expect(await night(125)).toMatchObject(ASKED);
    expect(await openQuestions(file)).toBe(1);
    expect((await file.output()).size).toBe(126);
    expect(await night(150)).toMatchObject(WELL);
    await expectAllOf(file);
  });

  it('is not asked about if the first of them left more than seven days ago', async () => {
    const { file, night } = await openDays();
    for (const [at, contacts] of [142, 134, 126].entries()) {
      expect(await night(contacts, at === 0 ? 1 : 4)).toMatchObject(WELL);
    }
    expect(await night(118)).toMatchObject(WELL);
    expect([...(await file.output()).keys()]).toEqual(idsOf(file.exported.slice(0, 118)));
    expect(await night(150)).toMatchObject(WELL);
    await expectAllOf(file);
  });

  it('counts those anew who are missing after an approval', async () => {
    const { file, night } = await openDays();
    expect(await night(120)).toMatchObject(ASKED);
    expect(await file.answer('approve')).toBe(30);
    expect(await night(96)).toMatchObject(WELL);
    expect((await file.output()).size).toBe(96);
    expect(await night(95)).toMatchObject(ASKED);
    expect((await file.output()).size).toBe(96);
    expect(await night(150)).toMatchObject(WELL);
    await expectAllOf(file);
  });

  it('waits for a week after a rejection, and asks again', async () => {
    const { file, night } = await openDays();
    expect(await night(100)).toMatchObject(ASKED);
    expect(await file.answer('reject')).toBe(50);
    expect(await night(100)).toMatchObject(WELL);
    await expectRows(file, file.paid.keys());
    // A few other contacts can leave before the user answers, but none of the fifty is removed.
    expect(await night(98)).toMatchObject(WELL);
    expect((await file.output()).size).toBe(148);
    expect(await night(98, 8)).toMatchObject(ASKED);
    expect((await file.output()).size).toBe(148);
    expect(await night(150)).toMatchObject(WELL);
    await expectAllOf(file);
  });
});
