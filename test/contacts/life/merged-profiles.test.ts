import { expect, it } from 'vitest';
import { listReadyJobs, recordJobProgress } from '../../../src/credits/statements/jobs.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { getSubject } from '../../../src/decisions/views/question.ts';
import { recordDeliveries } from '../../../src/fields/statements/deliveries.ts';
import { NEXT_READING } from '../../../src/identity/identity-text.ts';
import {
  BALANCE,
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
} from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import {
  accept,
  chargeLoss,
  contactOf,
  contactRow,
  holdChanged,
  holdForName,
  jobOf,
  makeReady,
  putContacts,
  readContact,
  readPage,
  settleLost,
  start,
  submit,
  trackingIdOf,
} from '../contact-stages.ts';
import { endJob, NO_PROGRESS, OPTED_OUT, refuse, remove, submittedAgain } from './life-stages.ts';

const ENDS_IN_VAIN = [
  ['cost nothing', refuse],
  ['is lost and cost nothing', (world: StoreWorld) => settleUnpaid(world)],
  ['is lost where it may be submitted again', (world: StoreWorld) => chargeLoss(world, 'resubmit')],
  ['says that it is refused', (world: StoreWorld) => refuse(world, trackingIdOf('c-2'))],
  ['leads to a job that fails', (world: StoreWorld) => endAccepted(world, 'failed')],
  ['leads to a job that vanishes', (world: StoreWorld) => endAccepted(world, 'vanished')],
] as const;

describeEachDatabase('a contact that another one becomes a part of', (open) => {
  const createWorld = storeWorlds(open);

  it('is removed when it is merged while its job runs, which the other one has then', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
    expect(await contactOf(world, 'c-2')).toMatchObject({
      state: 'submitted',
      tracking_id: trackingIdOf('c-1'),
    });
  });

  it.each([
    ['is not kept by the service any more', 8, 'identity_changed'],
    ['had grown old', 6, 'profile_old'],
  ] as const)(
    'takes its submission along in a merge if its profile %s',
    async (_, days, reason) => {
      const world = await submittedAgain(await createWorld(), days * 86_400_000, reason);
      await remove(world, 'c-1', 'c-2');
      const tracking_id = trackingIdOf('c-1');
      expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'submitted', tracking_id });
      expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
    },
  );

  it('waits for the answer of its own submission when only an older profile is moved', async () => {
    const world = await submittedAgain(await createWorld(), 6 * 86_400_000, 'identity_changed');
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready', tracking_id: 'older' });
    await accept(world, ['c-1']);
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'submitted',
      tracking_id: trackingIdOf('c-1'),
      asked_at: START_MS,
    });
  });

  it.each(ENDS_IN_VAIN)(
    'gets the profile of one that became a part of it while its answer was open, which %s',
    async (_, end) => {
      const world = await createWorld();
      await takenInWhileAsked(world, [['c-1', 'c-2']]);
      await end(world);
      const ready = { state: 'ready', tracking_id: trackingIdOf('c-1'), due_reason: null };
      expect(await contactOf(world, 'c-2')).toMatchObject(ready);
      expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
    },
  );

  it.each([
    ['cost nothing', refuse, 'ready'],
    ['was charged', (w: StoreWorld) => chargeLoss(w, 'resubmit'), 'due'],
  ] as const)(
    'takes over from its part what cannot be fetched any more only if nothing was spent on it: its answer %s',
    async (_, end, state) => {
      const world = await createWorld();
      await takenInWhileAsked(world, [['c-1', 'c-2']]);
      const old = { submitted_at: START_MS - 8 * 86_400_000 };
      await world.db.updateTable('jobs').set(old).where('crm_id', '=', 'c-1').execute();
      await end(world);
      expect(await contactOf(world, 'c-2')).toMatchObject({ state });
    },
  );

  it('keeps its own profile if it takes in another one while it is away, and counts as unchanged once it is back', async () => {
    const world = await createWorld();
    const gone = { crm_id: 'c-1', state: 'removed', departure_read: 1 } as const;
    await putContacts(world, [contactRow(gone), contactRow({ crm_id: 'c-2' })]);
    await remove(world, 'c-2', 'c-1');
    const kept = { state: 'removed', asked_identity: NEXT_READING, donor_id: 'donor-1' };
    expect(await contactOf(world, 'c-1')).toMatchObject(kept);
  });

  it('counts as unchanged if it takes in another one while it waits as one of many that changed', async () => {
    const world = await createWorld();
    await holdChanged(world, ['c-1']);
    await putContacts(world, [contactRow({ crm_id: 'c-2' })]);
    await remove(world, 'c-2', 'c-1');
    const kept = { state: 'held', asked_identity: NEXT_READING };
    expect(await contactOf(world, 'c-1')).toMatchObject(kept);
  });

  it.each([
    ['in the same look', (world: StoreWorld) => endBoth(world, 'at once')],
    ['in a later one', (world: StoreWorld) => endBoth(world, 'one after the other')],
  ])(
    'is not asked about again that was not found, if the job of its part vanishes %s',
    async (_, end) => {
      const world = await createWorld();
      await start(world, ['c-1', 'c-2']);
      await remove(world, 'c-1', 'c-2');
      await end(world);
      const row = await contactOf(world, 'c-2');
      expect(row).toMatchObject({ state: 'settled', asked_at: START_MS });
      expect(row.asked_identity).not.toBeNull();
    },
  );

  it('gets the profile of a part of its part', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-3')], OPTED_OUT);
    await makeReady(world, ['c-1'], 'submission-of-c-1');
    await submit(world, ['c-2', 'c-3']);
    await remove(world, 'c-1', 'c-3');
    await remove(world, 'c-3', 'c-2');
    await refuse(world);
    const ready = { state: 'ready', tracking_id: trackingIdOf('c-1') };
    expect(await contactOf(world, 'c-2')).toMatchObject(ready);
  });

  it('gets nothing of one that has come back since', async () => {
    const world = await createWorld();
    await takenInWhileAsked(world, [['c-1', 'c-2']]);
    await readPage(world, [readContact('c-1')], { kind: 'keep' });
    await refuse(world);
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'due', tracking_id: null });
  });

  it('gets nothing if it has left the CRM itself', async () => {
    const world = await createWorld();
    await takenInWhileAsked(world, [['c-1', 'c-2']]);
    await remove(world, 'c-2', null);
    await refuse(world);
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'removed', tracking_id: null });
  });

  it('is as young as its own last credit, which brought nothing, when it inherits an older profile', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1']);
    await world.clock.advance(86_400_000);
    await start(world, ['c-2'], 'submission-2');
    const none = { completed: [], vanished: [], tooOld: [] };
    const failed = [trackingIdOf('c-2')];
    await world.store.checkpoint(world.lease, (trx) =>
      recordJobProgress(trx, RUN, { ...none, failed }),
    );
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({
      ...{ state: 'ready', tracking_id: trackingIdOf('c-1') },
      asked_at: START_MS + 86_400_000,
    });
  });

  it('inherits no profile that waits for a person and cannot be fetched any more, if a credit was spent on it by itself', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1', 'c-3']);
    await world.clock.advance(8 * 86_400_000);
    await start(world, ['c-2'], 'submission-2');
    const none = { completed: [], vanished: [], tooOld: [] };
    const failed = [trackingIdOf('c-2')];
    await world.store.checkpoint(world.lease, (trx) =>
      recordJobProgress(trx, RUN, { ...none, failed }),
    );
    const before = await contactOf(world, 'c-2');
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toEqual(before);
    expect(before).toMatchObject({ state: 'settled', asked_at: START_MS + 8 * 86_400_000 });
    // donor-sync spent no credit on this contact. The data from the other contact explains the new submission.
    await remove(world, 'c-3', 'c-4');
    expect(await contactOf(world, 'c-4')).toMatchObject({ state: 'ready' });
  });

  it('gets the profile of one that became a part of what had become a part of it before that was read', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1']);
    await readPage(world, [readContact('c-2')]);
    await remove(world, 'c-2', 'c-3');
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'removed', tracking_id: null });
    const heir = { state: 'ready', tracking_id: trackingIdOf('c-1') };
    expect(await contactOf(world, 'c-3')).toMatchObject(heir);
  });

  it('gets the answer to the submission of one that became a part of it meanwhile', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-3']);
    await remove(world, 'c-1', 'c-2');
    await remove(world, 'c-3', 'c-4');
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
    await chargeLoss(world, 'hold');
    for (const id of ['c-2', 'c-4']) {
      expect(await contactOf(world, id)).toMatchObject({
        state: 'held',
        outcome_reason: 'lost_answer',
      });
    }
    const open = await listOpenQuestions(world.store.reader, INTEGRATION);
    expect(open.map(getSubject).sort()).toEqual(['c-2', 'c-4']);
  });

  it('comes back with the profile that it got by a merge, not with the question about the other one', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    await remove(world, 'c-1', 'c-2');
    await world.store.checkpoint(world.lease, (trx) =>
      recordDeliveries(trx, RUN, [
        {
          ...{
            crmId: 'c-2',
            trackingId: trackingIdOf('c-1'),
            reason: 'deleted_in_crm',
            detail: null,
          },
          end: { kind: 'dropped', removed: true, mergedInto: null },
        },
      ]),
    );
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'removed' });
    await readPage(world, [readContact('c-2')], { kind: 'resume' });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready' });
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
  });

  it('gets the profile of one that became a part of it while that was written', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1']);
    await remove(world, 'c-1', 'c-2');
    const trackingId = trackingIdOf('c-1');
    const deliver = (crmId: string) =>
      world.store.checkpoint(world.lease, (trx) =>
        recordDeliveries(trx, RUN, [
          {
            ...{ crmId, trackingId, reason: 'fields_written', detail: null },
            end: {
              kind: 'delivered',
              identity: 'identity',
              donorId: 'donor-1',
              owned: {},
              writeId: null,
            },
          },
        ]),
      );
    await deliver('c-1');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready' });
    const limits = { runId: RUN, limit: 10, except: new Set<string>() };
    expect(await listReadyJobs(world.store.reader, INTEGRATION, limits)).toMatchObject([
      { job: { trackingId }, contact: { crmId: 'c-2' } },
    ]);
    await deliver('c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'settled', tracking_id: null });
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'delivered' });
  });

  it('inherits a profile and stays held, as long as a person has to say who it is', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-2')], { kind: 'hold', reason: 'forgotten_person' });
    await makeReady(world, ['c-1']);
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({
      state: 'held',
      tracking_id: trackingIdOf('c-1'),
    });
    const [hold] = await listOpenQuestions(world.store.reader, INTEGRATION);
    if (hold) await recordDecision(world.store, hold, 'approved');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready' });
  });

  it.each(['approved', 'rejected'] as const)(
    'gets the profile that it has inherited once its change, one of many, is %s',
    async (decision) => {
      const world = await createWorld();
      await makeReady(world, ['c-1']);
      await holdChanged(world, ['c-2']);
      // The change made the earlier submission useless.
      await world.db
        .updateTable('contacts')
        .set({ donor_id: null })
        .where('crm_id', '=', 'c-2')
        .execute();
      await remove(world, 'c-1', 'c-2');
      const [hold] = await listOpenQuestions(world.store.reader, INTEGRATION);
      if (hold) await recordDecision(world.store, hold, decision);
      expect(await contactOf(world, 'c-2')).toMatchObject({
        state: 'ready',
        tracking_id: trackingIdOf('c-1'),
      });
    },
  );
});

/** Merges a contact whose profile waits for delivery with a contact whose submission has no response yet. */
async function takenInWhileAsked(world: StoreWorld, ways: readonly [string, string][]) {
  await makeReady(world, ['c-1'], 'submission-of-c-1');
  await submit(world, ['c-2']);
  for (const [loser, winner] of ways) await remove(world, loser, winner);
  expect(await contactOf(world, 'c-2')).toMatchObject({ tracking_id: trackingIdOf('c-2') });
}

async function endBoth(world: StoreWorld, how: 'at once' | 'one after the other') {
  const failed = { ...NO_PROGRESS, failed: [trackingIdOf('c-2')] };
  const vanished = { ...NO_PROGRESS, vanished: [trackingIdOf('c-1')] };
  if (how === 'at once') {
    await world.store.checkpoint(world.lease, (trx) =>
      recordJobProgress(trx, RUN, { ...failed, vanished: vanished.vanished }),
    );
    return;
  }
  await world.store.checkpoint(world.lease, (trx) => recordJobProgress(trx, RUN, failed));
  const taken = { state: 'submitted', tracking_id: trackingIdOf('c-1') };
  expect(await contactOf(world, 'c-2')).toMatchObject(taken);
  await world.store.checkpoint(world.lease, (trx) => recordJobProgress(trx, RUN, vanished));
}

async function settleUnpaid(world: StoreWorld): Promise<void> {
  await settleLost(world, { id: 'submission-1', run: null, loss: null }, BALANCE);
}

async function endAccepted(world: StoreWorld, end: 'failed' | 'vanished'): Promise<void> {
  await accept(world, ['c-2']);
  await endJob(world, end, ['c-2']);
}
