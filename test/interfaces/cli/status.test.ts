import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema, runListSchema, runsSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);

const statusSchema = z.strictObject({ integrations: z.array(z.looseObject({ id: z.string() })) });

const detailSchema = z.strictObject({
  runs: z.tuple([
    z.looseObject({
      id: z.string(),
      reasons: z.record(z.string(), z.int()),
      outcomes: z.array(
        z.strictObject({
          crmId: z.string(),
          outcome: z.string(),
          reason: z.string(),
          text: z.string(),
          detail: z.string().nullable(),
          undone: z.boolean(),
          at: z.iso.datetime(),
        }),
      ),
      writes: z.array(z.object({ crmId: z.string(), fields: z.array(z.string()) })),
    }),
  ]),
});

const creditsSchema = z.strictObject({
  keys: z.array(
    z.strictObject({
      integrations: z.array(
        z.looseObject({
          integration: z.string(),
          spentThisMonth: z.strictObject({ enhancements: z.int(), networks: z.int() }),
        }),
      ),
      buckets: z.record(z.string(), z.int()),
      openSubmission: z.unknown(),
      openSubmissions: z.array(z.unknown()),
    }),
  ),
});

/** A person whom the service does not know. */
const UNKNOWN_PERSON = { First: 'Zzyzx', Last: 'Qwertzuiop' };

describe('donor-sync status', () => {
  it('tells how the last run ended and what to do next', async () => {
    const world = await open({ settings: '    budget: { perRun: 5 }' });
    const fresh = await world.runJson(['status'], statusSchema);
    expect(fresh.integrations).toMatchObject([{ id: 'riverside', lastRun: null, running: null }]);
    await world.run(['sync']);
    const { integrations } = await world.runJson(['status'], statusSchema);
    expect(integrations).toMatchObject([
      {
        lastRun: { status: 'incomplete', reason: { code: 'budget_reached' } },
        lastSuccessAt: null,
        contacts: { due: 7 },
        running: null,
      },
    ]);
    const { stdout } = await world.run(['status']);
    expect(stdout).toContain('donor-sync sync riverside');
  });

  it('keeps a reason of several lines below its first', async () => {
    const world = await open({ people: 1 });
    await world.saveRows([...(await world.rows()), { Id: 'twice' }, { Id: 'twice' }]);
    expect(await world.run(['sync'])).toMatchObject({ exitCode: 2 });
    const { stdout } = await world.run(['status']);
    expect(stdout).toMatch(/^ {12}\S.* cannot be used as it is:\n {14}line \d+: /m);
  });
});

describe('donor-sync runs', () => {
  it('lists the runs as they were reported, and shows one contact by contact', async () => {
    const world = await open();
    const synced = await world.runJson(['sync'], runsSchema);
    const words = ['runs', '--integration', 'riverside'];
    const listed = await world.runJson(words, runListSchema);
    expect(listed).toEqual({ ...synced, next: null });
    const id = synced.runs[0]?.id ?? '';
    const { runs } = await world.runJson(['runs', id], detailSchema);
    expect(runs[0].id).toBe(id);
    expect(runs[0].outcomes).toHaveLength(12);
    expect(runs[0].writes[0]?.fields).toContain('Donor ID');
    const rows = await world.rows();
    const written = rows.filter((row) => row['Donor ID']).map((row) => row['Id']);
    expect(runs[0].writes.map(({ crmId }) => crmId).sort()).toEqual(written.sort());
  });

  it('shows a failed contact first, and does not advise the page that is open', async () => {
    const world = await open();
    await world.saveRows(
      (await world.rows()).map((row, at) => (at === 8 ? { ...row, ...UNKNOWN_PERSON } : row)),
    );
    const [synced] = (await world.runJson(['sync'], runsSchema)).runs;
    const whole = synced?.id ?? '';
    const id = whole.slice(-8);
    expect((await world.run(['status'])).stdout).toContain(`donor-sync runs ${id}`);
    const { stdout } = await world.run(['runs', id, '--limit', '2']);
    expect(stdout).toMatch(/^Contact .*\nC000009 +failed .*\nC000001 +written /m);
    expect(stdout).not.toContain(`donor-sync runs ${id}`);
    const { runs } = await world.runJson(['runs', whole, '--limit', '2'], detailSchema);
    expect(runs[0].outcomes).toMatchObject([
      { crmId: 'C000009', outcome: 'failed', reason: 'no_match' },
      { crmId: 'C000001', outcome: 'written', reason: 'fields_written' },
    ]);
  });

  it('finds contacts of a run by outcome, reason and id, and gives all of them as CSV', async () => {
    const world = await open();
    await world.saveRows(
      (await world.rows()).map((row, at) => (at === 8 ? { ...row, ...UNKNOWN_PERSON } : row)),
    );
    const [synced] = (await world.runJson(['sync'], runsSchema)).runs;
    // Later runs on the contacts of the earlier run do not remove anything from the earlier run.
    await world.run(['sync', '--full']);
    const id = synced?.id ?? '';
    const found = async (...filter: string[]) => {
      const { runs } = await world.runJson(['runs', id, ...filter], detailSchema);
      return runs[0].outcomes.map(({ crmId }) => crmId);
    };
    expect(await found('--outcome', 'failed,held')).toEqual(['C000009']);
    expect(await found('--reason', 'no_match')).toEqual(['C000009']);
    expect(await found('--contact', 'C00001')).toEqual(['C000010', 'C000011', 'C000012']);
    const { stdout } = await world.run(['runs', id, '--csv']);
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(13);
    expect(lines.slice(0, 2)).toEqual([
      'Contact,Outcome,Reason,Why,Detail,At,Undone',
      expect.stringMatching(/^C000009,failed,no_match,.*,,\d{4}-\d\d-\d\dT/),
    ]);
    const none = await world.run(['runs', id, '--outcome', 'held']);
    expect(none.stdout).toBe('No contact in this run matches.\n');
  });

  it('says that a file is not complete if an error ends it, and fails', async () => {
    const world = await open({ people: 1 });
    const [synced] = (await world.runJson(['sync'], runsSchema)).runs;
    const db = new Sqlite(world.path('store.db'));
    // A time on the second page that cannot be formatted.
    db.exec(`with recursive n(at) as (select 1 union all select at + 1 from n where at < 1500)
      insert into run_rows select run_id, 0, 'other-' || n.at, reason, detail, 1
      from n, (select * from run_rows limit 1);
      update run_rows set at = 9000000000000000, place = 9 where crm_id not like 'other-%'`);
    db.close();
    const { exitCode, stdout, stderr } = await world.run(['runs', synced?.id ?? '', '--csv']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^Contact,Outcome,Reason,Why,Detail,At,Undone\n(other-.*\n){1000}$/);
    expect(stderr).toContain('The file on stdout is not complete. Delete it, and try again.');
  });

  it('asks which run is meant by a filter, and knows outcomes that there are', async () => {
    const world = await open({ people: 1 });
    const withoutRun = await world.run(['runs', '--csv']);
    expect(withoutRun).toMatchObject({ exitCode: 2 });
    expect(withoutRun.stderr).toContain('Enter a run: donor-sync runs RUN');
    const misspelt = await world.run(['runs', 'x', '--outcome', 'hold']);
    expect(misspelt).toMatchObject({ exitCode: 2 });
    expect(misspelt.stderr).toContain('"hold" is not an outcome. Possible outcomes: held, failed');
  });

  it('refuses two forms at once, an unknown client, and options of the list for one run', async () => {
    const world = await open({ people: 1 });
    const [synced] = (await world.runJson(['sync'], runsSchema)).runs;
    const run = synced?.id ?? '';
    const twice = await world.run(['runs', run, '--csv', '--json']);
    expect(twice).toMatchObject({ exitCode: 2 });
    expect(twice.stdout).toContain('Use --csv or --json, not both.');
    const unknown = await world.run(['runs', '--integration', 'riversde', '--json']);
    expect(unknown).toMatchObject({ exitCode: 2 });
    const { error } = errorSchema.parse(JSON.parse(unknown.stdout));
    expect(error).toMatchObject({
      code: 'integration_unknown',
      message: expect.stringContaining('did you mean "riverside"?'),
    });
    const both = await world.run(['runs', run, '--status', 'failed']);
    expect(both).toMatchObject({ exitCode: 2 });
    expect(both.stderr).toContain('--status: only for the list of runs');
    const odd = await world.run(['runs', '--status', 'odd']);
    expect(odd).toMatchObject({ exitCode: 2 });
    expect(odd.stderr).toContain('Choose one of running, succeeded, incomplete, failed.');
  });

  it('names the fields of writes that are alike once', async () => {
    const world = await open({
      people: 3,
      settings: '    fields: [{ from: donorId, to: Donor ID }, { from: enhancedAt, to: Enhanced }]',
    });
    const [synced] = (await world.runJson(['sync'], runsSchema)).runs;
    const { stdout } = await world.run(['runs', synced?.id ?? '']);
    expect(stdout.match(/Donor ID, Enhanced$/gm)).toHaveLength(1);
    const first = /^(\w+) +Donor ID, Enhanced$/m.exec(stdout)?.[1];
    expect(stdout.split(`2 fields, as in ${first}\n`)).toHaveLength(3);
  });

  it('says that the end of an ID is enough to a user who typed its beginning, and not to a script', async () => {
    const world = await open({ people: 1 });
    const [synced] = (await world.runJson(['sync'], runsSchema)).runs;
    const id = synced?.id ?? '';
    const { exitCode, stderr } = await world.run(['runs', id.slice(0, 8)]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('lists the runs with the end of each ID, which you can use');
    expect(await world.run(['runs', id.slice(-8)])).toMatchObject({ exitCode: 0 });
    expect(await world.run(['runs', id.slice(-6)])).toMatchObject({ exitCode: 0 });
    expect(await world.run(['runs', id.slice(-5)])).toMatchObject({ exitCode: 2 });
    for (const words of [['runs'], ['runs', 'show'], ['runs', 'contacts']]) {
      const short = await world.run([...words, id.slice(-8), '--json']);
      expect(short).toMatchObject({ exitCode: 2 });
      const { error } = errorSchema.parse(JSON.parse(short.stdout));
      expect(error.message).toContain(`enter the whole ID, not just its end: ${id}`);
      expect(await world.run([...words, id, '--json'])).toMatchObject({ exitCode: 0 });
      expect(await world.run([...words, id.slice(-8)])).toMatchObject({ exitCode: 0 });
    }
  });
});

describe('donor-sync credits', () => {
  it('asks each key once, and adds what each integration has spent', async () => {
    const world = await open({ integrations: ['riverside', 'hillside'], people: 3 });
    await world.run(['sync', 'riverside']);
    const { keys } = await world.runJson(['credits'], creditsSchema);
    expect(keys).toMatchObject([
      {
        integrations: [
          { integration: 'riverside', spentThisMonth: { enhancements: 3, networks: 0 } },
          { integration: 'hillside', spentThisMonth: { enhancements: 0, networks: 0 } },
        ],
        buckets: { enhancements: 99_997, networks: 100_000 },
        openSubmission: null,
        openSubmissions: [],
      },
    ]);
  });
});
