import { expect, it } from 'vitest';
import {
  listSpendingClients,
  listSpentDays,
  listSpentMonths,
} from '../../../src/credits/statements/credit-spans.ts';
import { recordRecalled } from '../../../src/credits/statements/recalled-payments.ts';
import { recordRecalledAdd } from '../../../src/networks/statements/recalled-adds.ts';
import { recordRunBegin, recordRunEnd } from '../../../src/sync/statements/runs.ts';
import {
  accept,
  chargeLoss,
  contactRow,
  crmIds,
  putContacts,
  settleLost,
  submit,
} from '../../contacts/contact-stages.ts';
import {
  BALANCE,
  INTEGRATION,
  KEY,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
} from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const DAY_MS = 86_400_000;
const FIRST_DAY = '2027-01-15';

function finish({ store, lease, clock }: StoreWorld, run = RUN): Promise<void> {
  const end = { reason: null, finishedAt: clock.now(), report: '{}' };
  return store.checkpoint(lease, (trx) => recordRunEnd(trx, run, { status: 'succeeded', ...end }));
}

function days({ store }: StoreWorld, integrations: string[] | null = [INTEGRATION]) {
  return listSpentDays(store.reader, integrations, '2027-01-01', '2027-12-31');
}

const SPENT = { enhancements: 3, networks: 0, queries: 0, written: 0 };

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
    const month = await listSpendingClients(world.store.reader, '2027-01', null, {
      offset: 0,
      limit: 5,
    });
    expect(month).toEqual({ clients: [{ integrationId: INTEGRATION, ...spent }], total: 1 });
    expect(await listSpentMonths(world.store.reader, 3)).toEqual(['2027-01']);
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
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunBegin(trx, 'run-2', 'schedule', null),
    );
    await chargeLoss(world, 'hold', { charged: 1 });
    await finish(world, 'run-2');
    expect(await days(world)).toEqual([{ at: FIRST_DAY, ...SPENT, enhancements: 1 }]);
    expect(await days(world, null)).toEqual([{ at: FIRST_DAY, ...SPENT, enhancements: 1 }]);
  });

  it('has nothing that the run of another client with the same key has settled as not charged', async () => {
    const world = await createWorld();
    await submit(world, crmIds(3));
    await finish(world);
    expect(await days(world)).toEqual([{ at: FIRST_DAY, ...SPENT }]);
    await settleLost(world, { id: 'submission-1', run: null, loss: null }, BALANCE);
    for (const integrations of [[INTEGRATION], null]) {
      expect(await days(world, integrations)).toEqual([
        { at: FIRST_DAY, ...SPENT, enhancements: 0 },
      ]);
    }
  });

  it('is corrected by the next run if a request was settled between the runs', async () => {
    const world = await createWorld();
    await submit(world, crmIds(3));
    await finish(world);
    const settled = { state: 'charged', charged: 1, closed_at: world.clock.now() } as const;
    await world.db.updateTable('submissions').set(settled).execute();
    await world.clock.advance(DAY_MS);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunBegin(trx, 'run-2', 'schedule', null),
    );
    await finish(world, 'run-2');
    expect(await days(world)).toEqual([{ at: FIRST_DAY, ...SPENT, enhancements: 1 }]);
    expect(await days(world, null)).toEqual([{ at: FIRST_DAY, ...SPENT, enhancements: 1 }]);
  });

  it('has what was recalled from the spending journal, however old, and only once', async () => {
    const world = await createWorld();
    const sentAt = START_MS - 90 * DAY_MS;
    const of = { store: 's', at: sentAt, id: 'recalled', integration: INTEGRATION, run: 'r' };
    const subject = { kind: 'enhancements' as const, mapping: '', contacts: [] };
    const intended = { what: 'intended' as const, ...of, key: KEY, credits: 2, subject };
    const recall = () =>
      world.store.act((trx) => recordRecalled(trx, { intended, answered: null }, [], null));
    await recall();
    await recall();
    await finish(world);
    const spent = { ...SPENT, enhancements: 2 };
    const since = (ids: string[] | null) =>
      listSpentDays(world.store.reader, ids, '2026-01-01', '2027-12-31');
    expect(await since([INTEGRATION])).toEqual([{ at: '2026-10-17', ...spent }]);
    expect(await since(null)).toEqual([{ at: '2026-10-17', ...spent }]);
  });

  it('has what was recalled for networks as soon as the database is restored, and only once', async () => {
    const world = await createWorld();
    const of = { store: 's', at: START_MS, id: 'recalled', integration: INTEGRATION, run: 'r' };
    const subject = { kind: 'networks' as const, networkId: 'n-1', donors: ['one', 'two'] };
    const intended = { what: 'intended' as const, ...of, key: KEY, credits: 2, subject };
    const answered = { what: 'answered' as const, store: 's', at: START_MS, id: 'recalled' };
    const end = { ...answered, charged: 2, jobs: { recalled: 'job' } };
    const recall = () =>
      world.store.act((trx) => recordRecalledAdd(trx, { intended, answered: end }));
    await recall();
    await recall();
    const spent = { ...SPENT, enhancements: 0, networks: 2 };
    expect(await days(world)).toEqual([{ at: FIRST_DAY, ...spent }]);
    await finish(world);
    expect(await days(world, null)).toEqual([{ at: FIRST_DAY, ...spent }]);
  });

  it('has what a run spent that was cut off, as soon as the next one begins', async () => {
    const world = await createWorld();
    await submit(world, crmIds(3));
    await accept(world, crmIds(3));
    await world.clock.advance(DAY_MS);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunBegin(trx, 'run-2', 'schedule', null),
    );
    expect(await days(world)).toEqual([{ at: FIRST_DAY, ...SPENT }]);
    await finish(world, 'run-2');
    expect(await days(world)).toEqual([{ at: FIRST_DAY, ...SPENT }]);
  });
});

it('begins on the day of the tests', () => {
  expect(new Date(START_MS).toISOString()).toContain(FIRST_DAY);
});
