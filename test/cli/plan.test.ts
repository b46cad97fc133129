import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type CliWorld, openCliWorld } from '../helpers/cli.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { openHubspot } from './an-empty-hubspot.ts';
import { plansSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);

/** Every file of the folder with its content. */
async function snapshot({ path }: CliWorld): Promise<Record<string, string>> {
  const names = (await readdir(path('.'))).sort();
  const contents = names.map(async (name) => [name, await readFile(path(name), 'base64')]);
  return Object.fromEntries(await Promise.all(contents));
}

describe('donor-sync plan', () => {
  it('ends with 2 for a contact that nobody knows, as sync does', async () => {
    const world = await open();
    const { exitCode, stderr } = await world.run(['plan', '--contact', 'NOBODY']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('There is no contact "NOBODY" in the CRM of "riverside".');
  });

  it('says who would be enhanced and why, and changes no file and no balance', async () => {
    const world = await open({ settings: '    budget: { perRun: 1 }' });
    await world.run(['sync']);
    await world.saveRows(
      (await world.rows()).map((row, at) => (at === 5 ? { ...row, Last: '' } : row)),
    );
    const before = await snapshot(world);
    const spent = await world.spent();

    const { plans } = await world.runJson(['plan', 'riverside'], plansSchema);
    expect(plans).toMatchObject([
      {
        integration: 'riverside',
        read: 12,
        enhance: { never_enhanced: 10 },
        leave: { last_name_missing: 1, profile_fresh: 1 },
        credits: { enhancements: { needed: 10, allowed: 1, remaining: 99_999 } },
      },
    ]);
    const { stdout } = await world.run(['plan', '--list', '2']);
    expect(stdout).toContain('a run may spend 1 credits (budget.perRun)');
    expect(stdout).toContain('and 8 more');
    expect(stdout).toContain('has no last name');

    expect(await snapshot(world)).toEqual(before);
    expect(await world.spent()).toBe(spent);
  });

  it('says once what all fields of a new CRM lack', async () => {
    const world = await open();
    await using _crm = await openHubspot(world);
    const { stdout } = await world.run(['plan']);
    expect(stdout).toContain('14 problems with the field map:');
    expect(stdout.match(/Create it with/g)).toHaveLength(1);
    expect(stdout).toContain('    The same of 13 others: donor_profile, donor_age');
  });
});
