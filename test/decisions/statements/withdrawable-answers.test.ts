import { expect, it } from 'vitest';
import type { Actor } from '../../../src/core/actor.ts';
import type { QueuePage } from '../../../src/decisions/statements/decision-queue.ts';
import {
  type Answer,
  WITHDRAWABLE_MS,
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

/** Notes a decision of Pat's; fails if one about the same waits already. */
async function waiting({ store }: StoreWorld, decision = about()): Promise<string> {
  const id = await store.actingAs(PAT).decisions.give(decision);
  if (id === null) throw new Error('it waits already');
  return id;
}

async function queued({ store }: StoreWorld, changes: Partial<QueuePage> = {}): Promise<string[]> {
  const rows = await store.decisions.listPage({ ...FIRST_PAGE, ...changes });
  return rows.map(getSubject);
}

describeEachDatabase('decisions that can be taken back', (open) => {
  const createWorld = storeWorlds(open);

  it('change nothing for ten seconds, and count then, as those of who made them', async () => {
    const world = await createWorld();
    const { store, clock } = world;
    await holdForName(world, ['c-1', 'c-2']);
    await waiting(world);
    expect(await store.actingAs(PAT).decisions.give(about({ decision: 'rejected' }))).toBeNull();
    expect(await queued(world)).toEqual(['c-2']);
    await clock.advance(WITHDRAWABLE_MS - 1);
    expect(await store.decisions.applyDue()).toBe(clock.now() + 1);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'held' });
    await clock.advance(1);
    expect(await store.decisions.applyDue()).toBeNull();
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
    expect(await store.decisions.findWithdrawable(id)).toMatchObject({ id, decision: 'approved' });
    expect(await store.decisions.withdraw(id)).toBe(true);
    expect(await store.decisions.withdraw(id)).toBe(false);
    await clock.advance(WITHDRAWABLE_MS);
    await store.decisions.applyDue();
    expect(await contactOf(world, 'c-1')).toEqual(before);
    expect(await queued(world)).toEqual(['c-1']);
    await waiting(world);
  });

  it('count when a run begins, and cannot be taken back from then on', async () => {
    const world = await createWorld();
    const { store } = world;
    await holdForName(world, ['c-1']);
    const id = await waiting(world);
    await store.decisions.applyAll('lakeside');
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'held' });
    await store.decisions.applyAll(INTEGRATION);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'ready' });
    expect(await store.decisions.withdraw(id)).toBe(false);
  });

  it('are either taken back or counted where both are asked for at once', async () => {
    const world = await createWorld();
    const { store } = world;
    const ids = Array.from({ length: 20 }, (_, index) => `c-${index}`);
    await holdForName(world, ids);
    for (const crmId of ids) {
      const id = await waiting(world, about({ subject: trackingIdOf(crmId) }));
      const [isBack] = await Promise.all([
        store.decisions.withdraw(id),
        store.decisions.applyAll(INTEGRATION),
        store.decisions.applyAll(INTEGRATION),
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
    expect(await store.decisions.withdraw(id)).toBe(false);
    await store.decisions.applyAll(INTEGRATION);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'ready' });
  });

  it('yield to what was decided on the command line meanwhile', async () => {
    const world = await createWorld();
    const { store } = world;
    await holdForName(world, ['c-1']);
    await waiting(world);
    const hold = await store.questions.find(trackingIdOf('c-1'));
    if (!hold) throw new Error('no hold');
    expect(await store.questions.decide(hold, 'rejected')).toBe(true);
    await store.decisions.applyAll(INTEGRATION);
    expect(await contactOf(world, 'c-1')).toMatchObject({ outcome_reason: 'rejected_by_person' });
  });

  it('are about a batch, or all holds of a kind that were open when it was said', async () => {
    const world = await createWorld();
    const { store, clock } = world;
    await holdChanged(world, ['b-1', 'b-2']);
    const [batch] = await store.questions.listBatches();
    const subject = batch?.id ?? '';
    await waiting(world, about({ about: 'batch', subject, decision: 'rejected' }));
    expect(await store.decisions.listAnsweredBatches()).toEqual(new Set([subject]));
    await holdForName(world, ['c-1', 'c-2']);
    const kind = { about: 'reason', subject: 'name_mismatch', decision: 'rejected' } as const;
    await waiting(world, about({ ...kind, openedUntil: clock.now() }));
    await world.db
      .updateTable('questions')
      .set({ opened_at: clock.now() + 1 })
      .where('crm_id', '=', 'c-2')
      .execute();
    expect(await queued(world)).toEqual(['c-2']);
    await store.decisions.applyAll(INTEGRATION);
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
    const [, second] = await store.decisions.listPage(FIRST_PAGE);
    if (!second) throw new Error('no second hold');
    const after = [second.openedAt, second.id] as const;
    expect(await queued(world, { after })).toEqual(['c-3']);
    expect(await queued(world, { after, order: 'newest' })).toEqual(['c-1']);
    expect(await queued(world, { order: 'newest' })).toEqual(['c-3', 'c-2', 'c-1']);
    expect(await queued(world, { integrationIds: [] })).toEqual([]);
    expect(await queued(world, { integrationIds: ['lakeside'] })).toEqual([]);
    expect(await queued(world, { reason: 'lost_answer' })).toEqual([]);
    const scope = { integrationIds: [INTEGRATION], reason: null };
    expect(await store.decisions.countByKind(scope)).toEqual([
      { integrationId: INTEGRATION, kind: 'name_mismatch', count: 3 },
    ]);
  });
});
