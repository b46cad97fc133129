import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { openDatabase } from '../../src/database/database.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import { controlService } from '../helpers/service-control.ts';
import { describeOn, freshPostgresUrl } from '../helpers/test-databases.ts';

const PROGRAM = join(import.meta.dirname, '../helpers/paced-program.ts');

/** The documented limit: so many requests a second, and so many at once. */
const RATE = 10;
const BURST = 10;

/** How long the processes ask, and how much of it counts: they do not start and end at one moment. */
const FOR_MS = 14_000;
const COUNTED_MS = 8_000;

const children: ChildProcessWithoutNullStreams[] = [];
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const close of closers.splice(0)) await close();
});

async function openWorld() {
  const url = await freshPostgresUrl();
  const database = await openDatabase(url);
  await migrateToLatest(database.db);
  await database.close();
  const limit = { rate: RATE, burst: BURST };
  const service = await startPartnerSandbox({ donors: 10, ...limit, jobTimeMs: 0 });
  closers.push(() => service.close());
  const { baseUrl, apiKey } = service;
  return {
    /** Starts a process that asks with so many requests at the same time. */
    async start(width: number) {
      const args = [PROGRAM, url, baseUrl, apiKey, `${FOR_MS}`, `${width}`];
      const child = spawn(process.execPath, args);
      children.push(child);
      child.stderr.pipe(process.stderr);
      await once(child.stdout, 'data');
      return child;
    },
    /** What the service has counted for the key: when it was asked, and how often it refused. */
    async log() {
      const requests = await controlService(service).requests();
      const asked = requests.filter(({ path }) => path.endsWith('/credits'));
      return {
        times: asked.map(({ at }) => Date.parse(at)),
        refused: asked.filter(({ status }) => status === 429).length,
      };
    },
  };
}

describeOn('postgres', 'the pace of a key that three processes use', () => {
  it('is never above the limit, and is used', async () => {
    const { start, log } = await openWorld();
    const running = await Promise.all([start(2), start(3), start(10)]);
    const from = Date.now() + 2_000;
    await Promise.all(running.map((child) => once(child, 'exit')));
    const { times, refused } = await log();
    expect(refused).toBe(0);
    const counted = times.filter((at) => at >= from && at < from + COUNTED_MS).length;
    expect(counted / (COUNTED_MS / 1_000)).toBeGreaterThan(9.5);
    expect(counted).toBeLessThanOrEqual(BURST + (RATE * COUNTED_MS) / 1_000);
  });

  it('is kept and used after one of them was killed with departures in hand', async () => {
    const { start, log } = await openWorld();
    const [first, ...others] = await Promise.all([start(10), start(2), start(2)]);
    await sleep(2_050);
    first?.kill('SIGKILL');
    const from = Date.now() + 2_000;
    await Promise.all(others.map((child) => once(child, 'exit')));
    const { times, refused } = await log();
    expect(refused).toBe(0);
    const counted = times.filter((at) => at >= from && at < from + COUNTED_MS).length;
    expect(counted / (COUNTED_MS / 1_000)).toBeGreaterThan(9.5);
  });
});
