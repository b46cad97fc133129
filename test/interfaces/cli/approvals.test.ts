import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { type CliWorld, type CliWorldOptions, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema, holdsSchema, runsSchema } from './documents.ts';
import { databaseText, enhancedId, ourColumns } from './forgetting.ts';

const openAny = closedAfterTest(openCliWorld);

/** Opens a service in which these actions wait for a second user. */
async function open(twoPeople: string, options: CliWorldOptions = {}): Promise<CliWorld> {
  const world = await openAny(options);
  const path = world.path('donor-sync.yaml');
  await writeFile(path, `${await readFile(path, 'utf8')}\ntwoPeople: ${twoPeople}\n`);
  return world;
}

const approvalSchema = z.object({
  id: z.string(),
  what: z.string(),
  text: z.string(),
  contacts: z.int(),
  credits: z.int(),
  digest: z.string().min(20),
  askedBy: z.object({ kind: z.literal('command'), name: z.string() }),
  state: z.string(),
});
const oneSchema = z.object({ approval: approvalSchema });
const listSchema = z.strictObject({ approvals: z.array(approvalSchema) });

/** Runs a command that creates requests. Returns the requests that wait after it. */
async function askedBy(world: CliWorld, args: readonly string[]) {
  const { exitCode, stdout, stderr } = await world.run([...args, '--json']);
  expect([exitCode, stderr]).toEqual([3, '']);
  return oneSchema.parse(JSON.parse(stdout)).approval;
}

/** Returns the error code with which a user of the machine is refused. */
async function refusal(world: CliWorld, args: readonly string[], user: string): Promise<string> {
  const { exitCode, stdout } = await world.run([...args, '--json'], {}, user);
  expect(exitCode).toBe(2);
  return errorSchema.parse(JSON.parse(stdout)).error.code;
}

describe('donor-sync approvals', () => {
  it('lets another user of the machine confirm a mass approval, and spends only then', async () => {
    const world = await open('{ approvals: 5 }', { people: 60 });
    const rows = (await world.rows()).filter((row) => row['First'] && row['Last']).slice(0, 30);
    await world.saveRows(rows);
    await world.run(['sync']);
    const moved = rows.map((row, index) => ({ ...row, Address: `${index + 1} Quarry Lane, Reno` }));
    await world.saveRows(moved);
    await world.run(['sync']);
    const spent = await world.spent();
    const [batch] = (await world.runJson(['holds'], holdsSchema)).batches;
    if (!batch) throw new Error('there is no batch');

    const approve = ['holds', 'approve', '--batch', batch.id];
    const asked = await askedBy(world, approve);
    const { count } = batch;
    expect(asked).toMatchObject({ what: 'approve', contacts: count, credits: count });
    expect(asked).toMatchObject({ askedBy: { name: 'anna' }, state: 'waiting' });
    const short = asked.id.slice(-8);
    const words = await world.run(approve);
    expect(words.exitCode).toBe(3);
    expect(words.stdout).toContain(
      'Nothing has been done yet. The request waits for a second user:',
    );
    expect(words.stdout).toContain(`donor-sync approvals confirm ${asked.id}`);
    await world.run(['sync']);
    expect(await world.spent()).toBe(spent);
    expect((await world.runJson(['approvals'], listSchema)).approvals).toMatchObject([asked]);
    expect((await world.run(['approvals'])).stdout).toContain(short);

    const confirm = ['approvals', 'confirm', short, '--yes'];
    expect(await refusal(world, confirm, 'anna')).toBe('approval_same_person');
    const unasked = await world.run(['approvals', 'confirm', short], {}, 'ben');
    expect(unasked.exitCode).toBe(2);
    expect(unasked.stderr).toContain(asked.text);
    expect(unasked.stderr).toContain('anna (command line) requested this');
    const { exitCode, stdout } = await world.run(confirm, {}, 'ben');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Confirmed.')]);
    expect(await refusal(world, confirm, 'cal')).toBe('approval_unknown');
    await world.run(['sync']);
    expect(await world.spent()).toBe(spent + count);
    expect((await world.run(['approvals'])).stdout).toBe(
      'No request is waiting for a second user.\n',
    );
  });

  it('undoes a run once another user has confirmed it, and nothing where it was refused', async () => {
    const world = await open('{ undo: 0 }');
    const [run] = (await world.runJson(['sync'], runsSchema)).runs;
    const undo = ['undo', run?.id ?? '', '--yes'];
    const written = async () => (await world.rows()).filter((row) => row['Donor ID']).length;
    const before = await written();
    const first = await askedBy(world, undo);
    expect(first).toMatchObject({ what: 'undo', contacts: before });
    const refused = await world.run(['approvals', 'refuse', first.id, '--yes'], {}, 'anna');
    expect([refused.exitCode, refused.stdout]).toEqual([
      0,
      expect.stringContaining('The request was refused'),
    ]);
    expect(await refusal(world, ['approvals', 'confirm', first.id, '--yes'], 'ben')).toBe(
      'approval_unknown',
    );
    expect(await written()).toBe(before);

    const { id } = await askedBy(world, undo);
    const confirmed = await world.run(['approvals', 'confirm', id, '--yes', '--json'], {}, 'ben');
    expect(confirmed.exitCode).toBe(0);
    expect(JSON.parse(confirmed.stdout)).toMatchObject({
      approval: { state: 'done' },
      undo: { run: run?.id, contacts: { restored: before } },
    });
    expect(await written()).toBe(0);
  });

  it('forgets everywhere once another user has confirmed it, and keeps nothing of it', async () => {
    const world = await open('{ forgetEverywhere: true }', {
      integrations: ['riverside', 'harbor'],
    });
    await world.run(['sync', '--all']);
    const id = await enhancedId(world);
    const forget = ['forget', id, '--integration', 'riverside', '--also-in-crm', '--yes'];
    const asked = await askedBy(world, [...forget, '--everywhere']);
    expect(asked.text).toBe(
      `Erase the contact ${id} from "riverside", "harbor" permanently, and clear the values that donor-sync wrote to the CRM.`,
    );
    expect(await ourColumns(world, id)).not.toEqual([]);
    const about = await world.run(['about', id, '--integration', 'riverside']);
    expect(about.stdout).toContain('erasure that waits for a second user');

    const done = await world.run(['approvals', 'confirm', asked.id, '--yes'], {}, 'ben');
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    expect(done.stdout).toContain(`${id} is erased`);
    for (const name of ['riverside.csv', 'harbor.csv']) {
      expect(await ourColumns(world, id, name)).toEqual([]);
    }
    expect(await databaseText(world)).not.toContain(id);
    const { stdout } = await world.run(['audit', '--json']);
    const actions = z
      .object({
        entries: z.array(
          z.object({ action: z.string(), who: z.object({ name: z.string().nullable() }) }),
        ),
      })
      .parse(JSON.parse(stdout))
      .entries.filter(({ action }) => /^(approval|forget)\./.test(action))
      .map(({ action, who }) => `${who.name} ${action}`)
      .reverse();
    expect(actions.slice(0, 3)).toEqual([
      'anna approval.asked',
      'ben approval.confirmed',
      'ben forget.begun',
    ]);
    expect(actions.at(-1)).toBe('ben forget.done');
    // Unless the settings require a second user, one user can confirm the request.
    const other = (await world.rows()).find((row) => row['Donor ID'])?.['Id'] ?? '';
    expect((await world.run(['forget', other, '--integration', 'harbor', '--yes'])).exitCode).toBe(
      0,
    );
  });

  it('keeps an erasure from waiting for a second user who does not exist', async () => {
    const world = await open('{ forget: true }');
    await world.run(['sync']);
    const id = await enhancedId(world);
    const forget = ['forget', id, '--yes'];
    expect(await refusal(world, forget, 'anna')).toBe('second_user_missing');
    expect(await databaseText(world)).toContain(id);
    // An invited user cannot confirm before they have joined.
    await world.run([
      'users',
      'invite',
      '--name',
      'Ben',
      '--email',
      'ben@example.org',
      '--role',
      'admin',
    ]);
    expect(await refusal(world, forget, 'anna')).toBe('second_user_missing');
  });

  it('waits no longer for an erasure that was repeated meanwhile, and keeps nothing of it', async () => {
    const world = await open('{ forgetEverywhere: true }', {
      integrations: ['riverside', 'harbor'],
    });
    await world.run(['sync', '--all']);
    const id = await enhancedId(world);
    const forget = ['forget', id, '--integration', 'riverside', '--yes'];
    expect((await world.run(forget)).exitCode).toBe(0);
    await askedBy(world, [...forget, '--everywhere']);
    expect((await world.run(forget)).exitCode).toBe(0);
    expect((await world.runJson(['approvals'], listSchema)).approvals).toEqual([]);
    expect((await world.run(['forget', id, '--integration', 'harbor', '--yes'])).exitCode).toBe(0);
    expect(await databaseText(world)).not.toContain(id);
  });

  it('is confirmed also where its integration was taken out of the settings meanwhile', async () => {
    const world = await open('{ approvals: 1 }', { people: 40 });
    const rows = (await world.rows()).filter((row) => row['First'] && row['Last']).slice(0, 30);
    await world.saveRows(rows);
    await world.run(['sync']);
    await world.saveRows(
      rows.map((row, index) => ({ ...row, Address: `${index} Quarry Lane, Reno` })),
    );
    await world.run(['sync']);
    const [batch] = (await world.runJson(['holds'], holdsSchema)).batches;
    const { id } = await askedBy(world, ['holds', 'approve', '--batch', batch?.id ?? '']);
    const path = world.path('donor-sync.yaml');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(/id: \w+/, 'id: elsewhere'));
    const confirmed = await world.run(['approvals', 'confirm', id, '--yes'], {}, 'ben');
    expect([confirmed.exitCode, confirmed.stdout]).toEqual([
      0,
      expect.stringContaining('The next sync carries it out.'),
    ]);
  });

  it('keeps no `serve` from ending that finds its port taken', async () => {
    let sleeping = 0;
    const sleep: Clock['sleep'] = async (ms, signal) => {
      sleeping += 1;
      await systemClock.sleep(ms, signal);
      sleeping -= 1;
    };
    const world = await open('{ undo: 0 }', { clock: { ...systemClock, sleep } });
    const [run] = (await world.runJson(['sync'], runsSchema)).runs;
    const { id } = await askedBy(world, ['undo', run?.id ?? '', '--yes']);
    const path = world.path('donor-sync.yaml');
    await writeFile(path, (await readFile(path, 'utf8')).replace(/id: \w+/, 'id: elsewhere'));
    const confirm = ['approvals', 'confirm', id, '--yes'];
    expect(await refusal(world, confirm, 'ben')).toBe('integration_unknown');

    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = z.object({ port: z.int() }).parse(other.address());
    expect(await refusal(world, ['serve', '--port', String(port)], 'ada')).toBe('port_in_use');
    expect(sleeping).toBe(0);
  });

  it('says what it can do', async () => {
    const world = await open('{ undo: 0 }', { people: 1 });
    const { exitCode, stderr } = await world.run(['approvals', 'confrim']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('did you mean "confirm"?');
  });
});
