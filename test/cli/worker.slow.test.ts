import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { type CliProcess, type CliWorld, openCliWorld } from '../helpers/cli.ts';
import { describeOn, freshPostgresUrl } from '../helpers/test-databases.ts';
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
    expect(refused.stderr).toContain('Workers share a Postgres database');
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
    world = await openCliWorld({ service: { jobTimeMs: 4_000 }, databaseUrl });
    const serving = await startServing(world, ['--no-work']);
    processes.push(serving);
    const first = await startWorker();
    await startRun(serving, 'riverside');
    await untilPaid();
    await startWorker();
    first.child.kill('SIGTERM');
    expect((await first.ended).exitCode).toBe(0);
    const [ended] = await untilRuns('succeeded');
    const interrupted = (await runs()).find(({ status }) => status === 'incomplete');
    expect(interrupted?.reason).toMatchObject({ code: 'interrupted' });
    expect(gapMs(interrupted?.finishedAt, ended?.startedAt)).toBeLessThan(5_000);
    expect(await world.spent()).toBe(12);
  });

  it('takes over within 15 seconds what a killed one has left, and nothing is paid twice', async () => {
    world = await openCliWorld({ service: { jobTimeMs: 3_000 }, databaseUrl });
    const serving = await startServing(world, ['--no-work']);
    processes.push(serving);
    const first = await startWorker();
    await startRun(serving, 'riverside');
    await untilPaid();
    await startWorker();
    first.child.kill('SIGKILL');
    const killedAt = new Date().toISOString();
    const [ended] = await untilRuns('succeeded');
    expect(gapMs(killedAt, ended?.startedAt)).toBeLessThan(15_000);
    expect(await world.spent()).toBe(12);
  });
});

const LOOK_INTERVAL_MS = 250;
const MAX_LOOKS = 200;

async function startWorker(options: readonly string[] = []): Promise<CliProcess> {
  const started = world.start(['worker', '--json', ...options]);
  processes.push(started);
  const line = new Promise<string>((resolve) => started.child.stdout.once('data', resolve));
  const first = await Promise.race([line, started.ended]);
  if (typeof first !== 'string') throw new Error(`it does not work: ${first.stderr}`);
  expect(JSON.parse(first)).toMatchObject({ ready: true });
  return started;
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

async function runs() {
  return (await world.runJson(['runs'], runsSchema)).runs;
}

async function untilRuns(status: string, count = 1) {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const found = (await runs()).filter((run) => run.status === status);
    if (found.length >= count) return found;
    await sleep(LOOK_INTERVAL_MS);
  }
  throw new Error(`no run is ${status}`);
}

/** Positive if the second moment comes after the first. */
function gapMs(from: string | null | undefined, to: string | null | undefined): number {
  return Date.parse(to ?? '') - Date.parse(from ?? '');
}
