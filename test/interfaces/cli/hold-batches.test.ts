import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { decidedBatchSchema, errorSchema, holdsSchema, runsSchema } from './documents.ts';
import { otherNames } from './other-names.ts';
import { readShownHolds } from './shown-names.ts';

const open = closedAfterTest(openCliWorld);

type Row = Record<string, string>;

/** Syncs contacts. They can be submitted to the service. */
async function openSynced(count: number): Promise<CliWorld> {
  const here = await open({ people: count + 30 });
  const rows = await here.rows();
  await here.saveRows(rows.filter((row) => row['First'] && row['Last']).slice(0, count));
  expect(await here.rows()).toHaveLength(count);
  const { exitCode, stderr } = await here.run(['sync']);
  if (exitCode !== 0) throw new Error(stderr);
  return here;
}

async function moveAll(here: CliWorld, street: string): Promise<void> {
  const rows = await here.rows();
  await here.saveRows(
    rows.map((row: Row, index) => ({ ...row, Address: `${index + 1} ${street}, Reno, NV 89501` })),
  );
}

async function sync(here: CliWorld) {
  const [run] = (await here.runJson(['sync'], runsSchema)).runs;
  if (!run) throw new Error('nothing was synced');
  return run;
}

/** Returns everything that the database has on disk, as text. */
async function databaseText({ path }: CliWorld): Promise<string> {
  const files = (await readdir(path('.'))).filter((name) => name.startsWith('store.db'));
  expect(files).toContain('store.db');
  return (await Promise.all(files.map((name) => readFile(path(name), 'latin1')))).join('\n');
}

/** Makes the client use a different file, in which the same IDs belong to other people. */
async function leadElsewhere(here: CliWorld): Promise<void> {
  const rows = await here.rows();
  const strangers = rows.map((row: Row) => ({ ...row, First: 'Quentin', Last: 'Stranger' }));
  await here.saveRows(strangers, 'other.csv');
  const settings = here.path('donor-sync.yaml');
  const text = await readFile(settings, 'utf8');
  await writeFile(settings, text.replace('path: riverside.csv', 'path: other.csv'));
}

describe('a change of many contacts at once', () => {
  it('spends nothing, is one line, and is rejected for none or approved for a credit each', async () => {
    const here = await openSynced(300);
    const spent = await here.spent();
    await moveAll(here, 'Quarry Lane');
    const held = await sync(here);
    expect(held).toMatchObject({ status: 'succeeded', reason: null });
    expect(held.contacts).toMatchObject({ submitted: 0, held: 300, waiting: 0 });
    expect(await here.spent()).toBe(spent);

    const { holds, batches } = await here.runJson(['holds'], holdsSchema);
    const [batch] = batches;
    if (!batch) throw new Error('there is no batch');
    expect(batches).toMatchObject([
      { integration: 'riverside', count: 300, parts: { addresses: 300 }, credits: 300 },
    ]);
    expect(holds).toHaveLength(300);
    for (const hold of holds) {
      expect(hold).toMatchObject({
        batch: batch.id,
        kind: 'identity_mass_change',
        decisions: ['approve', 'reject'],
        reason: 'its address changed together with those of 299 others',
      });
    }
    const short = batch.id.slice(-8);
    const { stdout } = await here.run(['holds']);
    const lines = stdout.split('\n');
    expect(lines.filter((line) => line.includes(short))).toEqual([
      expect.stringMatching(
        /riverside +300 .* ago +changed: 300 addresses +300 +approve\|reject --batch$/,
      ),
    ]);
    expect(lines.length).toBeLessThan(10);
    expect(stdout).toContain('1 decision to make');
    const members = await here.run(['holds', '--batch', short]);
    expect(members.stdout.match(/with those of 299 others/g)).toHaveLength(300);

    const rejected = await here.run(['holds', 'reject', '--batch', short]);
    expect(rejected.exitCode).toBe(0);
    expect(rejected.stdout).toContain('300 contacts');
    expect(rejected.stdout).toContain('Nothing is spent');
    for (const _ of ['the next run', 'and the one after it']) {
      expect((await sync(here)).contacts).toMatchObject({ chosen: 0, submitted: 0, written: 0 });
    }
    expect(await here.spent()).toBe(spent);

    await moveAll(here, 'Gravel Road');
    await sync(here);
    const again = await here.runJson(['holds'], holdsSchema);
    expect(again.batches.map(({ count }) => count)).toEqual([300]);
    const id = again.batches[0]?.id ?? '';
    expect(id).not.toBe(batch.id);
    const approved = await here.runJson(['holds', 'approve', '--batch', id], decidedBatchSchema);
    expect(approved.batch).toEqual({
      id,
      integration: 'riverside',
      decision: 'approved',
      count: 300,
      credits: 300,
    });
    expect((await sync(here)).contacts).toMatchObject({ submitted: 300 });
    expect(await here.spent()).toBe(spent + 300);
    expect((await sync(here)).contacts).toMatchObject({ submitted: 0 });
    expect(await here.spent()).toBe(spent + 300);
  });

  it('can be decided for single contacts, and for the rest afterwards', async () => {
    const here = await openSynced(40);
    const spent = await here.spent();
    await moveAll(here, 'Quarry Lane');
    await sync(here);
    const { holds, batches } = await here.runJson(['holds'], holdsSchema);
    const [first, second] = holds;
    const id = batches[0]?.id ?? '';
    if (!first || !second) throw new Error('nothing is held');
    const approved = await here.run(['holds', 'approve', first.id.slice(-8)]);
    expect(approved.stdout).toContain('The next sync spends 1 credit on that');
    const rejected = await here.run(['holds', 'reject', second.id]);
    expect(rejected.stdout).toContain('Nothing is spent on that');
    const all = await here.run(['holds', 'approve', '--batch', id.slice(-8)]);
    expect(all.stdout).toContain('The next sync spends 38 credits on that');
    await sync(here);
    expect(await here.spent()).toBe(spent + 39);
    const late = await here.run(['holds', 'reject', '--batch', id]);
    expect([late.exitCode, late.stderr]).toEqual([
      2,
      expect.stringMatching(
        / have already been decided, approved on .* by anna \(command line\)\. /,
      ),
    ]);
  });

  it('says how it is decided to those who try it otherwise', async () => {
    const here = await openSynced(40);
    await moveAll(here, 'Quarry Lane');
    await sync(here);
    const { holds, batches } = await here.runJson(['holds'], holdsSchema);
    const id = batches[0]?.id ?? '';
    const short = id.slice(-8);
    const hold = holds[0]?.id ?? '';
    const refusals: [string[], string][] = [
      [['reject', '--batch', 'ffffffff'], `Open batches: ${id} (40 contacts of riverside).`],
      [['reject', '--batch', `${id.slice(0, -1)}x`], `did you mean "${id}"?`],
      [['approve', '--batch', id, hold], 'Use either --batch or the IDs of individual decisions'],
      [['approve'], 'Enter the IDs of the decisions, or a whole batch with --batch ID'],
      [['resubmit', '--batch', id], `donor-sync holds approve --batch ${id}`],
      [['resubmit', hold], 'donor-sync holds approve'],
      [['reject', id], `donor-sync holds reject --batch ${id}`],
      [
        ['reject', '--batch', short],
        `With --json or --yes, enter the whole ID, not just its end: ${id}.`,
      ],
      [
        ['reject', hold.slice(-8)],
        `With --json or --yes, enter the whole ID, not just its end: ${hold}.`,
      ],
    ];
    for (const [args, words] of refusals) {
      const refused = await here.run(['holds', ...args, '--json']);
      expect(refused.exitCode).toBe(2);
      expect(errorSchema.parse(JSON.parse(refused.stdout)).error.message).toContain(words);
    }
    expect((await here.runJson(['holds'], holdsSchema)).holds).toHaveLength(40);
  });
});

describe('donor-sync holds --show', () => {
  it('shows three contacts of a batch as the CRM has them now, and keeps nothing of it', async () => {
    const here = await openSynced(40);
    await moveAll(here, 'Quarry Lane');
    await sync(here);
    const [first, second, third] = await here.rows();
    if (!first || !second || !third) throw new Error('there are no contacts');
    const { stdout, stderr } = await here.run(['holds', '--show'], {
      DONOR_SYNC_LOG_LEVEL: 'debug',
    });
    for (const row of [first, second, third]) {
      expect(stdout).toMatch(
        new RegExp(`${row['Id']} +${row['First']} ${row['Last']} +Address: ${row['Address']}`),
      );
    }
    expect(stdout.match(/Quarry Lane/g)).toHaveLength(3);
    expect(stderr).not.toContain('Quarry Lane');
    const asJson = await here.run(['holds', '--show', '--json']);
    expect(asJson.exitCode).toBe(2);
    expect(asJson.stdout).not.toContain('Quarry Lane');
    expect(await databaseText(here)).not.toContain('Quarry Lane');
  });

  it('does not show the people of another CRM account, who have the same ids', async () => {
    const here = await openSynced(40);
    await moveAll(here, 'Quarry Lane');
    await sync(here);
    await leadElsewhere(here);
    const { stdout, exitCode } = await here.run(['holds', '--show']);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('Stranger');
    expect(stdout).toContain(ANOTHER_ACCOUNT);
    const [row] = await here.rows();
    const paths = await here.run(['paths', row?.['Id'] ?? '']);
    expect(paths.exitCode).toBe(2);
    expect(paths.stderr).toContain(ANOTHER_ACCOUNT);
  });

  it('does not put their names beside those of profiles that wait for a comparison', async () => {
    const other = otherNames();
    const here = await open(other.options);
    await other.come(here);
    await leadElsewhere(here);
    const holds = await readShownHolds(here);
    expect(holds.length).toBeGreaterThan(0);
    for (const { names } of holds) {
      expect(names).toMatchObject({
        contact: '',
        profile: '',
        problem: expect.stringContaining(ANOTHER_ACCOUNT),
      });
    }
  });
});

const ANOTHER_ACCOUNT = 'was connected to another CRM account before';
