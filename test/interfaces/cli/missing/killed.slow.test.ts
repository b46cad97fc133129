/**
 * Sends SIGKILL during the sync of a short file, and while a user answers its question. Also sends SIGKILL while the
 * product removes and restores rows.
 */
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openCliWorld } from '../../../helpers/cli.ts';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';
import { holdsSchema } from '../documents.ts';
import { ASKED, expectAllOf, expectRows, openShortFile, type ShortFile } from './a-short-file.ts';

const open = closedAfterTest(openCliWorld);

const PRELOAD = join(import.meta.dirname, '../../../failpoints/preload.ts');
const PEOPLE = 60;
const SHORT = 20;

/** Points at which the process writes the file that users see, or records an answer. */
const TELLING = /(rename|sync) out\.csv|commit: .*(insert|update) (holds|writes)/;

/**
 * The number of other points to test. A few are enough, because `test/failpoints` kills an ordinary sync at each point.
 */
const MOST_OTHERS = 3;

/**
 * These steps change nothing. A kill before or after such a step has the same effect as a kill after the previous
 * change.
 */
const CHANGES_NOTHING = /^after commit|GET |before commit: update runs$/;

interface Scene {
  file: ShortFile;
  /** Saves the folder's current files. The returned function restores them. */
  keep(): Promise<() => Promise<void>>;
  /** Returns the names of the points in the command's work. */
  pointsOf(args: readonly string[]): Promise<string[]>;
  /** Runs a command, and kills its process at the given point. */
  kill(args: readonly string[], point: string): Promise<void>;
}

async function openScene(): Promise<Scene> {
  const file = await openShortFile(open, {
    people: PEOPLE,
    prepare: (rows) => rows.map((row) => ({ ...row, Note: '' })),
  });
  const { here } = file;
  const folder = dirname(here.path('store.db'));
  const start = (args: readonly string[], env: Record<string, string>) =>
    here.start(args, { NODE_OPTIONS: `--import=${PRELOAD}`, ...env });
  return {
    file,
    async keep() {
      const copy = await mkdtemp(join(tmpdir(), 'donor-sync-kept-'));
      onTestFinished(() => rm(copy, { recursive: true }));
      await cp(folder, copy, { recursive: true });
      return async () => {
        for (const name of await readdir(folder)) {
          await rm(join(folder, name), { recursive: true, force: true });
        }
        await cp(copy, folder, { recursive: true });
      };
    },
    async pointsOf(args) {
      const trace = here.path('points.txt');
      const { ended } = await start(args, { FAILPOINTS_TRACE: trace });
      expect([0, 3]).toContain((await ended).exitCode);
      const points = new Set((await readFile(trace, 'utf8')).trim().split('\n'));
      await rm(trace);
      return chosen([...points].filter((point) => !CHANGES_NOTHING.test(point)));
    },
    async kill(args, point) {
      const { child, ended } = await start(args, { FAILPOINT: point });
      const { stdout, stderr } = await ended;
      expect([point, child.signalCode, stdout + stderr]).toEqual([
        point,
        'SIGKILL',
        expect.any(String),
      ]);
    },
  };
}

/** Returns the important points, and a few other points from the whole command. */
function chosen(points: readonly string[]): string[] {
  const others = points.filter((point) => !TELLING.test(point));
  const step = Math.max(1, Math.floor(others.length / MOST_OTHERS));
  return points.filter((point) => TELLING.test(point) || others.indexOf(point) % step === 0);
}

async function isAsked({ here }: ShortFile): Promise<boolean> {
  return (await here.runJson(['holds'], holdsSchema)).batches.length > 0;
}

/** Expects that the complete file leads to the complete result after each kill. */
async function expectEnd(file: ShortFile): Promise<void> {
  await file.export(file.exported);
  const { report } = await file.sync();
  expect(report).toMatchObject({ status: 'succeeded', reason: null });
  await expectAllOf(file);
}

it('loses no row of a short night, wherever that is killed', async () => {
  const { file, keep, pointsOf, kill } = await openScene();
  const back = await keep();
  // One cell differs, so the output is written.
  const [first = {}, ...others] = file.exported.slice(0, SHORT);
  const short = [{ ...first, Note: 'moved' }, ...others];
  const kept = [...file.paid.keys()].filter((id) => id !== first['Id']);
  await file.export(short);
  const points = await pointsOf(['sync']);
  expect(points.filter((point) => point.includes('questions'))).not.toEqual([]);
  expect(points.filter((point) => point.includes('rename out.csv'))).toHaveLength(2);
  for (const [at, point] of points.entries()) {
    await back();
    await file.export(short);
    await kill(['sync'], point);
    await expectRows(file, kept);
    // On the next night, the file is equally short or complete.
    if (at % 2 === 0) expect([point, await file.sync()]).toMatchObject([point, ASKED]);
    await expectRows(file, kept);
    await expectEnd(file);
  }
}, 600_000);

it('loses no value while the departure is approved, the rows leave and come back', async () => {
  const { file, keep, pointsOf, kill } = await openScene();
  await file.export(file.exported.slice(0, SHORT));
  expect(await file.sync()).toMatchObject(ASKED);
  const { batches } = await file.here.runJson(['holds'], holdsSchema);
  const approve = ['holds', 'approve', '--batch', batches[0]?.id ?? ''];
  const asked = await keep();
  const approving = await pointsOf(approve);
  const approved = await keep();
  const leaving = await pointsOf(['sync']);
  expect((await file.output()).size).toBe(SHORT);
  const gone = await keep();
  await file.export(file.exported);
  const returning = await pointsOf(['sync']);
  expect(approving.length).toBeGreaterThan(0);
  expect(leaving.filter((point) => point.startsWith('before rename'))).toHaveLength(1);

  for (const point of approving) {
    await asked();
    await kill(approve, point);
    await expectRows(file, file.paid.keys());
    const { report } = await file.sync();
    // The answer must have taken effect completely or not at all.
    const isOpen = await isAsked(file);
    expect([point, report?.reason?.code ?? null]).toEqual([
      point,
      isOpen ? 'contacts_missing' : null,
    ]);
    expect([point, (await file.output()).size]).toEqual([point, isOpen ? PEOPLE : SHORT]);
    await expectEnd(file);
  }
  for (const point of leaving) {
    await approved();
    await kill(['sync'], point);
    await file.sync();
    expect([point, (await file.output()).size]).toEqual([point, SHORT]);
    await expectEnd(file);
  }
  for (const point of returning) {
    await gone();
    await file.export(file.exported);
    await kill(['sync'], point);
    await expectEnd(file);
  }
}, 600_000);
