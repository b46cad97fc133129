import { expect, it } from 'vitest';
import { holdRestored } from '../../../src/backup/restores.ts';
import type { Actor } from '../../../src/core/actor.ts';
import { listBatches } from '../../../src/decisions/statements/batches.ts';
import type { QueuePage } from '../../../src/decisions/statements/decision-queue.ts';
import {
  countQueue,
  listAnsweredBatches,
  listQueuePage,
} from '../../../src/decisions/statements/decision-queue.ts';
import { findQuestion, recordDecision } from '../../../src/decisions/statements/questions.ts';
import {
  type Answer,
  applyAllAnswers,
  applyDueAnswers,
  findWithdrawableAnswer,
  giveAnswer,
  WITHDRAWABLE_MS,
  withdrawAnswer,
} from '../../../src/decisions/statements/withdrawable-answers.ts';
import { getSubject } from '../../../src/decisions/views/question.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import {
  contactOf,
  holdChanged,
  holdForName,
  trackingIdOf,
} from '../../contacts/contact-stages.ts';
import { INTEGRATION, type StoreWorld, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const PAT: Actor = { kind: 'session', name: 'Pat', from: '192.0.2.7' };

const FIRST_PAGE: QueuePage = {
  integrationIds: null,
  reason: null,
  order: 'oldest',
  after: null,
  limit: 10,
};

function about(changes: Partial<Answer> = {}): Answer {
  return {
    integrationId: INTEGRATION,
    about: 'contact',
    subject: trackingIdOf('c-1'),
    decision: 'approved',
    openedUntil: null,
    ...changes,
  };
}

/** Records a decision by Pat. Fails if a different decision about the same subject is already waiting. */
async function waiting({ store }: StoreWorld, decision = about()): Promise<string> {
  const id = await store.actingAs(PAT).act((trx) => giveAnswer(trx, decision));
  if (id === null) throw new Error('it waits already');
  return id;
}

async function queued({ store }: StoreWorld, changes: Partial<QueuePage> = {}): Promise<string[]> {
  const rows = await listQueuePage(store.reader, { ...FIRST_PAGE, ...changes });
  return rows.map(getSubject);
}

describeEachDatabase('decisions that can be taken back', (open) => {
  const createWorld = storeWorlds(open);

  it('change nothing for ten seconds, and count then, as those of who made them', async () => {
    const world = await createWorld();
    const { store, clock } = world;
    await holdForName(world, ['c-1', 'c-2']);
    await waiting(world);
    expect(
      await store.actingAs(PAT).act((trx) => giveAnswer(trx, about({ decision: 'rejected' }))),
    ).toBeNull();
    expect(await queued(world)).toEqual(['c-2']);
    await clock.advance(WITHDRAWABLE_MS - 1);
    expect(await applyDueAnswers(store)).toBe(clock.now() + 1);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'held' });
    await clock.advance(1);
    expect(await applyDueAnswers(store)).toBeNull();
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'ready' });
    expect((await listAuditEntries(store, { limit: 1 }))[0]).toMatchObject({
      action: 'hold.decided',
      actor: PAT,
    });
    expect(await world.db.selectFrom('answers').selectAll().execute()).toEqual([]);
  });

  it('leave everything as it was where they are taken back', async () => {
    const world = await createWorld();
    const { store, clock } = world;
    await holdForName(world, ['c-1']);
    const before = await contactOf(world, 'c-1');
    const id = await waiting(world);
    expect(await findWithdrawableAnswer(store.reader, id)).toMatchObject({
      id,
      decision: 'approved',
    });
    expect(await withdrawAnswer(store.connection, id)).toBe(true);
    expect(await withdrawAnswer(store.connection, id)).toBe(false);
    await clock.advance(WITHDRAWABLE_MS);
    await applyDueAnswers(store);
    expect(await contactOf(world, 'c-1')).toEqual(before);
    expect(await queued(world)).toEqual(['c-1']);
    await waiting(world);
  });

  it('count when a run begins, and cannot be taken back from then on', async () => {
    const world = await createWorld();
    const { store } = world;
    await holdForName(world, ['c-1']);
    const id = await waiting(world);
    await applyAllAnswers(store, 'lakeside');
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'held' });
    await applyAllAnswers(store, INTEGRATION);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'ready' });
    expect(await withdrawAnswer(store.connection, id)).toBe(false);
  });

  it('are either taken back or counted where both are asked for at once', async () => {
    const world = await createWorld();
    const { store } = world;
    const ids = Array.from({ length: 20 }, (_, index) => `c-${index}`);
    await holdForName(world, ids);
    for (const crmId of ids) {
      const id = await waiting(world, about({ subject: trackingIdOf(crmId) }));
      const [isBack] = await Promise.all([
        withdrawAnswer(store.connection, id),
        applyAllAnswers(store, INTEGRATION),
        applyAllAnswers(store, INTEGRATION),
      ]);
      expect((await contactOf(world, crmId)).state).toBe(isBack ? 'held' : 'ready');
    }
  });

  it('are done to their end by the next one where a process ended in the middle', async () => {
    const world = await createWorld();
    const { store } = world;
    await holdForName(world, ['c-1']);
    const id = await waiting(world);
    await world.db.updateTable('answers').set({ claimed_at: 1 }).execute();
    expect(await withdrawAnswer(store.connection, id)).toBe(false);
    await applyAllAnswers(store, INTEGRATION);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'ready' });
  });

  it('yield to what was decided on the command line meanwhile', async () => {
    const world = await createWorld();
    const { store } = world;
    await holdForName(world, ['c-1']);
    await waiting(world);
    const hold = await findQuestion(store.reader, trackingIdOf('c-1'));
    if (!hold) throw new Error('no hold');
    expect(await recordDecision(store, hold, 'rejected')).toBe(true);
    await applyAllAnswers(store, INTEGRATION);
    expect(await contactOf(world, 'c-1')).toMatchObject({ outcome_reason: 'rejected_by_person' });
  });

  it('do not come into force in a restored database, where they may have been taken back since', async () => {
    const world = await createWorld();
    const { store, db, clock } = world;
    await holdForName(world, ['c-1', 'c-2']);
    await waiting(world);
    const claimed = await waiting(world, about({ subject: trackingIdOf('c-2') }));
    await db.updateTable('answers').set({ claimed_at: 1 }).where('id', '=', claimed).execute();
    await store.act((trx) =>
      holdRestored(trx, [INTEGRATION], { madeAt: null, unknownAfter: null, isJournaled: false }),
    );
    await clock.advance(WITHDRAWABLE_MS);
    await applyDueAnswers(store);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'held' });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready' });
    expect(await queued(world)).toEqual(['c-1']);
  });

  it('are about a batch, or all holds of a kind that were open when it was said', async () => {
    const world = await createWorld();
    const { store, clock } = world;
    await holdChanged(world, ['b-1', 'b-2']);
    const [batch] = await listBatches(store.reader);
    const subject = batch?.id ?? '';
    const openedUntil = clock.now();
    await waiting(world, about({ about: 'batch', subject, decision: 'rejected', openedUntil }));
    expect(await listAnsweredBatches(store.reader)).toEqual(new Set([subject]));
    await holdForName(world, ['c-1', 'c-2']);
    const kind = { about: 'reason', subject: 'name_mismatch', decision: 'rejected' } as const;
    await waiting(world, about({ ...kind, openedUntil }));
    await world.db
      .updateTable('questions')
      .set({ opened_at: clock.now() + 1 })
      .where('crm_id', '=', 'c-2')
      .execute();
    expect(await queued(world)).toEqual(['c-2']);
    await applyAllAnswers(store, INTEGRATION);
    for (const crmId of ['b-1', 'b-2', 'c-1']) {
      expect(await contactOf(world, crmId)).toMatchObject({ state: 'settled' });
    }
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'held' });
  });

  it('leave a queue that is read in pages, from either end, and counted', async () => {
    const world = await createWorld();
    const { store } = world;
    await holdForName(world, ['c-1', 'c-2', 'c-3']);
    expect(await queued(world, { limit: 2 })).toEqual(['c-1', 'c-2']);
    const [, second] = await listQueuePage(store.reader, FIRST_PAGE);
    if (!second) throw new Error('no second hold');
    const after = [second.openedAt, second.id] as const;
    expect(await queued(world, { after })).toEqual(['c-3']);
    expect(await queued(world, { after, order: 'newest' })).toEqual(['c-1']);
    expect(await queued(world, { order: 'newest' })).toEqual(['c-3', 'c-2', 'c-1']);
    expect(await queued(world, { integrationIds: [] })).toEqual([]);
    expect(await queued(world, { integrationIds: ['lakeside'] })).toEqual([]);
    expect(await queued(world, { reason: 'lost_answer' })).toEqual([]);
    const scope = { integrationIds: [INTEGRATION], reason: null };
    expect(await countQueue(store.reader, scope)).toEqual([
      { integrationId: INTEGRATION, kind: 'name_mismatch', count: 3 },
    ]);
  });
});
