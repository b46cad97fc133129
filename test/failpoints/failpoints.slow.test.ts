import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld } from '../../people/world.ts';
import { type PartnerSandbox, startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { inParallel } from '../../src/core/parallel.ts';
import { readBooks } from '../helpers/killed-sync.ts';
import { type Books, KINDS, type Kind, type Nonprofit, openNonprofit } from './nonprofit.ts';

/** The number of concurrent syncs. Syncs mostly wait for jobs, so a small machine can run many of them. */
const AT_ONCE = 6;

/** The second sync settles the work that the killed sync left. A contact may have to wait for one more sync. */
const MOST_SYNCS = 4;

/**
 * The process died with the response to a paid request. The contact waits for a user's decision (design, promise 2).
 */
const LOST = 'lost_answer';

describe.concurrent('a sync that is killed at each point between disk and wire', () => {
  const world = createWorld({ seed: 5, donors: 200 });
  let service: PartnerSandbox;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-failpoints-'));
    service = await startPartnerSandbox({
      world,
      contacts: 30,
      rate: 0,
      jobTimeMs: 100,
      networkJobTimeMs: 100,
    });
  });

  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(KINDS)(
    'with %s is paid once, and ends as if it had never been killed',
    async (kind) => {
      const crmDatabase = await prepareCrm(kind);
      const { points, books } = await undisturbed(kind, crmDatabase);
      expect(points.length).toBeGreaterThan(30);
      const stories = await inParallel([...points.entries()], AT_ONCE, async ([at, point]) => {
        const nonprofit = await open(kind, `${kind}-${at}`, crmDatabase);
        try {
          return { point, problems: await killAt(nonprofit, point, books) };
        } finally {
          await nonprofit.close();
        }
      });
      expect(stories.filter(({ problems }) => problems.length > 0)).toEqual([]);
    },
    600_000,
  );

  function open(kind: Kind, name: string, crmDatabase: string | undefined): Promise<Nonprofit> {
    return openNonprofit({ kind, world, service, folder: join(folder, name), crmDatabase });
  }

  /**
   * Returns the database of a CRM that already has the fields. Returns undefined for a CSV file, which needs no
   * database.
   */
  async function prepareCrm(kind: Kind): Promise<string | undefined> {
    if (kind === 'csv') return undefined;
    const nonprofit = await open(kind, `${kind}-template`, undefined);
    const created = await nonprofit.run(['fields', 'create']);
    await nonprofit.close();
    expect(created).toMatchObject({ code: 0 });
    return join(folder, `${kind}-template`, 'crm.db');
  }

  /** Runs an uninterrupted sync. Returns its result and the names of the points in its work. */
  async function undisturbed(kind: Kind, crmDatabase: string | undefined) {
    const nonprofit = await open(kind, `${kind}-undisturbed`, crmDatabase);
    const trace = join(folder, `${kind}.trace`);
    try {
      const end = await nonprofit.run(['sync', '--json'], { FAILPOINTS_TRACE: trace });
      expect(end).toMatchObject({ code: 0 });
      const points = new Set((await readFile(trace, 'utf8')).trim().split('\n'));
      return { points: [...points].filter(isOfItsOwn), books: await nonprofit.books() };
    } finally {
      await nonprofit.close();
    }
  }
});

/**
 * These steps change nothing. A kill before or after such a step has the same effect as a kill after the previous
 * change.
 */
const CHANGES_NOTHING = /^after commit|GET |(progress|results)\/batch|batch\/read/;

/** A run records its progress for other processes every three seconds. A shorter run never records its progress. */
const COMES_WITH_TIME = 'before commit: update runs';

function isOfItsOwn(point: string): boolean {
  return point !== COMES_WITH_TIME && !CHANGES_NOTHING.test(point);
}

/**
 * Returns true if credits may have been spent for a response that the store does not contain. Checks a copy, because
 * the next sync recovers the file.
 */
async function mayHaveLostAnswer({ database }: Nonprofit): Promise<boolean> {
  const copy = `${database}.copy`;
  for (const part of ['', '-wal']) {
    await copyFile(`${database}${part}`, `${copy}${part}`).catch(() => undefined);
  }
  const db = new Sqlite(copy);
  try {
    const table = db.prepare("select name from sqlite_master where name = 'submissions'").get();
    const open = "select 1 from submissions where state in ('intended', 'lost') limit 1";
    return table !== undefined && db.prepare(open).get() !== undefined;
  } finally {
    db.close();
  }
}

/**
 * Kills the first sync at the given point. Further syncs complete the work. Returns the differences from `expected`.
 */
async function killAt(nonprofit: Nonprofit, point: string, expected: Books): Promise<string[]> {
  const killed = await nonprofit.run(['sync', '--json'], { FAILPOINT: point });
  if (killed.signal !== 'SIGKILL') return [`the point was not passed: ${killed.output}`];
  const mayHold = await mayHaveLostAnswer(nonprofit);
  let end = killed;
  for (let sync = 0; sync < MOST_SYNCS && end.code !== 0; sync += 1) {
    end = await nonprofit.run(['sync', '--json']);
  }
  if (end.code !== 0) return [`no sync came to its end: ${end.output}`];
  const inStore = readBooks(nonprofit.database);
  const found = await nonprofit.books();
  const held = inStore.outcomes.get(LOST) ?? 0;
  const problems: string[] = [];
  if (inStore.paidTwice.length > 0) problems.push(`paid twice: ${inStore.paidTwice.join(', ')}`);
  if (inStore.openSubmissions > 0) problems.push('a submission is still open');
  if (found.spent['enhancements'] !== expected.spent['enhancements']) {
    problems.push(`spent ${found.spent['enhancements']} for enhancements`);
  }
  // A held contact is not in any network, and no path leads through it.
  if (held > 0) return [...problems, ...(mayHold ? [] : [`${held} held`])];
  problems.push(...differences(found, expected));
  return problems;
}

function differences(found: Books, expected: Books): string[] {
  const [there, awaited] = [partsOf(found), partsOf(expected)];
  const names = new Set([...there.keys(), ...awaited.keys()]);
  return [...names]
    .filter((name) => there.get(name) !== awaited.get(name))
    .map((name) => `${name} is ${there.get(name)}, and was to be ${awaited.get(name)}`);
}

/** Returns credits, networks and contacts, each as a string. */
function partsOf({ spent, networks, values }: Books): Map<string, string> {
  return new Map(
    [...Object.entries(spent), ...networks, ...values].map(([name, part]) => [
      name,
      JSON.stringify(part),
    ]),
  );
}
