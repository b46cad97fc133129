import { once } from 'node:events';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openCliWorld, startAndSubmit } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { holdJobs } from '../../helpers/held-jobs.ts';
import { errorSchema, runsSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);

/** Takes over an expired lease, as a different process does. */
function takeOver(path: string): void {
  const db = new Sqlite(path);
  db.exec("update integrations set run_epoch = run_epoch + 1, lease_owner = 'other/1/x'");
  db.close();
}

describe('donor-sync sync', () => {
  it('prints the reports of the contract and nothing else, and pays for no contact twice', async () => {
    const { run, spent, rows } = await open();
    const first = await run(['sync', '--json']);
    expect(first.exitCode).toBe(0);
    const { runs } = runsSchema.parse(JSON.parse(first.stdout));
    expect(runs).toMatchObject([
      {
        integration: 'riverside',
        trigger: 'manual',
        status: 'succeeded',
        reason: null,
        contacts: { read: 12, chosen: 12, submitted: 12 },
        credits: { enhancements: { spent: 12 } },
      },
    ]);
    expect((await rows()).some((row) => row['Donor ID'])).toBe(true);
    const second = runsSchema.parse(
      JSON.parse((await run(['--json', 'sync', 'riverside'])).stdout),
    );
    expect(second.runs[0]?.credits.enhancements.spent).toBe(0);
    expect(await spent()).toBe(12);
  });

  it('tells a person what became of the contacts, why, and what to do next', async () => {
    const { run } = await open({ settings: '    budget: { perRun: 5 }' });
    const { stdout, exitCode } = await run(['sync']);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('riverside: at its limit');
    expect(stdout).toContain('a run may spend at most 5 credits (budget.perRun)');
    expect(stdout).toMatch(/waiting +7 +the budget in the settings is used up/);
    expect(stdout).toContain('donor-sync plan riverside');
  });

  it('asks which one is meant where there are several, and runs all of them on request', async () => {
    const { run } = await open({ integrations: ['riverside', 'hillside'], people: 3 });
    const unclear = await run(['sync', '--json']);
    expect(unclear.exitCode).toBe(2);
    expect(errorSchema.parse(JSON.parse(unclear.stdout)).error.message).toContain(
      'riverside, hillside',
    );
    const all = await run(['sync', '--all', '--json']);
    const { runs } = runsSchema.parse(JSON.parse(all.stdout));
    expect(runs.map(({ integration }) => integration)).toEqual(['riverside', 'hillside']);
    expect(all.exitCode).toBe(0);
  });

  it('lets one integration fail without keeping the next from its turn', async () => {
    const { run, saveRows } = await open({ integrations: ['riverside', 'hillside'], people: 3 });
    await saveRows([{ Wrong: 'columns' }], 'riverside.csv');
    const { stdout, stderr, exitCode } = await run(['sync', '--all', '--json']);
    expect(runsSchema.parse(JSON.parse(stdout)).runs).toMatchObject([
      { integration: 'hillside', status: 'succeeded' },
    ]);
    expect(stderr).toContain('riverside.csv');
    expect(exitCode).toBe(1);
  });

  it('says what is wrong with what was typed, and changes nothing', async () => {
    const { run, requests } = await open();
    const unknown = await run(['sync', 'riversid']);
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toContain('no client "riversid", did you mean "riverside"?');
    const mistyped = await run(['snyc', '--json']);
    expect(mistyped.exitCode).toBe(2);
    expect(errorSchema.parse(JSON.parse(mistyped.stdout)).error.message).toContain('sync');
    const noContact = await run(['sync', '--contact', '']);
    expect(noContact.exitCode).toBe(2);
    expect(noContact.stderr).toContain("Enter the contact's ID in the CRM after --contact.");
    expect(await requests()).toEqual([]);
  });

  it('syncs the one contact that is named', async () => {
    const { run, spent, rows } = await open();
    const id = (await rows())[3]?.['Id'] ?? '';
    const { runs } = runsSchema.parse(
      JSON.parse((await run(['sync', '--contact', id, '--json'])).stdout),
    );
    expect(runs[0]?.contacts).toMatchObject({ read: 1, submitted: 1 });
    expect(await spent()).toBe(1);
  });

  it('stops at SIGTERM with exit code 3, and the next run goes on from there', async () => {
    const jobs = holdJobs();
    const here = await open({ service: jobs.service });
    const { child, ended } = await startAndSubmit(here, ['--json']);
    const other = await here.run(['sync', '--json']);
    expect(other.exitCode).toBe(3);
    expect(errorSchema.parse(JSON.parse(other.stdout)).error.code).toBe('already_running');
    const forgetting = await here.run(['forget', 'unknown', '--yes']);
    expect(forgetting).toMatchObject({ exitCode: 3, stdout: '' });

    child.kill('SIGTERM');
    const stopped = await ended;
    expect(stopped.exitCode).toBe(3);
    expect(stopped.stderr).toContain('The run was stopped');
    // The run reached its checkpoint before it was forced to end.
    expect(stopped.stderr).not.toContain('Ended at once');
    expect(runsSchema.parse(JSON.parse(stopped.stdout)).runs).toMatchObject([
      { status: 'incomplete', reason: { code: 'interrupted' } },
    ]);

    jobs.letEnd();
    const next = await here.run(['sync', '--json']);
    expect(runsSchema.parse(JSON.parse(next.stdout)).runs).toMatchObject([
      { status: 'succeeded', contacts: { submitted: 0, waiting: 0 } },
    ]);
    expect((await here.rows()).some((row) => row['Donor ID'])).toBe(true);
    expect(await here.spent()).toBe(12);
  });

  it('stops with exit code 3 when another process has taken its lease over', async () => {
    const jobs = holdJobs();
    const here = await open({ service: jobs.service });
    const { ended } = await startAndSubmit(here, ['--json']);
    takeOver(here.path('store.db'));
    jobs.letEnd();
    const { exitCode, stdout } = await ended;
    expect(exitCode).toBe(3);
    expect(runsSchema.parse(JSON.parse(stdout)).runs).toMatchObject([
      { status: 'incomplete', reason: { code: 'lease_lost' } },
    ]);
  });

  it('keeps personal data and keys out of its log, even at the level debug', async () => {
    const { run, rows, service } = await open();
    const before = await rows();
    const { stderr } = await run(['sync'], { DONOR_SYNC_LOG_LEVEL: 'debug' });
    expect(stderr).toContain('partner call');
    const after = await rows();
    const donors = after.map((row) => row['Donor ID'] ?? '').filter(Boolean);
    expect(donors.length).toBeGreaterThan(0);
    const secrets = [
      service.apiKey,
      ...before.flatMap(({ Last, Address, Employer }) => [Last, Address, Employer]),
      ...after.flatMap((row) => [row['Donor Biography'], row['Donor Net Worth Low']]),
    ];
    for (const text of secrets) {
      if (text && text.length > 4) expect(stderr).not.toContain(text);
    }
  });

  it('goes quietly when its output is not read any more', async () => {
    const { start } = await open({ people: 3 });
    const { child, ended } = await start(['sync', '--json']);
    child.stdout.destroy();
    await once(child, 'exit');
    expect((await ended).stderr).not.toContain('EPIPE');
  });
});

/** A subcommand of each command that has subcommands. */
const SUBCOMMANDS = [
  ['holds', 'approve'],
  ['networks', 'repair'],
  ['hooks', 'create'],
  ['tokens', 'list'],
  ['schedule', 'pause'],
  ['alerts', 'check'],
  ['fields', 'create'],
];

describe('donor-sync', () => {
  it('shows its help where no command is named', async () => {
    const { run } = await open({ people: 0 });
    const { stdout, exitCode } = await run([]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Usage: donor-sync');
    const version = await run(['--version']);
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?\n$/);
  });

  it.each([
    [['snyc'], "unknown command 'snyc'\n(Did you mean sync?)\nSee donor-sync --help.\n"],
    [
      ['fields', 'chekc'],
      "unknown command 'chekc'\n(Did you mean check?)\nSee donor-sync fields --help.\n",
    ],
    [['sync', '--foo'], "unknown option '--foo'\nSee donor-sync sync --help.\n"],
  ])('says to %j where the right words are', async (words, complaint) => {
    const { run } = await open({ people: 0 });
    expect(await run(words)).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${complaint}` });
  });

  it('names the option for the settings in the help of commands of commands', async () => {
    const { run } = await open({ people: 0 });
    for (const words of SUBCOMMANDS) {
      const { stdout } = await run([...words, '--help']);
      expect(stdout).toContain(`Usage: donor-sync ${words.join(' ')} `);
      expect(stdout).toContain('--config <file>');
    }
  });
});
