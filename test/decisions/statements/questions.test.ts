import { expect, it } from 'vitest';
import {
  findQuestion,
  listOpenQuestions,
  type Question,
  recordDecision,
} from '../../../src/decisions/statements/questions.ts';
import { getSubject } from '../../../src/decisions/views/question.ts';
import { recordDeliveries } from '../../../src/fields/statements/deliveries.ts';
import {
  chargeLoss,
  contactOf,
  holdForName,
  holdOf,
  jobOf,
  readContact,
  readPage,
  submit,
  trackingIdOf,
} from '../../contacts/contact-stages.ts';
import { everything, INTEGRATION, RUN, START_MS, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('holds', (open) => {
  const createWorld = storeWorlds(open);

  it('are listed while they are open, the oldest first and those of one instant by id', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-3', 'c-2']);
    await world.clock.advance(1_000);
    await submit(world, ['c-1', 'c-4'], 'submission-2');
    await chargeLoss(world, 'hold', { submissionId: 'submission-2' });
    const ids = (rows: Question[]) => rows.map(getSubject);
    expect(ids(await listOpenQuestions(world.store.reader))).toEqual(['c-2', 'c-3', 'c-1', 'c-4']);
    expect(ids(await listOpenQuestions(world.store.reader, INTEGRATION))).toEqual([
      'c-2',
      'c-3',
      'c-1',
      'c-4',
    ]);
    expect(await listOpenQuestions(world.store.reader, 'lakeside')).toEqual([]);

    await recordDecision(world.store, await holdOf(world, 'c-3'), 'rejected');
    expect(ids(await listOpenQuestions(world.store.reader))).toEqual(['c-2', 'c-1', 'c-4']);
    expect(await findQuestion(world.store.reader, trackingIdOf('c-3'))).toMatchObject({
      decision: 'rejected',
    });
    expect(await findQuestion(world.store.reader, 'tracking-unknown')).toBeUndefined();
  });

  it('hand an approved contact with its job to delivery', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1', 'c-2']);
    await world.clock.advance(1_000);
    expect(await recordDecision(world.store, await holdOf(world, 'c-1'), 'approved')).toBe(true);
    expect(await holdOf(world, 'c-1')).toMatchObject({
      decision: 'approved',
      decidedAt: START_MS + 1_000,
    });
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'ready',
      tracking_id: trackingIdOf('c-1'),
      outcome_reason: 'delivery_pending',
    });
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'completed' });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'held' });
  });

  it('settle a rejected contact, whose credit stays spent', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1', 'c-2']);
    await world.clock.advance(1_000);
    expect(await recordDecision(world.store, await holdOf(world, 'c-1'), 'rejected')).toBe(true);
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'settled',
      tracking_id: null,
      asked_identity: 'identity of c-1',
      asked_at: START_MS,
      outcome_reason: 'rejected_by_person',
      outcome_at: START_MS + 1_000,
    });
    expect(await jobOf(world, 'c-1')).toMatchObject({
      state: 'delivered',
      closed_at: START_MS + 1_000,
    });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'held' });
    expect(await jobOf(world, 'c-2')).toMatchObject({ state: 'held' });
  });

  it('make a resubmitted contact due for another credit', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    await world.clock.advance(1_000);
    expect(await recordDecision(world.store, await holdOf(world, 'c-1'), 'resubmitted')).toBe(true);
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'due',
      due_reason: 'resubmitted_by_person',
      asked_identity: null,
      last_credit: 'in_vain',
      tracking_id: null,
      outcome_reason: 'submission_pending',
    });
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'delivered' });
  });

  it.each([
    ['resubmitted', 'due'],
    ['rejected', 'settled'],
  ] as const)('of a lost answer can be %s; its job stays lost', async (decision, state) => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await chargeLoss(world, 'hold');
    expect(await recordDecision(world.store, await holdOf(world, 'c-1'), decision)).toBe(true);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state });
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'lost' });
  });

  it('are decided once: a second decision changes nothing and says so', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    const hold = await holdOf(world, 'c-1');
    await recordDecision(world.store, hold, 'rejected');
    await world.clock.advance(1_000);
    const before = await everything(world.db);
    expect(await recordDecision(world.store, hold, 'approved')).toBe(false);
    expect(await recordDecision(world.store, hold, 'resubmitted')).toBe(false);
    expect(await everything(world.db)).toEqual(before);
  });

  it('take one of two decisions that come at the same time', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    const hold = await holdOf(world, 'c-1');
    const [approved, rejected] = await Promise.all([
      recordDecision(world.store, hold, 'approved'),
      recordDecision(world.store, hold, 'rejected'),
    ]);
    expect([approved, rejected].filter(Boolean)).toHaveLength(1);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: approved ? 'ready' : 'settled' });
    expect(await holdOf(world, 'c-1')).toMatchObject({
      decision: approved ? 'approved' : 'rejected',
    });
  });

  it('cannot be decided any more once a new identity has superseded them', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    const hold = await holdOf(world, 'c-1');
    await readPage(world, [readContact('c-1', 'a new identity')]);
    const before = await contactOf(world, 'c-1');
    expect(await recordDecision(world.store, hold, 'approved')).toBe(false);
    expect(await contactOf(world, 'c-1')).toEqual(before);
  });

  it('are opened once for each contact, and say why it is held now', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    const delivery = {
      crmId: 'c-1',
      trackingId: trackingIdOf('c-1'),
      reason: 'name_mismatch',
      detail: 'again',
      end: { kind: 'held', donorId: 'donor-1' },
    } as const;
    await world.store.checkpoint(world.lease, (trx) => recordDeliveries(trx, RUN, [delivery]));
    expect(await listOpenQuestions(world.store.reader)).toHaveLength(1);
    expect(await holdOf(world, 'c-1')).toMatchObject({ detail: 'again' });
  });
});
