import { describe, expect, it } from 'vitest';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { runsSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);

/**
 * Opens a project with the settings that `init` writes if the user chooses the column "Last, First" for both names.
 */
async function openWithWrongColumn(options: { people: number; integrations?: string[] }) {
  const world = await open(options);
  const rows = await world.rows();
  const wrong = rows.map((row, index) => {
    const member = `Member ${index}`;
    return { ...row, First: member, Last: member };
  });
  for (const id of options.integrations ?? ['riverside']) await world.saveRows(wrong, `${id}.csv`);
  return world;
}

async function syncedReport(world: CliWorld, args: string[] = []) {
  const { exitCode, stdout } = await world.run(['sync', ...args, '--json']);
  const [run] = runsSchema.parse(JSON.parse(stdout)).runs;
  if (!run) throw new Error('There is no run');
  return { exitCode, run };
}

describe('a sync by a wrong column', () => {
  it('spends 25 credits of 300, ends with 3, and spends nothing more until a person accepts', async () => {
    const world = await openWithWrongColumn({ people: 300 });
    const first = await world.run(['sync']);
    expect(first.exitCode).toBe(3);
    expect(first.stdout).toContain('The service recognised 0 of the 25 contacts sent first');
    expect(first.stdout).toContain('donor-sync sync riverside --accept-match-rate');
    expect(await world.spent()).toBe(25);
    const again = await syncedReport(world);
    expect(again).toMatchObject({ exitCode: 3, run: { reason: { code: 'match_rate_low' } } });
    expect(again.run.credits.enhancements.spent).toBe(0);
    const accepted = await syncedReport(world, ['riverside', '--accept-match-rate']);
    expect(accepted).toMatchObject({ exitCode: 0, run: { status: 'succeeded', reason: null } });
    expect(await world.spent()).toBeGreaterThan(250);
  });

  it('is accepted for one integration at a time', async () => {
    const world = await openWithWrongColumn({ people: 3, integrations: ['riverside', 'hillside'] });
    const { exitCode, stderr } = await world.run(['sync', '--all', '--accept-match-rate']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--accept-match-rate is about the columns of one client');
    expect(await world.requests()).toEqual([]);
  });
});

describe('sync --limit', () => {
  it('spends at most so much, and says how to go on', async () => {
    const world = await open();
    const { exitCode, stdout } = await world.run(['sync', '--limit', '4']);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('this run may spend at most 4 credits (--limit 4)');
    expect(stdout).toContain('Continue from there without a limit: donor-sync sync riverside');
    expect(stdout).not.toContain('Raise the budget');
    expect(await world.spent()).toBe(4);
    expect((await syncedReport(world)).exitCode).toBe(0);
    expect(await world.spent()).toBe(12);
  });

  it.each(['0', '-3', 'many', '2.5'])('does not take "%s"', async (limit) => {
    const { run, requests } = await open({ people: 1 });
    const { exitCode, stderr } = await run(['sync', `--limit=${limit}`]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Enter a whole number of at least 1');
    expect(await requests()).toEqual([]);
  });
});
