import { expect, it } from 'vitest';
import { openDatabase } from '../../src/store/engine/database.ts';
import { MIGRATIONS } from '../../src/store/engine/migrations.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import { accept, chargeLoss, contactRow, crmIds, putContacts, submit } from './contact-stages.ts';
import { INTEGRATION, RUN, START_MS, type StoreWorld, storeWorlds } from './store-world.ts';

const DAY_MS = 86_400_000;
const FIRST_DAY = '2027-01-15';
const NEXT_DAY = '2027-01-16';

function finish({ store, lease, clock }: StoreWorld, run = RUN): Promise<void> {
  const end = { reason: null, finishedAt: clock.now(), report: '{}' };
  return store.runs.finish(lease, run, { status: 'succeeded', ...end });
}

function days({ store }: StoreWorld, integrations: string[] | null = [INTEGRATION]) {
  return store.spans.listDays(integrations, '2027-01-01', '2027-12-31');
}

const SPENT = { enhancements: 3, networks: 0, written: 0 };

describeEachDatabase('what was spent by day', (open) => {
  const createWorld = storeWorlds(open);

  it('has the credits of a run and the contacts that it wrote', async () => {
    const world = await createWorld();
    const written = { outcome_run: RUN, outcome_reason: 'fields_written' };
    await putContacts(world, [
      contactRow({ crm_id: 'w-1', ...written }),
      contactRow({ crm_id: 'w-2', ...written }),
    ]);
    await submit(world, crmIds(3));
    await accept(world, crmIds(3));
    expect(await days(world)).toEqual([]);
    await finish(world);
    const spent = { ...SPENT, written: 2 };
    expect(await days(world)).toEqual([{ at: FIRST_DAY, ...spent }]);
    expect(await days(world, null)).toEqual([{ at: FIRST_DAY, ...spent }]);
    const month = await world.store.spans.listClients('2027-01', null, { offset: 0, limit: 5 });
    expect(month).toEqual({ clients: [{ integrationId: INTEGRATION, ...spent }], total: 1 });
    expect(await world.store.spans.listMonths(3)).toEqual(['2027-01']);
  });

  it('counts what is not settled in full, and once it is settled what was charged, on the day of the request', async () => {
    const world = await createWorld();
    await submit(world, crmIds(3));
    await world.db
      .updateTable('submissions')
      .set({ state: 'lost', lost_at: world.clock.now() })
      .execute();
    await finish(world);
    expect(await days(world)).toEqual([{ at: FIRST_DAY, ...SPENT }]);
    await world.clock.advance(DAY_MS);
    await world.store.runs.begin(world.lease, 'run-2', 'schedule', null);
    await chargeLoss(world, 'hold', { charged: 1 });
    await finish(world, 'run-2');
    expect(await days(world)).toEqual([{ at: FIRST_DAY, ...SPENT, enhancements: 1 }]);
    expect(await days(world, null)).toEqual([{ at: FIRST_DAY, ...SPENT, enhancements: 1 }]);
  });

  it('has what a run spent that was cut off, as soon as the next one begins', async () => {
    const world = await createWorld();
    await submit(world, crmIds(3));
    await accept(world, crmIds(3));
    await world.clock.advance(DAY_MS);
    await world.store.runs.begin(world.lease, 'run-2', 'schedule', null);
    expect(await days(world)).toEqual([{ at: FIRST_DAY, ...SPENT }]);
    await finish(world, 'run-2');
    expect(await days(world)).toEqual([{ at: FIRST_DAY, ...SPENT }]);
  });

  it('is added up by the update of an older database as runs add it up', async () => {
    const world = await createWorld();
    const written = { outcome_run: RUN, outcome_reason: 'fields_written' };
    await putContacts(world, [contactRow({ crm_id: 'w-1', ...written })]);
    await submit(world, crmIds(3));
    await accept(world, crmIds(3));
    await world.clock.advance(DAY_MS);
    const add = { run_id: RUN, partner_key: 'key-1', network: 'n', network_id: 'n' };
    await world.db
      .insertInto('network_adds')
      .values({
        ...add,
        id: 'add-1',
        integration_id: INTEGRATION,
        state: 'done',
        donors: 7,
        charged: null,
        balance_before: 100,
        job_id: null,
        intended_at: world.clock.now(),
        lost_at: null,
        closed_at: null,
      })
      .execute();
    await finish(world);
    const rows = () =>
      world.db
        .selectFrom('credit_spans')
        .selectAll()
        .orderBy('integration_id')
        .orderBy('span')
        .orderBy('at')
        .execute();
    const byRuns = await rows();
    expect(byRuns).toHaveLength(6);
    expect(await days(world)).toEqual([
      { at: FIRST_DAY, ...SPENT, written: 1 },
      { at: NEXT_DAY, enhancements: 0, networks: 7, written: 0 },
    ]);
    await world.db.schema.dropTable('credit_spans').execute();
    await world.db.schema.dropTable('hook_calls').execute();
    await world.db.schema.dropIndex('audit_entries_by_action').execute();
    const bare = await openDatabase<unknown>(world.url);
    await MIGRATIONS['0025-operations'].up(bare.db);
    await bare.close();
    expect(await rows()).toEqual(byRuns);
  });
});

it('begins on the day of the tests', () => {
  expect(new Date(START_MS).toISOString()).toContain(FIRST_DAY);
});
