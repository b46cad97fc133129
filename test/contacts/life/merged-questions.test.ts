import { expect, it } from 'vitest';
import { listUnreadContacts } from '../../../src/contacts/contacts.ts';
import { recordDecidedPage } from '../../../src/contacts/decided-pages.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { recordDeliveries } from '../../../src/fields/statements/deliveries.ts';
import { NEXT_READING } from '../../../src/identity/identity-text.ts';
import {
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
} from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import {
  chargeLoss,
  contactOf,
  holdAtDelivery,
  holdForName,
  holdOf,
  noting,
  readContact,
  readPage,
  submit,
  trackingIdOf,
} from '../contact-stages.ts';
import { OPTED_OUT, remove, submittedAgain } from './life-stages.ts';

describeEachDatabase('a contact that takes over what is asked about another one', (open) => {
  const createWorld = storeWorlds(open);

  it('takes the question about its lost answer along in a merge if its older profile is not kept any more', async () => {
    const world = await submittedAgain(await createWorld(), 8 * 86_400_000, 'profile_old');
    await chargeLoss(world, 'hold');
    await remove(world, 'c-1', 'c-2');
    const asked = { state: 'held', outcome_reason: 'lost_answer' };
    expect(await contactOf(world, 'c-2')).toMatchObject(asked);
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toMatchObject([
      { crmId: 'c-2' },
    ]);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
  });

  it('is read again by the next run if it was left out and got a question by a merge', async () => {
    const world = await submittedAgain(await createWorld(), 8 * 86_400_000, 'profile_old');
    await readPage(world, [readContact('c-2')], OPTED_OUT);
    await chargeLoss(world, 'hold');
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({ outcome_reason: 'lost_answer' });
    expect(await listUnreadContacts(world.store.reader, INTEGRATION)).toEqual(['c-2']);
    await readPage(world, [readContact('c-2')], OPTED_OUT);
    const leftOut = { state: 'settled', outcome_reason: 'opted_out', eligible: 0 };
    expect(await contactOf(world, 'c-2')).toMatchObject(leftOut);
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
  });

  it('stays left out if it gets a rejected question by a merge', async () => {
    const world = await submittedAgain(await createWorld(), 8 * 86_400_000, 'profile_old');
    await readPage(world, [readContact('c-2')], OPTED_OUT);
    await chargeLoss(world, 'hold');
    await recordDecision(world.store, await holdOf(world, 'c-1'), 'rejected');
    await remove(world, 'c-1', 'c-2');
    const leftOut = { state: 'settled', outcome_reason: 'opted_out', eligible: 0 };
    expect(await contactOf(world, 'c-2')).toMatchObject({ ...leftOut, asked_at: START_MS });
  });

  it('stays left out when one who was erased becomes a part of it', async () => {
    const { store, lease, ...world } = await createWorld();
    await readPage({ store, lease, ...world }, [readContact('c-1')], OPTED_OUT);
    const removed = [{ id: 'c-2', mergedInto: 'c-1', suspect: 'fingerprint of c-1' }];
    await store.checkpoint(lease, (trx) =>
      recordDecidedPage(
        trx,
        { runId: RUN, contacts: [], removed, cursor: null },
        noting(() => ({ kind: 'keep' })),
      ),
    );
    const leftOut = { state: 'settled', outcome_reason: 'opted_out', eligible: 0 };
    expect(await contactOf({ store, lease, ...world }, 'c-1')).toMatchObject(leftOut);
    expect(await listOpenQuestions(store.reader, INTEGRATION)).toEqual([]);
  });

  it('is asked about in the place of one that became a part of it after its answer was lost', async () => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await chargeLoss(world, 'hold');
    await remove(world, 'c-1', 'c-2');
    await readPage(world, [readContact('c-2')], { kind: 'resume' });
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
    expect(await contactOf(world, 'c-2')).toMatchObject({
      ...{ state: 'held', outcome_reason: 'lost_answer', tracking_id: trackingIdOf('c-1') },
      asked_at: START_MS,
    });
    const [hold] = await listOpenQuestions(world.store.reader, INTEGRATION);
    expect(hold).toMatchObject({ crmId: 'c-2', kind: 'lost_answer' });
    if (hold) await recordDecision(world.store, hold, 'resubmitted');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'due', tracking_id: null });
  });

  it('is asked about in the place of one that became a part of it, and whose profile does not fit either', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    await remove(world, 'c-1', 'c-2');
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
    await holdAtDelivery(world, 'c-2', trackingIdOf('c-1'));
    const [hold, ...others] = await listOpenQuestions(world.store.reader, INTEGRATION);
    expect(hold).toMatchObject({ crmId: 'c-2', kind: 'name_mismatch' });
    expect(others).toEqual([]);
    if (hold) await recordDecision(world.store, hold, 'approved');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready' });
  });

  it('is asked about again, opted in again, and about nothing that was asked of one that became a part of it', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    await remove(world, 'c-1', 'c-2');
    // The opt-out is found when the profile is delivered.
    const end = { kind: 'dropped', removed: false } as const;
    const trackingId = trackingIdOf('c-1');
    await world.store.checkpoint(world.lease, (trx) =>
      recordDeliveries(trx, RUN, [
        { crmId: 'c-2', trackingId, reason: 'opted_out', detail: null, end },
      ]),
    );
    await readPage(world, [readContact('c-2')], { kind: 'resume' });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready' });
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
    await holdAtDelivery(world, 'c-2', trackingId);
    await readPage(world, [readContact('c-2')], OPTED_OUT);
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
    await readPage(world, [readContact('c-2')], { kind: 'resume' });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'held' });
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toMatchObject([
      { crmId: 'c-2' },
    ]);
  });

  it('is asked about in the place of one that was looked at once more, and not the one between them', async () => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await readPage(world, [readContact('c-2')]);
    await remove(world, 'c-2', 'c-3');
    await chargeLoss(world, 'hold');
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'removed' });
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toMatchObject([
      { crmId: 'c-3' },
    ]);
  });

  it('is not paid for in the place of one that a person rejected to have submitted again, through chains', async () => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await chargeLoss(world, 'hold');
    await recordDecision(world.store, await holdOf(world, 'c-1'), 'rejected');
    // The contact opts out before its merge is read, and nothing happens to it after that.
    await readPage(world, [readContact('c-1')], OPTED_OUT);
    await remove(world, 'c-1', 'c-2');
    await remove(world, 'c-2', 'c-3');
    expect(await contactOf(world, 'c-3')).toMatchObject({
      ...{ state: 'settled', outcome_reason: 'rejected_by_person', tracking_id: null },
      ...{ asked_identity: NEXT_READING, asked_at: START_MS, eligible: 1 },
    });
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
  });

  it('is asked about in the place of one that opted out before a person decided', async () => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await chargeLoss(world, 'hold');
    await readPage(world, [readContact('c-1')], OPTED_OUT);
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({
      ...{ state: 'held', outcome_reason: 'lost_answer', tracking_id: trackingIdOf('c-1') },
    });
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toMatchObject([
      { crmId: 'c-2' },
    ]);
  });

  it.each([
    ['whose answer was lost', 'lost_answer', lose],
    ['whose name was asked about', 'name_mismatch', holdOneForName],
  ] as const)(
    'is asked about its job again once it is distinguished, %s',
    async (_, kind, bring) => {
      const world = await createWorld();
      await bring(world);
      const hold = { kind: 'hold', reason: 'forgotten_person' } as const;
      await readPage(world, [readContact('c-1', 'another spelling')], hold);
      const [asked] = await listOpenQuestions(world.store.reader, INTEGRATION);
      expect(asked).toMatchObject({ kind: 'forgotten_person' });
      if (asked) await recordDecision(world.store, asked, 'approved');
      expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toMatchObject([{ kind }]);
      expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'held', outcome_reason: kind });
    },
  );
});

async function lose(world: StoreWorld): Promise<void> {
  await submit(world, ['c-1']);
  await chargeLoss(world, 'hold');
}

async function holdOneForName(world: StoreWorld): Promise<void> {
  await holdForName(world, ['c-1']);
}
