import { expect, it } from 'vitest';
import type { ContactQuestionKind } from '../../../src/core/questions/question-kinds.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { verifyAudit } from '../../../src/privacy/audit/verify-audit.ts';
import { findOurValues } from '../../../src/privacy/statements/known-contacts.ts';
import { purgeExpired, VALUES_PURGED } from '../../../src/privacy/statements/retention.ts';
import { recordRunBegin, recordRunEnd } from '../../../src/sync/statements/runs.ts';
import { contactRow } from '../../contacts/contact-stages.ts';
import {
  everything,
  INTEGRATION,
  RUN,
  type StoreWorld,
  storeWorlds,
} from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const DAY_MS = 86_400_000;
const KEEP = { runRows: 90, outcomes: 30, previousValues: 30, removedContacts: 30, audit: 30 };

async function addHold(
  { db, clock }: StoreWorld,
  id: string,
  kind: ContactQuestionKind,
): Promise<void> {
  await db
    .insertInto('questions')
    .values({
      ...{ id, integration_id: INTEGRATION, crm_id: `of-${id}`, kind, batch: null, detail: null },
      ...{ tracking_id: id, opened_at: clock.now(), decision: 'rejected' as const },
      decided_at: clock.now(),
    })
    .execute();
}

async function addWrite(
  { db, clock }: StoreWorld,
  id: string,
  changes: Partial<Tables['writes']> = {},
): Promise<void> {
  await db
    .insertInto('writes')
    .values({
      ...{ id, run_id: RUN, integration_id: INTEGRATION, crm_id: `of-${id}`, state: 'written' },
      ...{ before: 'sealed', after: '{"Field":"fingerprint"}', owned_before: '{}' },
      introducer: '',
      written_at: clock.now(),
      ...changes,
    })
    .execute();
}

async function valuesOf({ db }: StoreWorld) {
  const rows = await db
    .selectFrom('writes')
    .select(['id', 'before', 'after'])
    .orderBy('id')
    .execute();
  expect(new Set(rows.map(({ after }) => after))).toEqual(new Set(['{"Field":"fingerprint"}']));
  return rows.map(({ id, before }) => [id, before]);
}

describeEachDatabase('a purge', (open) => {
  const createWorld = storeWorlds(open);

  it('takes nothing out where the settings keep all of it', async () => {
    const world = await createWorld();
    const { store, lease, clock, db } = world;
    await addHold(world, 'hold', 'name_mismatch');
    await addWrite(world, 'write');
    await db
      .insertInto('contacts')
      .values(contactRow({ crm_id: 'gone', state: 'removed' }))
      .execute();
    const before = await everything(db);
    await clock.advance(1_000 * DAY_MS);
    const none = { outcomes: 0, previousValues: 0, removedContacts: 0 };
    expect(await purgeExpired(store, lease, { runRows: 90 })).toEqual(none);
    expect(await purgeExpired(store, lease, { ...KEEP, ...NULLS })).toEqual(none);
    const { integrations: _, ...kept } = await everything(db);
    expect(before).toMatchObject(kept);
  });

  it('takes old decisions out, but for those that keep credits or people apart', async () => {
    const world = await createWorld();
    const { store, lease, clock, db } = world;
    for (const kind of ['name_mismatch', 'profile_deceased', 'identity_mass_change'] as const) {
      await addHold(world, kind, kind);
    }
    await addHold(world, 'lost', 'lost_answer');
    await addHold(world, 'erased', 'forgotten_person');
    await db
      .insertInto('questions')
      .values({
        ...{ id: 'open', integration_id: INTEGRATION, crm_id: 'c', kind: 'name_mismatch' },
        ...{ batch: null, tracking_id: 'open', detail: null, opened_at: clock.now() },
        ...{ decision: null, decided_at: null },
      })
      .execute();
    await clock.advance(31 * DAY_MS);
    await addHold(world, 'young', 'name_mismatch');
    expect(await purgeExpired(store, lease, KEEP)).toMatchObject({ outcomes: 3 });
    const left = await db.selectFrom('questions').select('id').orderBy('id').execute();
    expect(left.map(({ id }) => id)).toEqual(['erased', 'lost', 'open', 'young']);
    expect(await purgeExpired(store, lease, KEEP)).toMatchObject({ outcomes: 0 });
  });

  it('keeps a decision whose profile is still to be written', async () => {
    const world = await createWorld();
    const { store, lease, clock, db } = world;
    await addHold(world, 'waiting', 'name_mismatch');
    await db
      .insertInto('jobs')
      .values({
        ...{ tracking_id: 'waiting', submission_id: 's', integration_id: INTEGRATION },
        ...{ crm_id: 'c', identity: 'i', person: null, reason: 'never_enhanced' },
        ...{ state: 'completed', job_id: 'j', known: 1, answered_at: 1, shared_from: null },
        ...{ submitted_at: 1, closed_at: null },
      })
      .execute();
    await clock.advance(31 * DAY_MS);
    expect(await purgeExpired(store, lease, KEEP)).toMatchObject({ outcomes: 0 });
    await db.updateTable('jobs').set({ state: 'delivered' }).execute();
    expect(await purgeExpired(store, lease, KEEP)).toMatchObject({ outcomes: 1 });
  });

  it('no longer says which contact an old run was for', async () => {
    const { store, lease, clock, db } = await createWorld();
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'one', 'manual', ['c-1']));
    await store.checkpoint(lease, (trx) =>
      recordRunEnd(trx, 'one', {
        ...{ status: 'succeeded', reason: null, finishedAt: clock.now(), report: '{}' },
      }),
    );
    await clock.advance(31 * DAY_MS);
    expect(await purgeExpired(store, lease, KEEP)).toMatchObject({ outcomes: 1 });
    const runs = await db.selectFrom('runs').select(['id', 'contact']).orderBy('id').execute();
    expect(runs).toEqual([
      { id: 'one', contact: null },
      { id: RUN, contact: '' },
    ]);
  });

  it('takes old values out and leaves the fingerprints of what was written', async () => {
    const world = await createWorld();
    const { store, lease, clock } = world;
    await addWrite(world, 'a-old');
    await addWrite(world, 'b-undone', { state: 'undone' });
    await addWrite(world, 'c-under-way', { state: 'intended' });
    await clock.advance(31 * DAY_MS);
    await addWrite(world, 'd-young');
    expect(await purgeExpired(store, lease, KEEP)).toMatchObject({ previousValues: 2 });
    expect(await valuesOf(world)).toEqual([
      ['a-old', VALUES_PURGED],
      ['b-undone', VALUES_PURGED],
      ['c-under-way', 'sealed'],
      ['d-young', 'sealed'],
    ]);
    expect(await findOurValues(store, [INTEGRATION], ['of-a-old'])).toEqual(
      new Map([['Field', new Set(['fingerprint'])]]),
    );
  });

  it('takes out what is known of contacts that left, and keeps what was paid and what is ours', async () => {
    const world = await createWorld();
    const { store, lease, clock, db } = world;
    for (const [crm_id, state] of [
      ['of-gone', 'removed'],
      ['of-here', 'settled'],
    ] as const) {
      const row = contactRow({ crm_id, state, outcome_at: clock.now(), asked_identity: 'paid' });
      await db.insertInto('contacts').values(row).execute();
      await db
        .insertInto('contact_statuses')
        .values({ integration_id: INTEGRATION, crm_id, seen: 'x', status: 'x' })
        .execute();
      await db
        .insertInto('network_wanted')
        .values({ network: 'n', integration_id: INTEGRATION, crm_id })
        .execute();
    }
    await addWrite(world, 'gone');
    await addWrite(world, 'here');
    const contacts = (await everything(db))['contacts'];
    await clock.advance(31 * DAY_MS);
    const purged = await purgeExpired(store, lease, { ...KEEP, previousValues: null });
    expect(purged).toMatchObject({ removedContacts: 3 });
    const after = await everything(db);
    expect(after['contacts']).toEqual(contacts);
    for (const table of ['contact_statuses', 'network_wanted']) {
      expect(after[table]?.map((row) => JSON.parse(row).crm_id)).toEqual(['of-here']);
    }
    expect(await valuesOf(world)).toEqual([
      ['gone', VALUES_PURGED],
      ['here', 'sealed'],
    ]);
  });

  it('records in the audit how many rows it deleted, even in several batches', async () => {
    const world = await createWorld();
    const { store, lease, clock, db } = world;
    for (let at = 0; at < 2_100; at += 100) {
      const rows = Array.from({ length: 100 }, (_, index) => ({
        ...{ id: `w-${at + index}`, run_id: RUN, integration_id: INTEGRATION, crm_id: 'c' },
        ...{ state: 'written' as const, before: 'sealed', after: '{}', owned_before: '{}' },
        introducer: '',
        written_at: clock.now(),
      }));
      await db.insertInto('writes').values(rows).execute();
    }
    await clock.advance(31 * DAY_MS);
    expect(await purgeExpired(store, lease, KEEP)).toMatchObject({ previousValues: 2_100 });
    const entries = await listAuditEntries(store, { action: 'data.purged', limit: 10 });
    expect(entries.map(({ details }) => details)).toEqual([
      { what: 'previousValues', rows: 100, days: 30 },
      { what: 'previousValues', rows: 2_000, days: 30 },
    ]);
    expect((await verifyAudit(store)).problems).toEqual([]);
  });
});

const NULLS = { outcomes: null, previousValues: null, removedContacts: null, audit: null };
