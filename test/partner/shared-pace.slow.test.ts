import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { openDatabase } from '../../src/database/database.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import { describeOn, freshPostgresUrl } from '../helpers/test-databases.ts';

const PROGRAM = join(import.meta.dirname, '../helpers/paced-program.ts');

/** The documented limit. It is a number of requests per second and the size of a burst. */
const RATE = 10;
const BURST = 10;

/** The time for which the processes send requests, and the period in which the pace is measured. */
const FOR_MS = 14_000;
const COUNTED_MS = 4_000;

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
  const left: number[] = [];
  return {
    /** Returns the sorted times (ms since 1970) at which the requests of all processes were sent. */
    left: () => left.toSorted((one, other) => one - other),
    /** Starts a process that sends up to this many requests at the same time. */
    async start(width: number) {
      const args = [PROGRAM, url, baseUrl, apiKey, `${FOR_MS}`, `${width}`];
      const child = spawn(process.execPath, args);
      children.push(child);
      child.stderr.pipe(process.stderr);
      const lines = createInterface({ input: child.stdout });
      lines.on('line', (line) => line !== 'ready' && left.push(Number(line)));
      await once(lines, 'line');
      return child;
    },
  };
}

/**
 * Counts the requests above the limit, as a service would that receives each request immediately. On a busy machine,
 * the real service receives delayed requests together, so its refusals would say nothing about the pace.
 */
function countRefused(times: readonly number[]): number {
  let tokens = BURST;
  let before = times[0] ?? 0;
  let refused = 0;
  for (const at of times) {
    tokens = Math.min(BURST, tokens + ((at - before) * RATE) / 1_000);
    before = at;
    if (tokens >= 1) tokens -= 1;
    else refused += 1;
  }
  return refused;
}

/** Returns the highest rate in any period. The processes do not catch up on requests that a busy machine delayed. */
function bestRate(times: readonly number[]): number {
  const counts = times.map((from) => times.filter((at) => at >= from && at < from + COUNTED_MS));
  return Math.max(...counts.map(({ length }) => length)) / (COUNTED_MS / 1_000);
}

describeOn('postgres', 'the pace of a key that three processes use', () => {
  it('is never above the limit, and is used', async () => {
    const { start, left } = await openWorld();
    const running = await Promise.all([start(2), start(3), start(10)]);
    const from = Date.now() + 2_000;
    await Promise.all(running.map((child) => once(child, 'close')));
    expect(countRefused(left())).toBe(0);
    expect(bestRate(left().filter((at) => at >= from))).toBeGreaterThan(9.5);
  });

  it('is kept and used after one of them was killed with departures in hand', async () => {
    const { start, left } = await openWorld();
    const [first, ...others] = await Promise.all([start(10), start(2), start(2)]);
    await sleep(2_050);
    first?.kill('SIGKILL');
    const from = Date.now() + 2_000;
    await Promise.all(others.map((child) => once(child, 'close')));
    expect(countRefused(left())).toBe(0);
    expect(bestRate(left().filter((at) => at >= from))).toBeGreaterThan(9.5);
  });
});
