import { expect, it } from 'vitest';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { parseOwned } from '../../../src/contacts/owned-values.ts';
import {
  findIntendedValues,
  type IntendedWrite,
  listWrites,
  recordDeliveries,
  recordIntendedWrites,
  recordUndoneWrite,
  type WriteRecord,
} from '../../../src/fields/statements/deliveries.ts';
import type { Delivery } from '../../../src/fields/statements/delivery-ends.ts';
import { findRunById, recordRunBegin } from '../../../src/sync/statements/runs.ts';
import {
  contactOf,
  crmIds,
  holdOf,
  jobOf,
  makeReady,
  readContact,
  readPage,
  runRow,
  start,
  trackingIdOf,
} from '../../contacts/contact-stages.ts';
import {
  everything,
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
  takeLease,
} from '../../database/store-world.ts';
import { describeEachDatabase, describeOn } from '../../helpers/test-databases.ts';

describeEachDatabase('intended writes', (open) => {
  const createWorld = storeWorlds(open);

  it('are on disk with the values before and after, before they are sent', async () => {
    const world = await createWorld();
    const write = aWrite('c-1', { ownedBefore: { Age: 'fingerprint of 40' } });
    await recordIntendedWrites(world.store, world.lease, RUN, [write]);
    expect(await listWrites(world.store.reader, RUN)).toEqual([
      {
        id: 'write-c-1',
        runId: RUN,
        integrationId: INTEGRATION,
        crmId: 'c-1',
        state: 'intended',
        before: 'sealed values of c-1',
        after: '{"Age":"fingerprint of 41"}',
        ownedBefore: '{"Age":"fingerprint of 40"}',
        donorBefore: null,
        donor: null,
        introducer: '',
        introduced: null,
        named: null,
        called: null,
        writtenAt: START_MS,
      },
    ]);
  });

  it('are found by contact, however many contacts are asked for', async () => {
    const world = await createWorld();
    const ids = crmIds(131);
    await recordIntendedWrites(
      world.store,
      world.lease,
      RUN,
      ids.map((id) => aWrite(id)),
    );
    await recordIntendedWrites(world.store, world.lease, RUN, [
      aWrite('c-130', {
        id: 'write-2',
        donor: 'donor of c-130',
        after: { Age: 'fingerprint of 42', Bio: 'fingerprint of a text' },
      }),
    ]);
    const found = await findIntendedValues(world.store.reader, INTEGRATION, [...ids, 'c-unknown']);
    expect([...found.keys()].sort()).toEqual(ids);
    expect(found.get('c-000')).toEqual([{ owned: { Age: 'fingerprint of 41' }, donor: null }]);
    expect(found.get('c-130')).toHaveLength(2);
    expect(found.get('c-130')).toEqual(
      expect.arrayContaining([
        { owned: { Age: 'fingerprint of 41' }, donor: null },
        {
          owned: { Age: 'fingerprint of 42', Bio: 'fingerprint of a text' },
          donor: 'donor of c-130',
        },
      ]),
    );
    expect(await findIntendedValues(world.store.reader, INTEGRATION, [])).toEqual(new Map());
    expect(await findIntendedValues(world.store.reader, 'lakeside', ids)).toEqual(new Map());
  });

  it('are not found any more once it is known how they ended', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1', 'c-2']);
    await intend(world, ['c-1', 'c-2', 'c-3']);
    await record(world, [delivered('c-1'), postponed('c-2', { writeId: 'write-c-2' })]);
    const found = await findIntendedValues(world.store.reader, INTEGRATION, ['c-1', 'c-2', 'c-3']);
    expect([...found.keys()]).toEqual(['c-3']);
  });
});

describeEachDatabase('a delivered profile', (open) => {
  const createWorld = storeWorlds(open);

  it('settles its contact and notes what we own now', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1']);
    await intend(world, ['c-1']);
    await world.clock.advance(1_000);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunBegin(trx, 'run-2', 'schedule', null),
    );
    await record(world, [delivered('c-1', { detail: '2 fields did not fit' })], 'run-2');
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'settled',
      tracking_id: null,
      donor_id: 'donor of c-1',
      enhanced_at: START_MS + 1_000,
      asked_identity: 'identity of c-1',
      asked_at: START_MS,
      owned_values: '{"Age":"fingerprint of 41"}',
      outcome_reason: 'fields_written',
      outcome_detail: '2 fields did not fit',
      outcome_run: 'run-2',
      outcome_at: START_MS + 1_000,
    });
    expect(await jobOf(world, 'c-1')).toMatchObject({
      state: 'delivered',
      closed_at: START_MS + 1_000,
    });
    expect(await stateOfWrites(world)).toEqual({ 'write-c-1': 'written' });
    expect(await findRunById(world.store.reader, 'run-2')).toMatchObject({ enhancedCount: 1 });
  });

  it.each([31, 131, 237])('is recorded with its own values when %i come at once', async (count) => {
    const world = await createWorld();
    const ids = crmIds(count);
    await makeReady(world, ids);
    const written = ids.filter((_, index) => index % 3 !== 0);
    await intend(world, written);
    await record(
      world,
      ids.map((id) =>
        delivered(id, {
          owned: { Age: `fingerprint of ${id}` },
          writeId: written.includes(id) ? `write-${id}` : null,
          detail: id.endsWith('7') ? `detail of ${id}` : null,
        }),
      ),
    );
    for (const id of ids) {
      expect(await contactOf(world, id)).toMatchObject({
        state: 'settled',
        donor_id: `donor of ${id}`,
        owned_values: JSON.stringify({ Age: `fingerprint of ${id}` }),
        outcome_detail: id.endsWith('7') ? `detail of ${id}` : null,
      });
      expect(await jobOf(world, id)).toMatchObject({ state: 'delivered' });
    }
    expect(await stateOfWrites(world)).toEqual(
      Object.fromEntries(written.map((id) => [`write-${id}`, 'written'])),
    );
    expect(await runRow(world)).toMatchObject({ enhanced_count: count });
  });

  it('has a contact whose identity changed meanwhile thought about again', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1', 'c-2']);
    await readPage(world, [readContact('c-1', 'a new identity')], { kind: 'keep' });
    await record(world, [delivered('c-1'), delivered('c-2')]);
    expect(await contactOf(world, 'c-1')).toMatchObject({
      identity: 'a new identity',
      asked_identity: 'identity of c-1',
      asked_at: START_MS,
      last_credit: 'outdated',
    });
    expect(await contactOf(world, 'c-2')).toMatchObject({ last_credit: 'stands' });
  });

  it('does not move a contact that is not ready, or ready with another job', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await makeReady(world, ['c-2'], 'submission-2');
    const before = (await everything(world.db))['contacts'];
    await record(world, [
      delivered('c-1'),
      { ...delivered('c-2'), trackingId: 'tracking-of-an-older-job' },
    ]);
    expect((await everything(world.db))['contacts']).toEqual(before);
  });
});

describeEachDatabase('a delivery that is not done', (open) => {
  const createWorld = storeWorlds(open);

  it('waits for a person if it is held', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1', 'c-2']);
    await world.clock.advance(1_000);
    await record(world, [
      ending('c-1', 'name_mismatch', { kind: 'held', donorId: 'donor-1' }, 'another last name'),
    ]);
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'held',
      tracking_id: trackingIdOf('c-1'),
      enhanced_at: null,
      outcome_reason: 'name_mismatch',
      outcome_detail: 'another last name',
      outcome_at: START_MS + 1_000,
    });
    expect(await holdOf(world, 'c-1')).toEqual({
      id: trackingIdOf('c-1'),
      about: 'contact',
      integrationId: INTEGRATION,
      crmId: 'c-1',
      kind: 'name_mismatch',
      trackingId: trackingIdOf('c-1'),
      detail: 'another last name',
      openedAt: START_MS + 1_000,
      decision: null,
      decidedAt: null,
      batch: null,
    });
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'held', closed_at: null });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready' });
    expect(await runRow(world)).toMatchObject({ enhanced_count: 1 });
  });

  it('stays ready for a later run if it is postponed, and its write counts as refused', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1', 'c-2']);
    await intend(world, ['c-1', 'c-2']);
    await record(world, [postponed('c-1', { writeId: 'write-c-1' })]);
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'ready',
      tracking_id: trackingIdOf('c-1'),
      outcome_reason: 'crm_refused',
      outcome_detail: 'the record is locked',
      outcome_run: RUN,
    });
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'completed' });
    expect(await stateOfWrites(world)).toEqual({
      'write-c-1': 'refused',
      'write-c-2': 'intended',
    });
  });

  it('counts a postponed one as enhanced if its profile was there', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1', 'c-2']);
    await record(world, [
      postponed('c-1', { enhanced: true }),
      postponed('c-2', { enhanced: false }),
    ]);
    expect(await runRow(world)).toMatchObject({ enhanced_count: 1 });
  });

  it.each([
    ['settled', 'opted_out', false],
    ['removed', 'deleted_in_crm', true],
  ] as const)('leaves its contact %s if it is dropped', async (state, reason, removed) => {
    const world = await createWorld();
    await makeReady(world, ['c-1', 'c-2']);
    await record(world, [ending('c-1', reason, { kind: 'dropped', removed })]);
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state,
      eligible: 0,
      enhanced_at: null,
      outcome_reason: reason,
      // If the contact returns, donor-sync does not pay for its profile again.
      tracking_id: trackingIdOf('c-1'),
    });
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'completed', closed_at: null });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready', eligible: 1 });
    expect(await jobOf(world, 'c-2')).toMatchObject({ state: 'completed' });
  });

  it('does not move a contact that is not ready, or ready with another job', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await makeReady(world, ['c-2'], 'submission-2');
    const before = (await everything(world.db))['contacts'];
    const older = { trackingId: 'tracking-of-an-older-job' };
    await record(world, [
      postponed('c-1'),
      ending('c-1', 'opted_out', { kind: 'dropped', removed: false }),
      { ...postponed('c-2'), ...older },
      { ...ending('c-2', 'opted_out', { kind: 'dropped', removed: false }), ...older },
    ]);
    expect((await everything(world.db))['contacts']).toEqual(before);
  });
});

describeEachDatabase('listWrites', (open) => {
  const createWorld = storeWorlds(open);

  it('lists what a run wrote or may have written, the newest first', async () => {
    const world = await createWorld();
    const ids = ['c-1', 'c-2', 'c-3', 'c-4'];
    await makeReady(world, ids);
    await intend(world, ['c-2', 'c-1']);
    await world.clock.advance(1_000);
    await intend(world, ['c-3', 'c-4']);
    await recordIntendedWrites(world.store, world.lease, 'run-2', [
      aWrite('c-1', { id: 'write-of-another-run' }),
    ]);
    await record(world, [delivered('c-1'), postponed('c-4', { writeId: 'write-c-4' })]);
    const writes = await listWrites(world.store.reader, RUN);
    expect(writes.map((write) => [write.id, write.state])).toEqual([
      ['write-c-3', 'intended'],
      ['write-c-1', 'written'],
      ['write-c-2', 'intended'],
    ]);
  });
});

describeEachDatabase('recordUndone', (open) => {
  const createWorld = storeWorlds(open);

  it('gives back what was owned before, and never lists the write again', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1', 'c-2']);
    await intend(world, ['c-1', 'c-2']);
    await record(world, [delivered('c-1'), delivered('c-2')]);
    const [first] = await listWrites(world.store.reader, RUN);
    await world.store.checkpoint(world.lease, (trx) =>
      recordUndoneWrite(trx, writeOf(first), {
        owned: { Age: 'fingerprint of 40' },
        left: {},
      }),
    );
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'settled',
      owned_values: '{"Age":"fingerprint of 40"}',
    });
    expect(await contactOf(world, 'c-2')).toMatchObject({
      owned_values: '{"Age":"fingerprint of 41"}',
    });
    expect(await stateOfWrites(world)).toEqual({ 'write-c-1': 'undone', 'write-c-2': 'written' });
    const left = await listWrites(world.store.reader, RUN);
    expect(left.map((write) => write.id)).toEqual(['write-c-2']);
  });

  it('touches the contact of its own integration alone', async () => {
    const world = await createWorld();
    const elsewhere = { ...world, lease: await takeLease(world.store, 'lakeside') };
    await makeReady(world, ['c-1']);
    await readPage(elsewhere, [readContact('c-1')]);
    await intend(world, ['c-1']);
    await record(world, [delivered('c-1')]);
    const [write] = await listWrites(world.store.reader, RUN);
    await world.store.checkpoint(world.lease, (trx) =>
      recordUndoneWrite(trx, writeOf(write), {
        owned: { Age: 'fingerprint of 40' },
        left: {},
      }),
    );
    const found = await findContacts(world.store.reader, 'lakeside', ['c-1']);
    expect(found.get('c-1')).toMatchObject({ ownedValues: '{}' });
  });

  function writeOf(row: WriteRecord | undefined): WriteRecord {
    if (!row) throw new Error('The run wrote nothing');
    return row;
  }
});

describeOn('sqlite', 'parseOwned', () => {
  it('refuses what is not a text for each field', () => {
    expect(parseOwned('{"Age":"fingerprint"}')).toEqual({ Age: 'fingerprint' });
    expect(() => parseOwned('{"Age":41}')).toThrow();
    expect(() => parseOwned('[]')).toThrow();
  });
});

function aWrite(crmId: string, changes: Partial<IntendedWrite> = {}): IntendedWrite {
  return {
    id: `write-${crmId}`,
    crmId,
    before: `sealed values of ${crmId}`,
    after: { Age: 'fingerprint of 41' },
    ownedBefore: {},
    donorBefore: null,
    donor: null,
    introducer: '',
    contact: `fingerprint of ${crmId}`,
    introduced: {},
    named: {},
    called: null,
    ...changes,
  };
}

function ending(
  crmId: string,
  reason: Delivery['reason'],
  end: Delivery['end'],
  detail: string | null = null,
): Delivery {
  return { crmId, trackingId: trackingIdOf(crmId), reason, detail, end };
}

function delivered(
  crmId: string,
  {
    owned = { Age: 'fingerprint of 41' },
    writeId = `write-${crmId}`,
    detail = null,
  }: { owned?: Record<string, string>; writeId?: string | null; detail?: string | null } = {},
): Delivery {
  const end = {
    kind: 'delivered',
    identity: 'identity',
    donorId: `donor of ${crmId}`,
    owned,
    writeId,
  } as const;
  return ending(crmId, 'fields_written', end, detail);
}

function postponed(
  crmId: string,
  { writeId = null, enhanced = true }: { writeId?: string | null; enhanced?: boolean } = {},
): Delivery {
  const end = { kind: 'postponed', writeId, enhanced } as const;
  return ending(crmId, 'crm_refused', end, 'the record is locked');
}

function intend({ store, lease }: StoreWorld, ids: readonly string[]): Promise<void> {
  return recordIntendedWrites(
    store,
    lease,
    RUN,
    ids.map((id) => aWrite(id)),
  );
}

function record(
  { store, lease }: StoreWorld,
  deliveries: readonly Delivery[],
  runId = RUN,
): Promise<void> {
  return store.checkpoint(lease, (trx) => recordDeliveries(trx, runId, deliveries));
}

/** Returns the state of each write, by its id. */
async function stateOfWrites({ db }: StoreWorld): Promise<Record<string, string>> {
  const rows = await db.selectFrom('writes').select(['id', 'state']).execute();
  return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
}
