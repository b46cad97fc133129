import { expect, it } from 'vitest';
import type { ComputedPath } from '../../src/paths/statements/computed-paths.ts';
import type { PathScope } from '../../src/paths/statements/stale-paths.ts';
import {
  countStalePaths,
  listStalePaths,
  markStalePaths,
  recordComputedPaths,
  type StaleContact,
} from '../../src/paths/statements/warm-paths.ts';
import { recordRunBegin } from '../../src/sync/statements/runs.ts';
import { contactOf, contactRow, crmIds, putContacts } from '../contacts/contact-stages.ts';
import {
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
  takeLease,
} from '../database/store-world.ts';
import { eraseContact } from '../helpers/erasing.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';

const SCOPE: PathScope = {
  settings: 'fingerprint of the settings',
  members: { board: ['maria', 'ben'], staff: ['carl'] },
  computedBefore: null,
};

/** Stores contacts that are all different donors. Their names are `donor of c-000`, `donor of c-001` and so on. */
async function putDonors(world: StoreWorld, ids: readonly string[]): Promise<void> {
  await putContacts(
    world,
    ids.map((crmId) => contactRow({ crm_id: crmId, donor_id: donorOf(crmId), enhanced_at: 1 })),
  );
}

function donorOf(crmId: string): string {
  return `donor of ${crmId}`;
}

/** Examines all contacts. Returns the contacts whose paths are stale. */
async function stale(
  { store, lease }: StoreWorld,
  scope: Partial<PathScope> = {},
): Promise<string[]> {
  await store.checkpoint(lease, (trx) => markStalePaths(trx, { ...SCOPE, ...scope }));
  return (await listAll(store)).map(({ crmId }) => crmId);
}

function listAll(
  store: StoreWorld['store'],
  only: readonly string[] | null = null,
): Promise<StaleContact[]> {
  return listStalePaths(store.reader, INTEGRATION, { after: null, limit: 1_000, only });
}

/** Returns a path through these members, the best member first, or null for a contact without a path. */
function computed(
  crmId: string,
  connecting: readonly string[] | null,
  changes: Partial<ComputedPath> = {},
): ComputedPath {
  const [introducerId = 'maria'] = connecting ?? [];
  const isNone = connecting?.length === 0;
  return {
    ...{ crmId, donorId: donorOf(crmId), inCrm: `fingerprint for ${crmId}`, written: null },
    path: isNone
      ? null
      : { strength: 0.712345, people: 1, introducerId, networkId: 'board', connecting },
    ...changes,
  };
}

/**
 * Computes the paths of all contacts. One path is through Maria, and one is through Ben and Maria. The third contact
 * has no path.
 */
async function computedWorld(world: StoreWorld): Promise<StoreWorld> {
  await putDonors(world, crmIds(3));
  await stale(world);
  await world.clock.advance(10);
  await world.store.checkpoint(world.lease, (trx) =>
    recordComputedPaths(trx, RUN, [
      computed('c-000', ['maria']),
      computed('c-001', ['ben', 'maria']),
      computed('c-002', []),
    ]),
  );
  return world;
}

describeEachDatabase('stale warm paths', (open) => {
  const createWorld = storeWorlds(open);
  const createComputed = async () => computedWorld(await createWorld());

  it('are those of all contacts with a donor at first', async () => {
    const world = await createWorld();
    await putDonors(world, crmIds(131));
    await putContacts(world, [contactRow({ crm_id: 'no-donor', donor_id: null })]);
    expect(await stale(world)).toEqual(crmIds(131));
    expect(await countStalePaths(world.store.reader, INTEGRATION, null)).toBe(131);
  });

  it('are none once all are computed and nothing has changed', async () => {
    expect(await stale(await createComputed())).toEqual([]);
  });

  it('are all if a person joins, or if the settings change', async () => {
    const world = await createComputed();
    const members = { ...SCOPE.members, staff: ['carl', 'dora'] };
    expect(await stale(world, { members })).toEqual(crmIds(3));
    expect((await listAll(world.store)).map(({ inCrm }) => inCrm)).not.toContain(null);
    expect(await stale(world, { members, settings: 'another fingerprint' })).toEqual(crmIds(3));
    expect((await listAll(world.store)).map(({ inCrm }) => inCrm)).toEqual([null, null, null]);
  });

  it('are those through a member who left, and the leaver’s own', async () => {
    const world = await createComputed();
    expect(await stale(world, { members: { board: ['maria', 'ben'] } })).toEqual([]);
    expect(await stale(world, { members: { board: ['maria'] } })).toEqual(['c-001']);
    const own = await computedWorld(await createWorld());
    const members = { board: ['maria', 'ben', donorOf('c-002')] };
    await stale(own, { members });
    await own.store.checkpoint(own.lease, (trx) =>
      recordComputedPaths(
        trx,
        RUN,
        crmIds(3).map((id) => computed(id, [])),
      ),
    );
    expect(await stale(own, { members: { board: ['maria', 'ben'] } })).toEqual(['c-002']);
  });

  it('are also those of which it is not known whether the leaver is part', async () => {
    const world = await createComputed();
    await world.store.checkpoint(world.lease, (trx) =>
      recordComputedPaths(trx, RUN, [computed('c-000', null)]),
    );
    expect(await stale(world, { members: { board: ['maria', 'ben'] } })).toEqual(['c-000']);
  });

  it('are remembered until they are computed', async () => {
    const world = await createComputed();
    const members = { board: ['maria'] };
    await stale(world, { members });
    expect(await stale(world, { members })).toEqual(['c-001']);
  });

  it('are those of contacts that were enhanced since, with their present donor', async () => {
    const world = await createComputed();
    const { db } = world;
    await db
      .updateTable('contacts')
      .set({ enhanced_at: START_MS + 11, outcome_run: RUN })
      .where('crm_id', '=', 'c-000')
      .execute();
    await db
      .updateTable('contacts')
      .set({ donor_id: 'the other donor', outcome_run: RUN })
      .where('crm_id', '=', 'c-002')
      .execute();
    await stale(world);
    expect((await listAll(world.store)).map(({ donorId }) => donorId).sort()).toEqual([
      donorOf('c-000'),
      'the other donor',
    ]);
  });

  it('are also those that a run has enhanced which died before it came to its paths', async () => {
    const world = await createComputed();
    const { db, store, clock } = world;
    await stale(world);
    const died = await takeLease(store, INTEGRATION);
    await store.checkpoint(died, (trx) => recordRunBegin(trx, 'run-2', 'schedule', null));
    await clock.advance(10);
    await putContacts(world, [
      contactRow({ crm_id: 'c-new', donor_id: 'the new one', outcome_run: 'run-2' }),
    ]);
    await db
      .updateTable('contacts')
      .set({ enhanced_at: clock.now(), outcome_run: 'run-2' })
      .where('crm_id', '=', 'c-001')
      .execute();
    const lease = await takeLease(store, INTEGRATION);
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'run-3', 'schedule', null));
    expect((await stale({ ...world, lease })).sort()).toEqual(['c-001', 'c-new']);
  });

  it('are looked for among all contacts again once the settings have changed', async () => {
    const world = await createComputed();
    await stale(world);
    await putContacts(world, [
      contactRow({ crm_id: 'c-odd', donor_id: 'odd', outcome_run: 'run of another time' }),
    ]);
    expect(await stale(world)).toEqual([]);
    expect((await stale(world, { settings: 'another fingerprint' })).sort()).toEqual([
      ...crmIds(3),
      'c-odd',
    ]);
  });

  it('are those that are old', async () => {
    const world = await createComputed();
    expect(await stale(world, { computedBefore: START_MS + 10 })).toEqual([]);
    expect(await stale(world, { computedBefore: START_MS + 11 })).toEqual(crmIds(3));
  });

  it('are not those of people who left or opted out', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'gone', state: 'removed' }),
      contactRow({ crm_id: 'out', eligible: 0, has_opted_out: 1, outcome_reason: 'opted_out' }),
      contactRow({ crm_id: 'nameless', eligible: 0, outcome_reason: 'last_name_missing' }),
    ]);
    expect(await stale(world)).toEqual(['nameless']);
  });

  it('come in portions without a gap, the never computed first and one donor’s side by side', async () => {
    const world = await createComputed();
    await putContacts(
      world,
      ['x-1', 'x-2', 'x-3'].map((crmId) =>
        contactRow({ crm_id: crmId, donor_id: crmId === 'x-2' ? 'a' : 'b' }),
      ),
    );
    await world.store.checkpoint(world.lease, (trx) =>
      markStalePaths(trx, { ...SCOPE, settings: 'new' }),
    );
    const seen: string[] = [];
    let after: StaleContact | null = null;
    for (let portion = 0; portion < 4; portion++) {
      const some: StaleContact[] = await listStalePaths(world.store.reader, INTEGRATION, {
        ...{ after, limit: 2, only: null },
      });
      seen.push(...some.map(({ crmId }) => crmId));
      after = some.at(-1) ?? after;
    }
    expect(seen).toEqual(['x-2', 'x-1', 'x-3', ...crmIds(3)]);
    expect(await listAll(world.store, ['x-1'])).toHaveLength(1);
  });

  it('go with a contact that is forgotten', async () => {
    const world = await createComputed();
    await eraseContact(world.store, INTEGRATION, 'c-000');
    const rows = await world.db.selectFrom('warm_paths').select('crm_id').execute();
    expect(rows.map((row) => row.crm_id).sort()).toEqual(['c-001', 'c-002']);
  });
});

describeEachDatabase('computed warm paths', (open) => {
  const createWorld = storeWorlds(open);
  const written = {
    reason: 'fields_written',
    detail: null,
    owned: { Path: 'fingerprint' },
    writeId: null,
    isDone: true,
    words: null,
  } as const;

  async function record(world: StoreWorld, changes: Partial<ComputedPath>): Promise<void> {
    const path = computed('c-000', ['maria'], changes);
    await world.store.checkpoint(world.lease, (trx) => recordComputedPaths(trx, RUN, [path]));
  }

  it('change the outcome of a contact to which the run has done nothing else', async () => {
    const world = await computedWorld(await createWorld());
    await record(world, { written });
    expect(await contactOf(world, 'c-000')).toMatchObject({
      outcome_reason: 'fields_written',
      outcome_run: RUN,
      owned_values: '{"Path":"fingerprint"}',
    });
  });

  it.each(['fields_written_some_unfit', 'no_match'] as const)(
    'leave an outcome of the same run alone: %s',
    async (reason) => {
      const world = await computedWorld(await createWorld());
      await world.db
        .updateTable('contacts')
        .set({ outcome_run: RUN, outcome_reason: reason })
        .execute();
      await record(world, { written });
      expect(await contactOf(world, 'c-000')).toMatchObject({
        outcome_reason: reason,
        owned_values: '{"Path":"fingerprint"}',
      });
    },
  );

  it('stay stale if the CRM refused them', async () => {
    const world = await computedWorld(await createWorld());
    await stale(world, { settings: 'new' });
    const refused = { ...written, reason: 'crm_refused', owned: null, isDone: false } as const;
    await record(world, { written: refused });
    expect((await listAll(world.store)).map(({ crmId }) => crmId)).toContain('c-000');
    expect(await contactOf(world, 'c-000')).toMatchObject({
      outcome_reason: 'crm_refused',
      owned_values: '{}',
    });
  });

  it('are recorded only by the holder of the lease', async () => {
    const world = await computedWorld(await createWorld());
    const lease = { ...world.lease, epoch: world.lease.epoch - 1 };
    await expect(
      world.store.checkpoint(lease, (trx) => recordComputedPaths(trx, RUN, [])),
    ).rejects.toThrow();
    await expect(
      world.store.checkpoint(lease, (trx) => markStalePaths(trx, SCOPE)),
    ).rejects.toThrow();
  });
});
