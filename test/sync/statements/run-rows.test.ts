import { expect, it } from 'vitest';
import { holdChanges } from '../../../src/contacts/many-at-once/mass-changes.ts';
import {
  countRunReasons,
  listRunRows,
  type RunContactFilter,
} from '../../../src/sync/statements/run-rows.ts';
import { findRunById, recordRunBegin, recordRunEnd } from '../../../src/sync/statements/runs.ts';
import {
  chargeLoss,
  contactRow,
  putContacts,
  readContact,
  readPage,
  settleLost,
  submit,
} from '../../contacts/contact-stages.ts';
import { INTEGRATION, RUN, type StoreWorld, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const OUTCOMES = [
  contactRow({ crm_id: 'c-2', outcome_run: RUN, outcome_reason: 'no_match' }),
  contactRow({ crm_id: 'c-1', outcome_run: RUN, outcome_reason: 'no_match' }),
  contactRow({ crm_id: 'c-3', outcome_run: RUN, outcome_reason: 'fields_written' }),
  contactRow({ crm_id: 'c-4', outcome_run: RUN, outcome_reason: 'profile_fresh' }),
  contactRow({ crm_id: 'd-1', outcome_run: RUN, outcome_reason: 'name_mismatch' }),
  contactRow({ crm_id: 'c_1', outcome_run: RUN, outcome_reason: 'a_word_of_tomorrow' }),
  contactRow({ crm_id: 'c-5', outcome_run: 'run-0', outcome_reason: 'no_match' }),
  contactRow({
    crm_id: 'c-6',
    integration_id: 'lakeside',
    outcome_run: RUN,
    outcome_reason: 'no_match',
  }),
];

describeEachDatabase('what a run did to contacts', (open) => {
  const createWorld = storeWorlds(open);

  it('is what they say themselves as long as it goes on', async () => {
    const world = await createWorld();
    await putContacts(world, OUTCOMES);
    expect(await counts(world)).toEqual(ALL);
    expect(await ids(world)).toEqual(['d-1', 'c-1', 'c-2', 'c-3', 'c_1']);
  });

  it('stays after its end, whatever later runs do', async () => {
    const world = await createWorld();
    await putContacts(world, OUTCOMES);
    await finish(world);
    await world.db.updateTable('contacts').set({ outcome_run: 'run-9' }).execute();
    expect(await counts(world)).toEqual(ALL);
    expect(await ids(world)).toEqual(['d-1', 'c-1', 'c-2', 'c-3', 'c_1']);
  });

  it('stays of a run that was cut off, once the next one begins', async () => {
    const world = await createWorld();
    await putContacts(world, OUTCOMES);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunBegin(trx, 'run-9', 'manual', null),
    );
    await world.db.updateTable('contacts').set({ outcome_run: 'run-9' }).execute();
    expect(await counts(world)).toEqual(ALL);
  });

  it('can be looked through by outcome, reason and the beginning of the id, page by page', async () => {
    const world = await createWorld();
    await putContacts(world, OUTCOMES);
    await finish(world);
    expect(await ids(world, { outcomes: ['held', 'written'] })).toEqual(['d-1', 'c-3']);
    expect(await ids(world, { reason: 'no_match' })).toEqual(['c-1', 'c-2']);
    expect(await ids(world, { idPrefix: 'c-' })).toEqual(['c-1', 'c-2', 'c-3']);
    expect(await ids(world, { idPrefix: '%' })).toEqual([]);
    expect(await ids(world, { limit: 2 })).toEqual(['d-1', 'c-1']);
    const after = { place: 1, crmId: 'c-1' };
    expect(await ids(world, { after })).toEqual(['c-2', 'c-3', 'c_1']);
  });

  it('says more than what the run reads of a contact afterwards', async () => {
    const world = await createWorld();
    const before = (outcome_run: string) => [
      contactRow({ crm_id: 'c-1', outcome_run, outcome_reason: 'fields_written' }),
      contactRow({ crm_id: 'c-2', outcome_run, outcome_reason: 'no_match' }),
      contactRow({ crm_id: 'c-3', outcome_run, outcome_reason: 'values_equal' }),
    ];
    const fresh = { kind: 'settle', reason: 'profile_fresh', eligible: true } as const;
    const page = ['c-1', 'c-2', 'c-3'].map((id) => readContact(id));

    await putContacts(world, before(RUN));
    await readPage(world, page, fresh);
    expect(await counts(world)).toEqual({ fields_written: 1, no_match: 1, profile_fresh: 1 });
    await readPage(world, page, { kind: 'settle', reason: 'opted_out', eligible: false });
    expect(await counts(world)).toEqual({ fields_written: 1, opted_out: 2 });

    await world.db.deleteFrom('contacts').execute();
    await putContacts(world, before('run-0'));
    await readPage(world, page, fresh);
    expect(await counts(world)).toEqual({ profile_fresh: 3 });
  });

  it('says less than the question to a person about what changed after it was written', async () => {
    const world = await createWorld();
    const written = { outcome_run: RUN, outcome_reason: 'fields_written' };
    await putContacts(world, [contactRow({ crm_id: 'c-1', ...written })]);
    const choice = { kind: 'choose', reason: 'identity_changed', priority: 2 } as const;
    await readPage(world, [readContact('c-1')], choice);
    expect(await holdChanges(world.store, world.lease, RUN, () => 'hold-1')).toBe(1);
    expect(await counts(world)).toEqual({ identity_mass_change: 1 });
  });

  it('is counted by the run that settles a lost answer, or else by the one that submitted', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunBegin(trx, 'run-9', 'manual', null),
    );
    const loss = { charged: 2, afterwards: 'hold', detail: 'gone' } as const;
    await settleLost(world, { id: 'submission-1', run: 'run-9', loss }, 1);
    const settling = await findRunById(world.store.reader, 'run-9');
    expect(settling?.spentEnhancements).toBe(2);
    expect(settling && (await countRunReasons(world.store.reader, settling))).toEqual(
      new Map([['lost_answer', 2]]),
    );
  });

  it('is amended where another integration settles what a run that is over has submitted', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await finish(world);
    expect(await counts(world)).toEqual({ submission_pending: 2 });
    await chargeLoss(world, 'hold', { charged: 2 });
    expect(await counts(world)).toEqual({ lost_answer: 2 });
  });

  it('is dropped once it is old, and the run with its counts stays', async () => {
    const world = await createWorld();
    await putContacts(world, OUTCOMES);
    await finish(world);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunBegin(trx, 'run-9', 'manual', null),
    );
    const end = { status: 'succeeded', reason: null, report: '{}' } as const;
    const finishedAt = world.clock.now();
    const keep = (keepRowsSince: number) =>
      world.store.checkpoint(world.lease, (trx) =>
        recordRunEnd(trx, 'run-9', { ...end, finishedAt, keepRowsSince }),
      );
    await keep(finishedAt);
    expect(await ids(world)).toHaveLength(5);
    await keep(finishedAt + 1);
    expect(await ids(world)).toEqual([]);
    expect(await findRunById(world.store.reader, RUN)).toMatchObject({ status: 'succeeded' });
  });
});

const ALL = {
  no_match: 2,
  fields_written: 1,
  name_mismatch: 1,
  a_word_of_tomorrow: 1,
  profile_fresh: 1,
};

async function runOf({ store }: StoreWorld) {
  const run = await findRunById(store.reader, RUN);
  if (run === undefined) throw new Error('the world has no run');
  return { ...run, integration_id: INTEGRATION };
}

async function counts(world: StoreWorld) {
  return Object.fromEntries(await countRunReasons(world.store.reader, await runOf(world)));
}

async function ids(world: StoreWorld, filter: Partial<RunContactFilter> = {}) {
  const rows = await listRunRows(world.store.reader, await runOf(world), { limit: 10, ...filter });
  return rows.map(({ crmId }) => crmId);
}

function finish({ store, lease, clock }: StoreWorld): Promise<void> {
  return store.checkpoint(lease, (trx) =>
    recordRunEnd(trx, RUN, {
      ...{ status: 'succeeded', reason: null, report: '{}' },
      finishedAt: clock.now(),
    }),
  );
}
