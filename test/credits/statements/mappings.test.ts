import { expect, it } from 'vitest';
import { recordJobProgress } from '../../../src/credits/statements/jobs.ts';
import {
  acceptMappingByPerson,
  acceptMappingByTrial,
  countAnswersByMapping,
  countUnansweredByMapping,
  findMapping,
  recordMappingInUse,
  withdrawMapping,
} from '../../../src/credits/statements/mappings.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { recordDeliveries } from '../../../src/fields/statements/deliveries.ts';
import type { DeliveryEnd } from '../../../src/fields/statements/delivery-ends.ts';
import {
  accept,
  crmIds,
  holdForName,
  makeReady,
  readContact,
  readPage,
  recordIntent,
  trackingIdOf,
} from '../../contacts/contact-stages.ts';
import {
  INTEGRATION,
  KEY,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
} from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const MAPPING = 'mapping-1';
const ALL = { limit: 200 };

/** Starts jobs for contacts under the mapping, in a separate submission. */
async function startUnder(world: StoreWorld, ids: readonly string[], mapping = MAPPING) {
  const submissionId = `submission-of-${ids[0]}`;
  await readPage(
    world,
    ids.map((id) => readContact(id)),
  );
  await recordIntent(world, ids, { submissionId, mapping });
  await accept(world, ids, submissionId);
}

async function complete({ store, lease }: StoreWorld, ids: readonly string[], failed = false) {
  const trackingIds = ids.map(trackingIdOf);
  await store.checkpoint(lease, (trx) =>
    recordJobProgress(trx, RUN, {
      completed: [],
      failed: [],
      vanished: [],
      tooOld: [],
      [failed ? 'failed' : 'completed']: trackingIds,
    }),
  );
}

async function deliver({ store, lease }: StoreWorld, crmId: string, end: DeliveryEnd) {
  const reason = end.kind === 'held' ? 'profile_deceased' : 'fields_written';
  await store.checkpoint(lease, (trx) =>
    recordDeliveries(trx, RUN, [
      { crmId, trackingId: trackingIdOf(crmId), reason, detail: null, end },
    ]),
  );
}

const DELIVERED: DeliveryEnd = {
  kind: 'delivered',
  identity: 'identity',
  donorId: 'd',
  owned: {},
  writeId: null,
};

describeEachDatabase('mappings', (open) => {
  const createWorld = storeWorlds(open);
  const self = { id: RUN, partnerKey: KEY };

  it('are on trial when they are first noted, and accepted once', async () => {
    const { store, lease, clock } = await createWorld();
    await store.checkpoint(lease, (trx) => recordMappingInUse(trx, MAPPING));
    await store.checkpoint(lease, (trx) => recordMappingInUse(trx, MAPPING));
    const row = { integrationId: INTEGRATION, id: MAPPING, firstSeenAt: START_MS };
    const onTrial = { ...row, acceptedAt: null, acceptedBy: null };
    expect(await findMapping(store.reader, INTEGRATION, MAPPING)).toEqual(onTrial);
    await clock.advance(1_000);
    await store.checkpoint(lease, (trx) => acceptMappingByTrial(trx, MAPPING));
    const accepted = { ...row, acceptedAt: START_MS + 1_000, acceptedBy: 'trial' };
    expect(await findMapping(store.reader, INTEGRATION, MAPPING)).toEqual(accepted);
    await store.checkpoint(lease, (trx) => withdrawMapping(trx, MAPPING));
    const withdrawn = { ...row, acceptedAt: null, acceptedBy: 'trial' };
    expect(await findMapping(store.reader, INTEGRATION, MAPPING)).toEqual(withdrawn);
    expect(await findMapping(store.reader, 'lakeside', MAPPING)).toBeUndefined();
  });

  it('stay accepted by a person, noted before or not', async () => {
    const { store, lease } = await createWorld();
    await store.act((trx) => acceptMappingByPerson(trx, INTEGRATION, MAPPING));
    await store.checkpoint(lease, (trx) => recordMappingInUse(trx, MAPPING));
    await store.checkpoint(lease, (trx) => withdrawMapping(trx, MAPPING));
    await store.checkpoint(lease, (trx) => acceptMappingByTrial(trx, MAPPING));
    const accepted = { acceptedAt: START_MS, acceptedBy: 'person' };
    expect(await findMapping(store.reader, INTEGRATION, MAPPING)).toMatchObject(accepted);
  });

  it('count each end of a paid job as known, unknown, or without an answer', async () => {
    const world = await createWorld();
    const { store } = world;
    const ids = ['written', 'refused', 'dead', 'gone', 'failed', 'waiting', 'running'];
    await startUnder(world, ids);
    expect(await countUnansweredByMapping(store.reader, INTEGRATION, MAPPING, self)).toEqual({
      open: 7,
      stuck: 0,
    });
    await complete(world, ['written', 'refused', 'dead', 'gone', 'waiting']);
    await complete(world, ['failed'], true);
    await deliver(world, 'written', DELIVERED);
    await deliver(world, 'refused', { kind: 'postponed', writeId: null, enhanced: true });
    await deliver(world, 'dead', { kind: 'held', donorId: 'd' });
    await deliver(world, 'gone', { kind: 'dropped', removed: true });
    const known = { answered: 4, known: 3 };
    expect(await countAnswersByMapping(store.reader, INTEGRATION, MAPPING, ALL)).toEqual(known);
    expect(await countUnansweredByMapping(store.reader, INTEGRATION, MAPPING, self)).toEqual({
      open: 2,
      stuck: 0,
    });
    expect(await countAnswersByMapping(store.reader, INTEGRATION, 'mapping-2', ALL)).toEqual({
      answered: 0,
      known: 0,
    });
  });

  it('count what this run cannot see answered as stuck', async () => {
    const world = await createWorld();
    const { store, lease } = world;
    await startUnder(world, ['unread', 'running']);
    await complete(world, ['unread']);
    await store.checkpoint(lease, (trx) =>
      recordDeliveries(trx, RUN, [
        {
          crmId: 'unread',
          trackingId: trackingIdOf('unread'),
          detail: null,
          reason: 'profile_unreadable',
          end: { kind: 'postponed', writeId: null, enhanced: false },
        },
      ]),
    );
    await readPage(world, [readContact('intended')]);
    await recordIntent(world, ['intended'], { submissionId: 's-2', mapping: MAPPING });
    const of = (run: typeof self) =>
      countUnansweredByMapping(store.reader, INTEGRATION, MAPPING, run);
    expect(await of(self)).toEqual({ open: 2, stuck: 1 });
    expect(await of({ ...self, id: 'run-2' })).toEqual({ open: 3, stuck: 0 });
    // A run with the same key settles the submission.
    expect(await of({ ...self, partnerKey: 'key-2' })).toEqual({ open: 1, stuck: 2 });
  });

  it('count the last answers alone, and those after an instant', async () => {
    const world = await createWorld();
    const { store, clock } = world;
    const ids = crmIds(6);
    await startUnder(world, ids);
    await complete(world, ids.slice(0, 3));
    for (const id of ids.slice(0, 3)) await deliver(world, id, DELIVERED);
    await clock.advance(1_000);
    await complete(world, ids.slice(3), true);
    const count = (query: { limit: number; since?: number }) =>
      countAnswersByMapping(store.reader, INTEGRATION, MAPPING, query);
    expect(await count(ALL)).toEqual({ answered: 6, known: 3 });
    expect(await count({ limit: 4 })).toEqual({ answered: 4, known: 1 });
    expect(await count({ ...ALL, since: START_MS })).toEqual({ answered: 3, known: 0 });
  });

  it('count a hold that a person approved as known, and one that is rejected not', async () => {
    const world = await createWorld();
    const { store } = world;
    await holdForName(world, ['c-1', 'c-2']);
    await world.db.updateTable('submissions').set({ mapping: MAPPING }).execute();
    const count = () => countAnswersByMapping(store.reader, INTEGRATION, MAPPING, ALL);
    expect(await count()).toEqual({ answered: 2, known: 0 });
    const [one, two] = await listOpenQuestions(store.reader);
    if (!one || !two) throw new Error('There are not two holds');
    await recordDecision(store, one, 'approved');
    await recordDecision(store, two, 'rejected');
    expect(await count()).toEqual({ answered: 2, known: 1 });
  });

  it('leave out jobs that cost nothing, since another one tells the same', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1']);
    await world.db.updateTable('submissions').set({ mapping: MAPPING }).execute();
    await world.db.updateTable('jobs').set({ shared_from: 'tracking-of-another' }).execute();
    expect(await countUnansweredByMapping(world.store.reader, INTEGRATION, MAPPING, self)).toEqual({
      open: 0,
      stuck: 0,
    });
  });
});
