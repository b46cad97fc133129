/**
 * Tests a file in which rows are missing for a night. Also tests commands that write the output before the rows have
 * returned.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type CliWorld, openCliWorld } from '../../../helpers/cli.ts';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';
import { holdsSchema, runsSchema } from '../documents.ts';

const open = closedAfterTest(openCliWorld);

type Row = Record<string, string>;

const PEOPLE = 300;

/** Opens a client with a separate output that has synced once. */
async function openSynced(): Promise<{ here: CliWorld; whole: Row[]; run: string }> {
  const here = await open({ people: PEOPLE });
  const settings = here.path('donor-sync.yaml');
  const text = await readFile(settings, 'utf8');
  await writeFile(
    settings,
    text.replace('path: riverside.csv', 'path: riverside.csv\n      output: out.csv'),
  );
  const whole = await here.rows();
  expect(whole).toHaveLength(PEOPLE);
  const { exitCode, stdout, stderr } = await here.run(['sync', '--json']);
  if (exitCode !== 0) throw new Error(stderr);
  return { here, whole, run: runsSchema.parse(JSON.parse(stdout)).runs[0]?.id ?? '' };
}

async function enhancedIds(here: CliWorld): Promise<string[]> {
  return (await here.rows('out.csv')).flatMap((row) => (row['Donor ID'] ? (row['Id'] ?? '') : []));
}

async function sync(here: CliWorld) {
  const { exitCode, stdout } = await here.run(['sync', '--json']);
  return { exitCode, run: runsSchema.parse(JSON.parse(stdout)).runs[0] };
}

describe('a short export', () => {
  it('removes nothing, ends with exit code 3, and is over when the whole file is back', async () => {
    const { here, whole } = await openSynced();
    const [spent, enhanced, before] = [
      await here.spent(),
      await enhancedIds(here),
      await readFile(here.path('out.csv'), 'utf8'),
    ];
    expect(enhanced.length).toBeGreaterThan(200);
    await here.saveRows(whole.slice(0, 50));
    for (let night = 0; night < 2; night += 1) {
      const { exitCode, run } = await sync(here);
      expect(exitCode).toBe(3);
      expect(run).toMatchObject({
        status: 'incomplete',
        reason: { code: 'contacts_missing' },
        contacts: { read: 50, skipped: 0, held: 250 },
      });
      expect(await readFile(here.path('out.csv'), 'utf8')).toBe(before);
    }
    await here.saveRows(whole);
    const { exitCode, run } = await sync(here);
    expect(run).toMatchObject({ status: 'succeeded', reason: null, contacts: { read: PEOPLE } });
    expect(exitCode).toBe(0);
    expect(await enhancedIds(here)).toEqual(enhanced);
    expect(await here.spent()).toBe(spent);
    expect((await here.runJson(['holds'], holdsSchema)).batches).toEqual([]);
  });

  it('keeps the values while commands for other contacts write the output', async () => {
    const { here, whole } = await openSynced();
    const enhanced = await enhancedIds(here);
    const [first = '', second = ''] = enhanced;
    const short = whole.filter(({ Id }) => Id === first || Id === second);
    await here.saveRows([...short, ...whole.slice(-30)]);
    // The command runs before any run has read the short file. The contact is missing from this file.
    const absent = enhanced.find((id) =>
      whole.slice(0, -30).some(({ Id }) => Id === id && id !== first && id !== second),
    );
    expect((await here.run(['sync', '--contact', absent ?? ''])).exitCode).toBe(0);
    expect((await here.run(['sync', '--contact', first])).exitCode).toBe(0);
    expect(await enhancedIds(here)).toEqual(expect.arrayContaining(enhanced));
    expect((await sync(here)).exitCode).toBe(3);
    expect((await here.run(['sync', '--contact', first])).exitCode).toBe(0);
    expect((await here.run(['forget', second, '--yes'])).exitCode).toBe(0);
    await here.saveRows(whole.filter(({ Id }) => Id !== second));
    expect((await sync(here)).exitCode).toBe(0);
    expect((await enhancedIds(here)).sort()).toEqual(enhanced.filter((id) => id !== second).sort());
  });

  it('keeps the values of the others when a run is undone meanwhile', async () => {
    const { here, whole, run } = await openSynced();
    const before = await here.rows('out.csv');
    await here.saveRows(whole.slice(0, 50));
    expect((await sync(here)).exitCode).toBe(3);
    await here.run(['undo', run, '--yes']);
    const undone = new Set(whole.slice(0, 50).map(({ Id }) => Id));
    const rows = await here.rows('out.csv');
    expect(rows.filter(({ Id }) => !undone.has(Id))).toEqual(
      before.filter(({ Id }) => !undone.has(Id)),
    );
    expect(rows.filter((row) => undone.has(row['Id']) && row['Donor ID'])).toEqual([]);
  });

  it('loses the rows once a user has confirmed it, and what is missing afterwards is counted anew', async () => {
    const { here, whole } = await openSynced();
    const spent = await here.spent();
    await here.saveRows(whole.slice(0, 250));
    await sync(here);
    const { batches } = await here.runJson(['holds'], holdsSchema);
    expect(batches).toMatchObject([{ kind: 'contacts_missing', count: 50, credits: 0 }]);
    const shown = await here.run(['holds']);
    expect(shown.stdout).toContain('missing from the CRM');
    const decided = await here.run(['holds', 'approve', '--batch', batches[0]?.id ?? '']);
    expect(decided.stdout).toContain('50 missing contacts count as removed from now on.');
    expect((await sync(here)).exitCode).toBe(0);
    expect(await here.rows('out.csv')).toHaveLength(250);
    await here.saveRows(whole.slice(0, 226));
    expect((await sync(here)).exitCode).toBe(0);
    expect(await here.rows('out.csv')).toHaveLength(226);
    await here.saveRows(whole);
    expect((await sync(here)).exitCode).toBe(0);
    expect(await here.rows('out.csv')).toHaveLength(PEOPLE);
    expect(await here.spent()).toBe(spent);
  });

  it('is waited for after a rejection, without a further question', async () => {
    const { here, whole } = await openSynced();
    const enhanced = await enhancedIds(here);
    await here.saveRows(whole.slice(0, 50));
    await sync(here);
    const { batches } = await here.runJson(['holds'], holdsSchema);
    await here.run(['holds', 'reject', '--batch', batches[0]?.id ?? '']);
    expect((await sync(here)).exitCode).toBe(0);
    expect(await enhancedIds(here)).toEqual(enhanced);
    await here.saveRows(whole);
    expect((await sync(here)).exitCode).toBe(0);
    expect(await enhancedIds(here)).toEqual(enhanced);
  });

  it('of no rows at all is asked about, however short the list is', async () => {
    const { here, whole } = await openSynced();
    const enhanced = await enhancedIds(here);
    const [header = ''] = (await readFile(here.path('riverside.csv'), 'utf8')).split('\n');
    await writeFile(here.path('riverside.csv'), `${header}\n`);
    const { exitCode, run } = await sync(here);
    expect(exitCode).toBe(3);
    expect(run?.contacts).toMatchObject({ read: 0, held: PEOPLE });
    expect(await enhancedIds(here)).toEqual(enhanced);
    await here.saveRows(whole);
    expect((await sync(here)).exitCode).toBe(0);
    expect(await enhancedIds(here)).toEqual(enhanced);
  });

  it('says so if the settings that make the list have changed', async () => {
    const { here, whole } = await openSynced();
    const settings = here.path('donor-sync.yaml');
    const text = await readFile(settings, 'utf8');
    const marked = 'settleAfterMs: 200\n    contacts: { optOutField: Out }';
    await writeFile(settings, text.replace('settleAfterMs: 200', marked));
    await here.saveRows(whole.slice(0, 50).map((row) => ({ ...row, Out: '' })));
    expect((await sync(here)).exitCode).toBe(3);
    const { batches } = await here.runJson(['holds'], holdsSchema);
    expect(batches[0]?.reason).toContain('settings that determine the list');
    expect((await here.run(['holds'])).stdout).toContain('settings that determine the list');
  });
});
