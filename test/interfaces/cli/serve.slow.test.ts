import { readFile, stat, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { holdJobs } from '../../helpers/held-jobs.ts';
import { openPlainProxy } from '../../helpers/plain-proxy.ts';
import { followLink, type ServingCli, startServing } from './serving.ts';

let world: CliWorld;
afterEach(() => world.close());

const runsSchema = z.object({
  runs: z.array(
    z.object({
      trigger: z.string(),
      status: z.string(),
      reason: z.object({ code: z.string() }).nullable(),
    }),
  ),
});

describe('serve', () => {
  it('says where it listens, runs what is asked for, and ends well at SIGTERM', async () => {
    world = await openCliWorld();
    const serving = await startServing(world);
    expect(serving.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${serving.url}/readyz`)).status).toBe(200);
    await startRun(serving);
    await untilRuns('succeeded');
    expect(await stop(serving)).toMatchObject({ exitCode: 0 });
    expect(await world.spent()).toBe(12);
  });

  it('makes up at its start for the night that passed meanwhile', async () => {
    world = await openCliWorld({
      people: 2,
      settings: '    schedule: { cron: "0 2 * * *", timezone: America/Chicago }',
    });
    await world.run(['schedule', 'pause', 'riverside']);
    const db = new Sqlite(world.path('store.db'));
    db.prepare('update schedules set paused = 0, next_run_at = ?').run(Date.now() - 3_600_000);
    db.close();
    const serving = await startServing(world);
    expect(await untilRuns('succeeded')).toMatchObject([{ trigger: 'schedule' }]);
    await stop(serving);
  });

  it('interrupts a run at SIGTERM, and goes on with it at the next start', async () => {
    world = await openCliWorld({ service: { jobTimeMs: 60_000 } });
    const first = await startServing(world);
    const runId = await startRun(first);
    await untilPaid();
    // An open event stream must not prevent the end of the process. The stream receives a message about the end.
    const watching = await first.ask(`/v1/runs/${runId}/events`);
    expect((await stop(first)).exitCode).toBe(0);
    expect(await watching.text()).toContain('interrupted');
    expect(await untilRuns('incomplete')).toMatchObject([{ reason: { code: 'interrupted' } }]);
    const second = await startServing(world);
    const [resumed] = await untilRuns('running');
    expect(resumed).toMatchObject({ trigger: 'manual' });
    expect(await stop(second)).toMatchObject({ exitCode: 0 });
    expect(await world.spent()).toBe(12);
  });

  it('goes on with what a killed process has left, without paying twice', async () => {
    const jobs = holdJobs();
    world = await openCliWorld({ service: jobs.service });
    const first = await startServing(world);
    await startRun(first);
    await untilPaid();
    first.child.kill('SIGKILL');
    await first.ended;
    jobs.letEnd();
    const second = await startServing(world);
    await untilRuns('succeeded');
    expect(await stop(second)).toMatchObject({ exitCode: 0 });
    expect(await world.spent()).toBe(12);
  });

  it('says first that no owner can sign in, and lets in by the link alone, behind a proxy or not', async () => {
    world = await openCliWorld({ people: 1 });
    const file = world.path('link');
    const { child, ended } = await world.start(['serve', '--port', '0', '--out', file]);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async () => String((await lines.next()).value);
    expect(await next()).toMatch(
      /^No owner can sign in yet\. With this link, one browser creates the owner's account/,
    );
    expect(await next()).toBe(`  ${file}`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const link = (await readFile(file, 'utf8')).trim();
    const { origin } = new URL(link);
    const proxy = await openPlainProxy(origin);
    const start = '/v1/integrations/riverside/runs';
    for (const url of [origin, proxy.url]) {
      expect((await fetch(`${url}/v1/runs`)).status).toBe(401);
      expect((await fetch(url + start, { method: 'POST' })).status).toBe(401);
    }
    expect(await runs()).toEqual([]);
    const { cookie } = await followLink(link);
    expect((await fetch(`${origin}/v1/runs`, { headers: { cookie } })).status).toBe(200);
    expect((await followLink(link)).cookie).toBe('');
    await proxy.close();
    child.kill('SIGTERM');
    const { exitCode, stdout, stderr } = await ended;
    expect(exitCode).toBe(0);
    expect(stdout + stderr).not.toContain(link.split('/').at(-1));
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('makes no link where an owner can sign in, and in JSON says where the link is', async () => {
    world = await openCliWorld({ people: 1 });
    const open = await startServing(world);
    expect(open.signInUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/first-visit\/[\w-]{43}$/);
    const { stdout, stderr } = await stop(open);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(stdout + stderr).not.toContain('first-visit/');
    // An access token with many rights does not count as an owner.
    const made = await world.run(['tokens', 'create', '--role', 'admin', '--name', 'Anna']);
    expect(made.exitCode).toBe(0);
    const again = await startServing(world);
    expect((await again.ask('/v1/runs')).status).toBe(200);
    await stop(again);
    const closed = await startServing(world);
    expect(closed.signInUrl).toBeNull();
    expect((await fetch(`${closed.url}/v1/runs`)).status).toBe(401);
    expect((await closed.ask('/v1/runs')).status).toBe(200);
    expect((await stop(closed)).stderr).not.toContain('no owner');
  });

  it('refuses to listen to other machines until there is an access token', async () => {
    world = await openCliWorld({ people: 1 });
    const refused = await world.run(['serve', '--host', '0.0.0.0', '--port', '0']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('donor-sync tokens create');
    await world.run(['tokens', 'create', '--role', 'viewer', '--name', 'Anna']);
    const serving = await startServing(world, ['--host', '0.0.0.0']);
    await stop(serving);
  });

  it('says which applied settings do not count, and no other command does', async () => {
    world = await openCliWorld({ people: 1 });
    const file = world.path('donor-sync.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(world.path('riverside.yaml'), text);
    await writeFile(file, `${text.split('integrations:')[0]}integrations: []\n`);
    expect((await world.run(['apply', 'riverside.yaml'])).exitCode).toBe(0);
    await writeFile(file, text);
    const { stderr } = await stop(await startServing(world));
    expect(stderr).toContain('"integration":"riverside"');
    expect(stderr).toContain('remove the client from the settings file');
    expect((await world.run(['status'])).stderr).toBe('');
  });

  it('says which port is in use', async () => {
    world = await openCliWorld({ people: 1 });
    const first = await startServing(world);
    const { port } = new URL(first.url);
    const refused = await world.run(['serve', '--port', port]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(`Port ${port} of 127.0.0.1 is in use.`);
    await stop(first);
  });

  it('shares a database with another, and each run is run once', async () => {
    world = await openCliWorld({ people: 3, integrations: ['one', 'two', 'three', 'four'] });
    const [left, right] = await Promise.all([startServing(world), startServing(world)]);
    for (const id of ['one', 'two', 'three', 'four']) {
      await startRun(id < 'p' ? left : right, id);
    }
    await untilRuns('succeeded', 4);
    for (const serving of [left, right]) await stop(serving);
    expect((await runs()).length).toBe(4);
  });
});

const LOOK_INTERVAL_MS = 100;
const MAX_LOOKS = 600;

function rest(): Promise<void> {
  return sleep(LOOK_INTERVAL_MS);
}

/** Requests a run. */
async function startRun({ ask }: ServingCli, id = 'riverside'): Promise<string> {
  const response = await ask(`/v1/integrations/${id}/runs`, { method: 'POST', body: {} });
  expect(response.status).toBe(202);
  return z.object({ run: z.object({ id: z.string() }) }).parse(await response.json()).run.id;
}

/** Waits until the process has submitted people, whose jobs can take long. */
async function untilPaid(): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    if ((await world.spent()) > 0) return;
    await rest();
  }
  throw new Error('no contact was submitted');
}

function stop({ child, ended }: ServingCli) {
  child.kill('SIGTERM');
  return ended;
}

async function runs() {
  return (await world.runJson(['runs'], runsSchema)).runs;
}

/** Waits until this many runs have this status. Returns them, newest first. */
async function untilRuns(status: string, count = 1) {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const found = (await runs()).filter((run) => run.status === status);
    if (found.length >= count) return found;
    await rest();
  }
  throw new Error(`no run is ${status}`);
}
