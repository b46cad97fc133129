/**
 * Tests a column of marks that would exclude most contacts in a file. The set-up asks a question and does not exclude
 * them silently.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { runsSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);

const PEOPLE = 60;

type Mark = (at: number) => string;

/** Opens a project whose settings name the file's column `Gone`. */
async function openMarked(mark: Mark, contacts = 'deceasedField: Gone', people = PEOPLE) {
  const here = await open({ people });
  const settings = here.path('donor-sync.yaml');
  const text = await readFile(settings, 'utf8');
  await writeFile(
    settings,
    text.replace('settleAfterMs: 200', `settleAfterMs: 200\n    contacts: { ${contacts} }`),
  );
  await remark(here, mark);
  return here;
}

async function remark(here: CliWorld, mark: Mark): Promise<void> {
  const rows = await here.rows();
  await here.saveRows(rows.map((row, at) => ({ ...row, Gone: mark(at) })));
}

async function sync(here: CliWorld, ...options: string[]) {
  const { exitCode, stdout } = await here.run(['sync', '--json', ...options]);
  return { exitCode, run: runsSchema.parse(JSON.parse(stdout)).runs[0] };
}

describe('a mark that would leave out more than half of the contacts', () => {
  it('sends nobody, until a user has confirmed the column and its values once', async () => {
    const here = await openMarked((at) => (at < 40 ? 'Ja' : 'Nein'));
    for (let night = 0; night < 2; night += 1) {
      const { exitCode, run } = await sync(here);
      expect(exitCode).toBe(3);
      expect(run).toMatchObject({ status: 'incomplete', reason: { code: 'marks_unconfirmed' } });
      expect(run?.reason?.message).toContain('"Gone" excludes 40 of 60 contacts ("ja": 40)');
    }
    expect(await here.spent()).toBe(0);
    const plan = await here.run(['plan']);
    expect(plan.stdout).toContain('"Gone" excludes 40 of 60 contacts');
    expect(plan.stdout).toContain('sync riverside --accept-marks');
    expect((await here.run(['doctor'])).stdout).toContain('--accept-marks');

    expect((await sync(here, '--accept-marks')).exitCode).toBe(0);
    expect(await here.spent()).toBe(20);
    await remark(here, (at) => (at < 45 ? 'Ja' : ''));
    expect((await sync(here)).exitCode).toBe(0);
    const after = await here.run(['plan']);
    expect(after.stdout).not.toContain('--accept-marks');
  });

  it('asks again for a value that was not there, and for another column', async () => {
    const here = await openMarked((at) => (at < 40 ? 'Ja' : 'Nein'));
    expect((await sync(here, '--accept-marks')).exitCode).toBe(0);
    await remark(here, (at) => (at < 1 ? 'x' : at < 40 ? 'Ja' : 'Nein'));
    const { exitCode, run } = await sync(here);
    expect(exitCode).toBe(3);
    expect(run?.reason?.message).toContain('"x": 1');
    expect((await sync(here, '--accept-marks')).exitCode).toBe(0);
    expect((await sync(here)).exitCode).toBe(0);
    const settings = here.path('donor-sync.yaml');
    const text = await readFile(settings, 'utf8');
    await writeFile(settings, text.replace('deceasedField: Gone', 'optOutField: Gone'));
    expect((await sync(here)).run?.reason?.code).toBe('marks_unconfirmed');
  });

  it('takes all dates for one value: a further death is no question', async () => {
    const here = await openMarked((at) => (at < 40 ? `2019-03-${10 + (at % 20)}` : ''));
    expect((await sync(here)).run?.reason?.message).toContain('(a date: 40)');
    expect((await sync(here, '--accept-marks')).exitCode).toBe(0);
    await remark(here, (at) => (at < 42 ? '4. Mai 2024' : ''));
    expect((await sync(here)).exitCode).toBe(0);
  });

  it('is no question for half of the contacts, for fewer than 20, or for marks that are left aside', async () => {
    const half = await openMarked((at) => (at < 30 ? 'yes' : 'no'));
    expect((await sync(half)).exitCode).toBe(0);
    const few = await openMarked(() => 'yes', 'deceasedField: Gone', 19);
    expect((await sync(few)).exitCode).toBe(0);
    const included = await openMarked(() => 'yes', 'deceasedField: Gone, includeDeceased: true');
    expect((await sync(included)).exitCode).toBe(0);
    expect(await included.spent()).toBe(PEOPLE);
  });

  it('holds back a run for one contact as well, and writes what is paid for', async () => {
    const here = await openMarked((at) => (at < 10 ? 'yes' : 'no'));
    expect((await sync(here, '--limit', '25')).exitCode).toBe(3);
    const spent = await here.spent();
    expect(spent).toBeGreaterThan(0);
    await remark(here, (at) => (at < 40 ? 'yes' : 'no'));
    const [last] = (await here.rows()).slice(-1);
    const { run } = await sync(here, '--contact', last?.['Id'] ?? '');
    expect(run?.reason?.code).toBe('marks_unconfirmed');
    expect(await here.spent()).toBe(spent);
  });
});
