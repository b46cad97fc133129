import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { planCommand } from '../../../src/interfaces/cli/commands/plan/plan.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { openHubspot } from './an-empty-hubspot.ts';
import { plansSchema } from './documents.ts';
import { runCommand } from './run-command.ts';

const open = closedAfterTest(openCliWorld);

/** Returns every file of the folder with its content. */
async function snapshot({ path }: CliWorld): Promise<Record<string, string>> {
  const names = (await readdir(path('.'))).sort();
  const contents = names.map(async (name) => [name, await readFile(path(name), 'base64')]);
  return Object.fromEntries(await Promise.all(contents));
}

describe('donor-sync plan', () => {
  it('ends with 2 for an unknown contact, as sync does', async () => {
    const world = await open();
    const { exitCode, stderr } = await world.run(['plan', '--contact', 'UNKNOWN']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('There is no contact "UNKNOWN" in the CRM of "riverside".');
  });

  it('says who would be enhanced and why, and changes no file and no balance', async () => {
    const world = await open({ settings: '    budget: { perRun: 1 }' });
    const [enhanced, ...others] = await world.rows();
    await world.run(['sync', '--contact', String(enhanced?.['Id'])]);
    await world.saveRows(
      (await world.rows()).map((row) =>
        row['Id'] === others[4]?.['Id'] ? { ...row, Last: '' } : row,
      ),
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
    expect(stdout).toContain('a run may spend at most 1 credit (budget.perRun)');
    expect(stdout).toContain('and 8 more');
    expect(stdout).toContain('has no last name');

    expect(await snapshot(world)).toEqual(before);
    expect(await world.spent()).toBe(spent);
  });

  it('shows five persons as they would be sent on a terminal, and their shapes elsewhere', async () => {
    const world = await open({ people: 60 });
    await world.saveRows(
      (await world.rows()).map((row, at) => ({ ...row, First: `Ada${at} \u001b[31mMae` })),
    );
    const env = { PARTNER_API_KEY: world.service.apiKey, NO_COLOR: '1' };
    const plan = (more: { onTerminal?: boolean }, args: string[] = []) =>
      runCommand(planCommand, ['plan', ...args], { cwd: world.path('.'), env, ...more });

    const shown = await plan({ onTerminal: true });
    expect(shown.stdout).toContain('5 people as sent to the service:');
    expect(shown.stdout.match(/Ada\d+ .*Mae/g)).toHaveLength(5);
    expect(shown.stdout).not.toContain('\u001b');
    expect(shown.stdout).toContain('25 people would be sent first');

    const piped = await plan({});
    expect(piped.stdout).not.toMatch(/Ada\d/);
    expect(piped.stdout).toMatch(/5 people as sent to the service/);
    expect(piped.stdout.match(/^2 words +/gm)).toHaveLength(5);

    const json = await plan({ onTerminal: true }, ['--json']);
    expect(json.stdout).not.toMatch(/Ada\d/);
    const document = plansSchema.parse(JSON.parse(json.stdout));
    expect(document.plans[0]).toMatchObject({
      trial: { state: 'on_trial', first: 25, minKnown: 0.1, answered: 0, known: 0 },
    });
    const shape = { first: true, last: true, firstWords: 2, sameNames: false };
    expect(document.plans[0]?.['persons']).toEqual(Array(5).fill(expect.objectContaining(shape)));
  });

  it('points to one column that stands for both names, and foresees nothing once the trial has failed', async () => {
    const world = await open({ people: 60 });
    await world.saveRows(
      (await world.rows()).map((row, index) => {
        const member = `Member ${index}`;
        return { ...row, First: member, Last: member };
      }),
    );
    expect((await world.run(['plan'])).stdout).toContain('The first and last names are the same,');
    expect((await world.run(['sync', '--json'])).exitCode).toBe(3);
    const { plans } = await world.runJson(['plan'], plansSchema);
    expect(plans).toMatchObject([
      {
        trial: { state: 'failed', first: 0, answered: 25, known: 0 },
        credits: { enhancements: { allowed: 0 } },
      },
    ]);
    const { stdout } = await world.run(['plan']);
    expect(stdout).toContain(
      'The service recognised 0 of 25 contacts. This is below the limit of 10%.',
    );
    expect(stdout).toContain('donor-sync sync riverside --accept-match-rate');
    expect(await world.spent()).toBe(25);
  });

  it('says once what all fields of a new CRM lack', async () => {
    const world = await open();
    await using _crm = await openHubspot(world);
    const { stdout } = await world.run(['plan']);
    expect(stdout).toContain('14 problems with the field map:');
    expect(stdout.match(/Create it with/g)).toHaveLength(1);
    expect(stdout).toContain('    The same for 13 others: donor_profile, donor_age');
  });
});
