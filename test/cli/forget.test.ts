import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CliWorld, openCliWorld } from '../helpers/cli.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';

const open = closedAfterTest(openCliWorld);

const forgetSchema = z.strictObject({
  forget: z.object({
    crmId: z.string(),
    wasKnown: z.boolean(),
    cleared: z.array(z.string()).nullable(),
  }),
});

/** The bytes of the database and all that SQLite keeps beside it, as text. */
async function databaseText({ path }: CliWorld): Promise<string> {
  const names = (await readdir(path('.'))).filter((name) => name.startsWith('store.db'));
  return (await Promise.all(names.map((name) => readFile(path(name), 'latin1')))).join('');
}

describe('donor-sync forget', () => {
  it('erases a person from the database and what we wrote from the CRM, for good', async () => {
    const world = await open();
    await world.run(['sync']);
    const id = (await world.rows()).find((row) => row['Donor ID'])?.['Id'] ?? '';
    expect(await databaseText(world)).toContain(id);

    const unasked = await world.run(['forget', id]);
    expect(unasked.exitCode).toBe(2);
    expect(await databaseText(world)).toContain(id);

    const args = ['forget', id, '--integration', 'riverside', '--also-in-crm', '--yes'];
    const { forget } = await world.runJson(args, forgetSchema);
    expect(forget).toMatchObject({ crmId: id, wasKnown: true });
    expect(forget.cleared).toContain('Donor ID');
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

  it('takes a member out of the networks at once', async () => {
    const world = await open({
      settings: '    networks: [{ name: Board, group: { column: Board, equals: member } }]',
    });
    const people = await world.rows();
    await world.saveRows(people.map((row) => ({ ...row, Board: 'member' })));
    await world.run(['sync']);
    const id = (await world.rows()).find((row) => row['Donor ID'])?.['Id'] ?? '';
    const { stdout } = await world.run(['forget', id, '--yes']);
    expect(stdout).toContain('Left the networks: Board.');
    expect(await databaseText(world)).not.toContain(id);
  });
});
