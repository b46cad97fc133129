import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { LEASE_MS } from '../../../src/database/transact.ts';
import { type CliProcess, type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { holdJobs } from '../../helpers/held-jobs.ts';
import { startPostgresServer } from '../../helpers/postgres-server.ts';
import { describeOn, freshPostgresUrl } from '../../helpers/test-databases.ts';
import { type ServingCli, startServing } from './serving.ts';

let world: CliWorld;
let databaseUrl = '';
let processes: CliProcess[] = [];
afterEach(async () => {
  for (const { child } of processes) child.kill('SIGKILL');
  await Promise.all(processes.map(({ ended }) => ended));
  processes = [];
  await world.close();
});

const runsSchema = z.object({
  runs: z.array(
    z.object({
      id: z.string(),
      integration: z.string(),
      status: z.string(),
      startedAt: z.string(),
      finishedAt: z.string().nullable(),
      reason: z.object({ code: z.string() }).nullable(),
    }),
  ),
});

it('worker and serve --no-work refuse a SQLite file, and say why', async () => {
  world = await openCliWorld({ people: 1 });
  for (const command of [['worker'], ['serve', '--no-work']]) {
    const refused = await world.run(command);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('Workers need a Postgres database');
  }
});

describeOn('postgres', 'worker', () => {
  beforeEach(async () => {
    databaseUrl = await freshPostgresUrl();
  });

  it('runs beside others what a process asks for that takes up nothing itself', async () => {
    const integrations = ['one', 'two', 'three', 'four', 'five', 'six'];
    world = await openCliWorld({ people: 3, integrations, databaseUrl });
    const serving = await startServing(world, ['--no-work']);
    processes.push(serving);
    for (const id of integrations) await startRun(serving, id);
    await sleep(1_500);
    expect((await runs()).length).toBe(0);
    await Promise.all([startWorker(), startWorker(), startWorker()]);
    await untilRuns('succeeded', integrations.length);
    const all = await runs();
    expect(all.map(({ integration }) => integration).sort()).toEqual([...integrations].sort());
  });

  it('hands what it leaves at SIGTERM to another at once, and nothing is paid twice', async () => {
    const jobs = holdJobs();
    world = await openCliWorld({ service: jobs.service, databaseUrl });
    const { first } = await startPaidRun();
    await startWorker();
    first.child.kill('SIGTERM');
    expect((await first.ended).exitCode).toBe(0);
    jobs.letEnd();
    const [ended] = await untilRuns('succeeded');
    const interrupted = (await runs()).find(({ status }) => status === 'incomplete');
    expect(interrupted?.reason).toMatchObject({ code: 'interrupted' });
    // The product notices a silent worker only after ten seconds. The worker in this test has reported its end.
    expect(gapMs(interrupted?.finishedAt, ended?.startedAt)).toBeLessThan(10_000);
    expect(await world.spent()).toBe(12);
  });

  // `npm run bench -- machines` measures that this takes at most 15 seconds on an idle machine.
  it('takes over what a killed one has left before its lease has ended, and nothing is paid twice', async () => {
    const jobs = holdJobs();
    world = await openCliWorld({ service: jobs.service, databaseUrl });
    const { first } = await startPaidRun();
    await startWorker();
    first.child.kill('SIGKILL');
    const killedAt = new Date().toISOString();
    jobs.letEnd();
    const [ended] = await untilRuns('succeeded');
    const takenMs = gapMs(killedAt, ended?.startedAt);
    // If the run had ended before the kill, nothing could be taken over.
    expect(takenMs).toBeGreaterThan(0);
    expect(takenMs).toBeLessThan(LEASE_MS);
    expect(await world.spent()).toBe(12);
  });

  it('that stood still and was overtaken leaves its run to the other, and takes up runs again', async () => {
    const jobs = holdJobs();
    world = await openCliWorld({ service: jobs.service, databaseUrl });
    const { serving, first } = await startPaidRun();
    first.child.kill('SIGSTOP');
    const second = await startWorker();
    await untilRuns('running', 1, 'interrupted');
    first.child.kill('SIGCONT');
    jobs.letEnd();
    await untilRuns('succeeded');
    second.child.kill('SIGTERM');
    await second.ended;
    await startRun(serving, 'riverside');
    const all = await untilRuns('succeeded', 2);
    expect(overlaps(all)).toBe(false);
    expect(await world.spent()).toBe(12);
  });

  it('makes one run of the webhooks that come in at two hosts, also of those that one took before it was killed', async () => {
    world = await openCliWorld({ databaseUrl });
    const hosts = await serveTwice();
    const path = await createHook();
    const contacts = (await world.rows()).map(({ Id = '' }) => Id);
    for (const [index, contact] of contacts.entries()) {
      await callHook(hosts[index % 2], `${path}?contact=${contact}`);
    }
    for (const host of hosts) host?.child.kill('SIGKILL');
    await startWorker();
    await untilRuns('succeeded');
    expect(await runs()).toHaveLength(1);
    expect(await world.spent()).toBe(contacts.length);
  });

  it('is one of several that make one run of a burst of webhooks at several hosts', async () => {
    world = await openCliWorld({ people: 1, databaseUrl });
    const hosts = await serveTwice();
    const path = await createHook();
    await Promise.all([startWorker(), startWorker(), startWorker()]);
    for (let call = 0; call < 8; call += 1) {
      await callHook(hosts[call % 2], path);
      await sleep(1_000);
    }
    await untilRuns('succeeded', 2);
    await sleep(3_000);
    const begun = (await runs()).map(({ startedAt }) => startedAt).sort();
    const gaps = begun.slice(1).map((at, index) => gapMs(begun[index], at));
    // Even on a slow machine, only the burst's next run starts, and it never starts too early.
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(14_900);
  });

  it('sees within seconds what is applied, changed and removed; a run goes on with what it began with', async () => {
    const jobs = holdJobs();
    world = await openCliWorld({ service: jobs.service, databaseUrl });
    const serving = await startServing(world, ['--no-work']);
    processes.push(serving);
    await startWorker();
    await world.saveRows(await world.rows(), 'lakeside.csv');
    await apply('lakeside', []);
    await untilStatus(serving, 'lakeside', 200);
    await startRun(serving, 'lakeside');
    await untilPaid();
    await apply('lakeside', ['    schedule: { cron: "0 3 * * *" }']);
    await untilPlanned('0 3 * * *');
    expect((await world.run(['remove', 'lakeside', '--yes'])).exitCode).toBe(0);
    await untilStatus(serving, 'lakeside', 404);
    jobs.letEnd();
    const [ended] = await untilRuns('succeeded');
    expect(ended?.integration).toBe('lakeside');
    expect(await world.spent()).toBe(12);
    const again = await world.run(['remove', 'riverside', '--yes']);
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('settings file')]);
  });

  it('goes on after a restart of Postgres, also with a run that it was in', async () => {
    const server = await startPostgresServer();
    try {
      const jobs = holdJobs();
      world = await openCliWorld({ service: jobs.service, databaseUrl: server.url });
      const serving = await startServing(world, ['--no-work']);
      processes.push(serving);
      await startWorker();
      await startRun(serving, 'riverside');
      await untilPaid();
      const before = await beginOf(server.url);
      server.restart(2);
      await expect.poll(() => beginOf(server.url)).not.toBe(before);
      jobs.letEnd();
      await untilRuns('succeeded');
      await startRun(serving, 'riverside');
      await untilRuns('succeeded', 2);
      expect(await world.spent()).toBe(12);
    } finally {
      for (const { child, ended } of processes.splice(0)) {
        child.kill('SIGKILL');
        await ended;
      }
      await server.stop();
    }
  });
});

const LOOK_INTERVAL_MS = 250;
const MAX_LOOKS = 400;

async function startWorker(options: readonly string[] = []): Promise<CliProcess> {
  const started = await world.start(['worker', '--json', ...options]);
  processes.push(started);
  const line = new Promise<string>((resolve) => started.child.stdout.once('data', resolve));
  const first = await Promise.race([line, started.ended]);
  if (typeof first !== 'string') throw new Error(`it does not work: ${first.stderr}`);
  expect(JSON.parse(first)).toMatchObject({ ready: true });
  return started;
}

/** Starts a service without work, and a worker whose run has already paid for contacts. */
async function startPaidRun(): Promise<{ serving: ServingCli; first: CliProcess }> {
  const serving = await startServing(world, ['--no-work']);
  processes.push(serving);
  const first = await startWorker();
  await startRun(serving, 'riverside');
  await untilPaid();
  return { serving, first };
}

async function serveTwice(): Promise<ServingCli[]> {
  const hosts = [
    await startServing(world, ['--no-work']),
    await startServing(world, ['--no-work']),
  ];
  processes.push(...hosts);
  return hosts;
}

/** Creates a webhook address and returns its path. */
async function createHook(): Promise<string> {
  const schema = z.object({ url: z.string() });
  const { url } = await world.runJson(['hooks', 'create', 'riverside'], schema);
  return new URL(url).pathname;
}

async function callHook(host: ServingCli | undefined, path: string): Promise<void> {
  const { status } = await fetch(`${host?.url}${path}`, { method: 'POST' });
  expect(status).toBe(202);
}

async function startRun({ ask }: ServingCli, id: string): Promise<void> {
  const response = await ask(`/v1/integrations/${id}/runs`, { method: 'POST', body: {} });
  expect(response.status).toBe(202);
}

async function untilPaid(): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    if ((await world.spent()) > 0) return;
    await sleep(LOOK_INTERVAL_MS);
  }
  throw new Error('no contact was submitted');
}

/** Applies the settings file to the client, with a different ID and additional lines. */
async function apply(id: string, lines: readonly string[]): Promise<void> {
  const text = await readFile(world.path('donor-sync.yaml'), 'utf8');
  await writeFile(
    world.path(`${id}.yaml`),
    `${text.replaceAll('riverside', id).trimEnd()}\n${lines.join('\n')}\n`,
  );
  const { exitCode, stderr } = await world.run(['apply', world.path(`${id}.yaml`)]);
  expect(exitCode, stderr).toBe(0);
}

async function untilStatus({ ask }: ServingCli, id: string, status: number): Promise<void> {
  await expect.poll(async () => (await ask(`/v1/integrations/${id}`)).status).toBe(status);
}

/** Waits until a serving process has planned the schedule, which the test's own process only lists. */
async function untilPlanned(cron: string): Promise<void> {
  const { db, close } = await openDatabase<Tables>(databaseUrl);
  const rules = () => db.selectFrom('schedules').select('rule').execute();
  await expect
    .poll(async () => (await rules()).some(({ rule }) => rule.startsWith(cron)))
    .toBe(true);
  await close();
}

/** Returns the time when the Postgres server at this address was started. */
async function beginOf(url: string): Promise<string | undefined> {
  const { db, close } = await openDatabase<Tables>(url);
  try {
    const begun = sql<{ at: string }>`select pg_postmaster_start_time()::text as at`;
    return (await begun.execute(db)).rows[0]?.at;
  } finally {
    await close();
  }
}

async function runs() {
  return (await world.runJson(['runs'], runsSchema)).runs;
}

/** Waits until this many runs have this status. If a reason is given, one run must have ended for that reason. */
async function untilRuns(status: string, count = 1, reason?: string) {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const all = await runs();
    const found = all.filter((run) => run.status === status);
    const hasReason = reason === undefined || all.some((run) => run.reason?.code === reason);
    if (found.length >= count && hasReason) return found;
    await sleep(LOOK_INTERVAL_MS);
  }
  throw new Error(`no run is ${status}`);
}

/** Returns true if a run started before an earlier run had ended. */
function overlaps(all: readonly z.infer<typeof runsSchema>['runs'][number][]): boolean {
  const inOrder = all.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  return inOrder.some(({ startedAt }, index) => startedAt < (inOrder[index - 1]?.finishedAt ?? ''));
}

/** Returns the time from the first moment to the second moment, which is positive if the second moment is later. */
function gapMs(from: string | null | undefined, to: string | null | undefined): number {
  return Date.parse(to ?? '') - Date.parse(from ?? '');
}
