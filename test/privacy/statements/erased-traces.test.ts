import { expect, it } from 'vitest';
import {
  hasPaths,
  listStalePaths,
  markStalePaths,
  recordComputedPaths,
} from '../../../src/paths/statements/warm-paths.ts';
import { eraseAgain } from '../../../src/privacy/statements/erase-again.ts';
import { hasTracesOfContact } from '../../../src/privacy/statements/known-contacts.ts';
import { findRunById, recordRunBegin, recordRunEnd } from '../../../src/sync/statements/runs.ts';
import { contactOf, contactRow, putContacts } from '../../contacts/contact-stages.ts';
import {
  everything,
  INTEGRATION,
  RUN,
  START_MS,
  storeWorlds,
  testFingerprint,
} from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { leaveTraces, MARKED, tablesWithTraces } from './traces.ts';

describeEachDatabase('an erasure', (open) => {
  const createWorld = storeWorlds(open);

  it('leaves nothing of the person in any table, however far the sync had come', async () => {
    const world = await createWorld();
    await leaveTraces(world);
    expect(await tablesWithTraces(world)).toEqual([
      ...['contacts', 'jobs', 'kept_profiles', 'questions', 'value_states', 'writes'],
    ]);
    expect(await hasTracesOfContact(world.store.reader, INTEGRATION, [MARKED])).toBe(true);
    expect(await eraseContact(world.store, INTEGRATION, MARKED)).toEqual({
      ...{ contacts: 1, jobs: 1, holds: 1, writes: 1, paths: 0 },
      ...{ introductions: 0, profiles: 1, groups: 0, runs: 0, keys: [] },
    });
    expect(await tablesWithTraces(world)).toEqual([]);
    expect(await hasTracesOfContact(world.store.reader, INTEGRATION, [MARKED])).toBe(false);
  });

  it('finds and erases a kept profile, and what is not in the CRM, also where nothing else is left', async () => {
    for (const table of ['kept_profiles', 'value_states'] as const) {
      const world = await createWorld();
      await leaveTraces(world);
      for (const other of ['contacts', 'questions', 'jobs', 'writes'] as const) {
        await world.db.deleteFrom(other).execute();
      }
      await world.db
        .deleteFrom(table === 'value_states' ? 'kept_profiles' : 'value_states')
        .execute();
      expect(await tablesWithTraces(world)).toEqual([table]);
      expect(await hasTracesOfContact(world.store.reader, INTEGRATION, [MARKED])).toBe(true);
      const contact = testFingerprint('forgotten', MARKED);
      const entry = { what: 'erased' as const, at: START_MS, integration: INTEGRATION, contact };
      await eraseAgain(
        world.store,
        [{ ...entry, forms: [], person: null, everywhere: false, donors: [] }],
        null,
      );
      expect(await tablesWithTraces(world)).toEqual([]);
    }
  });

  it('leaves nothing in the contacts that became a part of the person', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', state: 'removed', merged_into: MARKED }),
      contactRow({ crm_id: 'c-2', state: 'removed', merged_into: 'c-3' }),
    ]);
    expect(await hasTracesOfContact(world.store.reader, INTEGRATION, [MARKED])).toBe(true);
    await eraseContact(world.store, INTEGRATION, MARKED);
    expect(await tablesWithTraces(world)).toEqual([]);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', merged_into: null });
    expect(await contactOf(world, 'c-2')).toMatchObject({ merged_into: 'c-3' });
  });

  it('leaves nothing in them either when a backup is put back that knows the person by them alone', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', state: 'removed', merged_into: MARKED }),
    ]);
    const contact = testFingerprint('forgotten', MARKED);
    const entry = { what: 'erased' as const, at: START_MS, integration: INTEGRATION, contact };
    const known = { forms: [], person: null, everywhere: false, donors: [] };
    await eraseAgain(world.store, [{ ...entry, ...known }], null);
    expect(await tablesWithTraces(world)).toEqual([]);
  });

  it('leaves nothing under any form of the id', async () => {
    const world = await createWorld();
    await leaveTraces(world);
    const forms = { forms: [MARKED] };
    expect(await eraseContact(world.store, INTEGRATION, 'another form', forms)).toMatchObject({
      contacts: 1,
    });
    expect(await tablesWithTraces(world)).toEqual([]);
  });

  it('leaves no row of what runs did to the contact, whatever other integrations have', async () => {
    const world = await createWorld();
    const { store, db, lease, clock } = world;
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'run-2', 'manual', null));
    await store.checkpoint(lease, (trx) =>
      recordRunEnd(trx, 'run-2', {
        ...{ status: 'succeeded', reason: null, finishedAt: clock.now(), report: '{}' },
      }),
    );
    const row = { place: 4, crm_id: MARKED, reason: 'no_match', detail: null, at: clock.now() };
    await db
      .insertInto('run_rows')
      .values({ ...row, run_id: 'run-2' })
      .execute();
    await db
      .insertInto('run_rows')
      .values({ ...row, run_id: 'of-lakeside' })
      .execute();
    expect(await hasTracesOfContact(store.reader, INTEGRATION, [MARKED])).toBe(true);
    expect(await eraseContact(store, INTEGRATION, MARKED)).toMatchObject({ runs: 1 });
    expect(await hasTracesOfContact(store.reader, INTEGRATION, [MARKED])).toBe(false);
    expect(await db.selectFrom('run_rows').select('run_id').execute()).toEqual([
      { run_id: 'of-lakeside' },
    ]);
  });

  it('leaves no id in what runs have said', async () => {
    const world = await createWorld();
    const { store, lease, clock } = world;
    const message = `There is no contact "${MARKED}" in the CRM.`;
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'run-2', 'webhook', [MARKED]));
    await store.checkpoint(lease, (trx) =>
      recordRunEnd(trx, 'run-2', {
        ...{ status: 'failed', reason: { code: 'contact_unknown', message } },
        ...{ finishedAt: clock.now(), report: JSON.stringify({ reason: { message } }) },
      }),
    );
    expect(await tablesWithTraces(world)).toEqual(['audit_keys', 'runs']);
    await eraseContact(store, INTEGRATION, MARKED);
    expect(await tablesWithTraces(world)).toEqual([]);
    const run = await findRunById(store.reader, 'run-2');
    expect(run?.reasonMessage).toBe('There is no contact (erased) in the CRM.');
    expect(JSON.parse(run?.report ?? '')).toEqual({ reason: { message: run?.reasonMessage } });
  });

  it('leaves nothing of the donor that the person was in the paths of others', async () => {
    const world = await createWorld();
    const { store, lease, db } = world;
    await putContacts(world, [
      contactRow({ crm_id: MARKED, donor_id: 'donor-marked' }),
      contactRow({ crm_id: 'c-1', donor_id: 'donor-1' }),
      contactRow({ crm_id: 'c-2', donor_id: 'donor-2' }),
    ]);
    const scope = { settings: 's', members: { board: ['donor-2', 'donor-marked'] } };
    await store.checkpoint(lease, (trx) => markStalePaths(trx, { ...scope, computedBefore: null }));
    const path = { strength: 0.7, people: 1, introducerId: 'donor-marked', networkId: 'board' };
    const through = (crmId: string, introducerId: string, connecting: string[]) => ({
      ...{ crmId, donorId: `donor of ${crmId}`, inCrm: 'fingerprint', written: null },
      path: { ...path, introducerId, connecting },
    });
    await store.checkpoint(lease, (trx) =>
      recordComputedPaths(trx, RUN, [
        through('c-1', 'donor-marked', ['donor-marked']),
        through('c-2', 'donor-1', ['donor-1', 'donor-marked']),
      ]),
    );
    expect(JSON.stringify(await everything(db))).toContain('donor-marked');
    await eraseContact(store, INTEGRATION, MARKED);
    expect(JSON.stringify(await everything(db))).not.toContain('donor-marked');
    const list = { after: null, limit: 10, only: null };
    const stale = await listStalePaths(store.reader, INTEGRATION, list);
    expect(stale.map(({ crmId }) => crmId).sort()).toEqual(['c-1', 'c-2']);
    expect(await hasPaths(store.reader, INTEGRATION)).toBe(true);
  });
});
