import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { databaseText, enhancedId, forgetSchema, ourColumns } from './forgetting.ts';

const open = closedAfterTest(openCliWorld);

const errorSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.object({ near: z.array(z.string()) }).optional(),
  }),
});

describe('donor-sync forget', () => {
  it('erases a person from the database and what we wrote from the CRM, for good', async () => {
    const world = await open();
    await world.run(['sync']);
    const id = await enhancedId(world);
    const columns = await ourColumns(world, id);
    expect(await databaseText(world)).toContain(id);

    const unasked = await world.run(['forget', id]);
    expect(unasked.exitCode).toBe(2);
    expect(await databaseText(world)).toContain(id);

    const args = ['forget', id, '--integration', 'riverside', '--also-in-crm', '--yes'];
    const { forget } = await world.runJson(args, forgetSchema);
    expect(forget).toMatchObject({ crmId: id, wasKnown: true });
    expect(forget.cleared?.toSorted()).toEqual(columns.toSorted());
    expect(forget.receipt).toMatchObject({
      complete: true,
      erasedEarlier: null,
      pending: [],
      crm: { verified: true, stillPresent: [] },
      erased: { contacts: 1, jobs: 1, writes: 1 },
    });
    expect(JSON.stringify(forget.receipt)).not.toContain(id);
    expect(await databaseText(world)).not.toContain(id);
    const row = (await world.rows()).find((one) => one['Id'] === id);
    expect(row?.['Donor ID']).toBe('');
    expect(row?.['Last']).not.toBe('');

    const spent = await world.spent();
    const { stdout } = await world.run(['sync', '--full']);
    expect(stdout).toContain('was erased with "forget"');
    expect(await databaseText(world)).not.toContain(id);
    const again = await world.run(['sync', '--contact', id]);
    expect(again.exitCode).toBe(0);
    expect(await databaseText(world)).not.toContain(id);
    expect(await world.spent()).toBe(spent);
  });

  it('says of who was erased before when that was and what was done, with exit code 0', async () => {
    const world = await open();
    await world.run(['sync']);
    const id = await enhancedId(world);
    const args = ['forget', id, '--also-in-crm', '--yes'];
    const first = await world.run(args);
    expect(first.stdout).toMatch(
      /is erased, and no sync processes it again\.\nReceipt \S+, .*: erased 1 contact, 1 job, 1 write, 1 mention in runs\.\nCleared in the CRM: .*Donor ID.* A second read confirmed that no current value is left\.\nHubSpot and Salesforce keep former values in their own history\. .*permanently/,
    );
    const again = await world.run(args);
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toMatch(/was already erased on .*, and no sync/);
    expect(again.stdout).toContain(/Receipt (\S+),/.exec(first.stdout)?.[1]);
  });

  it('clears what we wrote into a row that has another id in the file since', async () => {
    const world = await open();
    await world.run(['sync']);
    const id = await enhancedId(world);
    const columns = await ourColumns(world, id);
    const renumbered = (await world.rows()).map((row) =>
      row['Id'] === id ? { ...row, Id: 'another-id', Employer: 'Northern Lights Foundation' } : row,
    );
    await world.saveRows(renumbered);
    const args = ['forget', 'another-id', '--integration', 'riverside', '--also-in-crm', '--yes'];
    const { forget } = await world.runJson(args, forgetSchema);
    expect(forget.receipt).toMatchObject({ complete: true, crm: { verified: true } });
    expect(forget.receipt.alike).toEqual([{ integration: 'riverside', crmId: id }]);
    expect(forget.cleared?.toSorted()).toEqual(columns.toSorted());
    expect(await ourColumns(world, 'another-id')).toEqual([]);
    await world.run(['sync']);
    expect(await ourColumns(world, 'another-id')).toEqual([]);
  });

  it('takes a member out of the networks at once', async () => {
    const world = await open({
      settings: '    networks: [{ name: Board, group: { column: Board, equals: member } }]',
    });
    const people = await world.rows();
    await world.saveRows(people.map((row) => ({ ...row, Board: 'member' })));
    await world.run(['sync']);
    const id = await enhancedId(world);
    const { stdout } = await world.run(['forget', id, '--yes']);
    expect(stdout).toContain('Removed from the networks: Board.');
    expect(await databaseText(world)).not.toContain(id);
  });

  it('does nothing for an unknown id, and names those near it', async () => {
    const world = await open();
    await world.run(['sync']);
    const id = await enhancedId(world);
    const mistyped = `${id}9`;
    const { exitCode, stdout } = await world.run(['forget', mistyped, '--yes', '--json']);
    expect(exitCode).toBe(2);
    const { error } = errorSchema.parse(JSON.parse(stdout));
    expect(error.code).toBe('contact_unknown');
    expect(error.details?.near).toContain(id);
    const lifted = await world.run(['forget', mistyped, '--lift-block', '--yes']);
    expect([lifted.exitCode, lifted.stderr]).toEqual([2, expect.stringContaining('not blocked')]);
    expect((await world.run(['forget', ' ', '--yes'])).exitCode).toBe(2);
  });

  it('blocks an unknown id if that is wanted, until the block is lifted', async () => {
    const world = await open();
    const [first = {}] = await world.rows();
    const later = { ...first, Id: 'comes-later', First: 'Wilhelmina', Address: '', Employer: '' };
    const blocked = await world.run(['forget', 'comes-later', '--block-unknown', '--yes']);
    expect(blocked.exitCode).toBe(0);
    await world.saveRows([first, later]);
    await world.run(['sync']);
    expect(await world.spent()).toBe(1);
    const lift = ['forget', 'lift-block', 'comes-later'];
    const unasked = await world.run(lift);
    expect([unasked.exitCode, unasked.stderr]).toEqual([
      2,
      expect.stringContaining('Allow the contact comes-later of "riverside" to be enhanced again?'),
    ]);
    const lifted = await world.run([...lift, '--yes', '--json']);
    expect([lifted.exitCode, JSON.parse(lifted.stdout)]).toEqual([
      0,
      { forget: { integration: 'riverside', crmId: 'comes-later', lifted: ['riverside'] } },
    ]);
    await world.run(['sync']);
    expect(await world.spent()).toBe(2);
  });

  it('leaves no change behind that a killed sync has not brought into the file yet', async () => {
    const world = await open();
    await world.run(['sync']);
    const id = await enhancedId(world);
    const journal = world.path('riverside.csv.donor-sync-journal');
    const line = { id, cells: { 'Donor Note': ['', 'left behind'] } };
    await writeFile(
      journal,
      `${JSON.stringify({ create: ['Donor Note'] })}\n${JSON.stringify(line)}\n`,
    );
    const { forget } = await world.runJson(['forget', id, '--yes'], forgetSchema);
    expect(forget.receipt.erased).toMatchObject({ kept: 1 });
    await world.run(['sync', '--full']);
    expect(await readFile(world.path('riverside.csv'), 'utf8')).not.toContain('left behind');
    expect(await readdir(world.path('.'))).not.toContain('riverside.csv.donor-sync-journal');
  });

  it('erases in every integration of the same file, and elsewhere only if that is wanted', async () => {
    const world = await open({ integrations: ['riverside', 'lakeside', 'hillside'] });
    const settings = await readFile(world.path('donor-sync.yaml'), 'utf8');
    const sameFile = settings.replace(
      'path: lakeside.csv',
      'path: riverside.csv\n      output: lakeside.out.csv',
    );
    await writeFile(world.path('donor-sync.yaml'), sameFile);
    await world.run(['sync', '--all']);
    const id = await enhancedId(world);
    const args = ['forget', id, '--integration', 'riverside', '--also-in-crm', '--yes'];
    const { forget } = await world.runJson(args, forgetSchema);
    expect(forget.receipt.integrations.map(({ integration }) => integration)).toEqual([
      'riverside',
      'lakeside',
    ]);
    expect(await ourColumns(world, id)).toEqual([]);
    expect(await ourColumns(world, id, 'lakeside.out.csv')).toEqual([]);
    expect(await ourColumns(world, id, 'hillside.csv')).not.toEqual([]);
    const everywhere = await world.runJson([...args, '--everywhere'], forgetSchema);
    expect(everywhere.forget.receipt.complete).toBe(true);
    expect(await ourColumns(world, id, 'hillside.csv')).toEqual([]);
    expect(await databaseText(world)).not.toContain(id);
  });

  it('leaves another person alone who has the same id in another account', async () => {
    const world = await open({ integrations: ['riverside', 'hillside'] });
    const rows = await world.rows();
    const other = {
      First: 'Wilhelmina',
      Last: 'Zuckerandel',
      Address: '1 Far Road, Nome, AK 99762',
    };
    await world.saveRows(
      rows.map((row) => ({ ...row, ...other, Employer: 'Arctic' })),
      'hillside.csv',
    );
    await world.run(['sync', '--all']);
    const id = await enhancedId(world);
    const args = ['forget', id, '--integration', 'riverside', '--everywhere', '--yes'];
    const { forget } = await world.runJson(args, forgetSchema);
    expect(forget.receipt.leftAlone).toEqual([{ integration: 'hillside', crmId: id }]);
    expect(forget.receipt.integrations).toHaveLength(1);
    expect(await databaseText(world)).toContain(id);
  });
});
