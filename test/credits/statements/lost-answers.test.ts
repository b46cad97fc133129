import { expect, it } from 'vitest';
import { recordDecidedPage } from '../../../src/contacts/decided-pages.ts';
import {
  findKeyBalance,
  getSpentByRun,
  getSpentSince,
} from '../../../src/credits/statements/balances.ts';
import { recordLostSubmission } from '../../../src/credits/statements/lost-answers.ts';
import { findOpenSubmission } from '../../../src/credits/statements/submissions.ts';
import { listOpenQuestions } from '../../../src/decisions/statements/questions.ts';
import { getSubject } from '../../../src/decisions/views/question.ts';
import {
  chargeLoss,
  contactOf,
  crmIds,
  holdOf,
  jobOf,
  readContact,
  readPage,
  runRow,
  settleLost,
  start,
  submit,
  trackingIdOf,
} from '../../contacts/contact-stages.ts';
import {
  BALANCE,
  INTEGRATION,
  KEY,
  RUN,
  START_MS,
  storeWorlds,
} from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('a lost answer', (open) => {
  const createWorld = storeWorlds(open);

  it('keeps its submission open and notes when it was lost', async () => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await world.clock.advance(1_000);
    await world.store.checkpoint(world.lease, (trx) => recordLostSubmission(trx, 'submission-1'));
    expect(await findOpenSubmission(world.store.reader, KEY)).toMatchObject({
      id: 'submission-1',
      state: 'lost',
      lostAt: START_MS + 1_000,
      closedAt: null,
    });
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'submitted' });
  });

  it('is not lost any more once its answer was recorded', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await world.store.checkpoint(world.lease, (trx) => recordLostSubmission(trx, 'submission-1'));
    expect(await findOpenSubmission(world.store.reader, KEY)).toBeUndefined();
  });

  it.each([true, false])(
    'makes its contacts due again if nothing was charged (noted as lost: %s)',
    async (lost) => {
      const world = await createWorld();
      await submit(world, ['c-1', 'c-2']);
      if (lost)
        await world.store.checkpoint(world.lease, (trx) =>
          recordLostSubmission(trx, 'submission-1'),
        );
      await settleLost(world, { id: 'submission-1', run: null, loss: null }, BALANCE + 5);
      for (const id of ['c-1', 'c-2']) {
        expect(await contactOf(world, id)).toMatchObject({
          state: 'due',
          due_reason: 'never_enhanced',
          asked_identity: null,
          tracking_id: null,
          outcome_reason: 'submission_pending',
        });
        expect(await jobOf(world, id)).toMatchObject({ state: 'unpaid' });
      }
      expect(await findKeyBalance(world.store.reader, KEY)).toEqual({
        balance: BALANCE + 5,
        sequence: 1,
        readAt: START_MS,
      });
      expect(await getSpentByRun(world.store.reader, RUN)).toBe(0);
      expect(await getSpentSince(world.store.reader, INTEGRATION, 0)).toBe(0);
    },
  );

  it('holds its contacts if it was charged, against the identity that was submitted', async () => {
    const world = await createWorld();
    await submit(world, crmIds(31));
    await readPage(world, [readContact('c-000', 'a new identity')], { kind: 'keep' });
    await world.clock.advance(1_000);
    await chargeLoss(world, 'hold', { charged: 31, balance: BALANCE - 31 });
    for (const id of crmIds(31)) {
      expect(await contactOf(world, id)).toMatchObject({
        state: 'held',
        due_reason: null,
        asked_identity: `identity of ${id}`,
        asked_at: START_MS + 1_000,
        // donor-sync has to read the contact again, because the data from the meantime is outdated.
        last_credit: 'outdated',
        // If the contact leaves and returns, the person is submitted again.
        tracking_id: trackingIdOf(id),
        outcome_reason: 'lost_answer',
        outcome_detail: 'the credits left the bucket',
      });
      expect(await jobOf(world, id)).toMatchObject({
        state: 'lost',
        closed_at: START_MS + 1_000,
      });
      expect(await holdOf(world, id)).toEqual({
        about: 'contact',
        id: trackingIdOf(id),
        integrationId: INTEGRATION,
        crmId: id,
        kind: 'lost_answer',
        trackingId: trackingIdOf(id),
        detail: 'the credits left the bucket',
        openedAt: START_MS + 1_000,
        decision: null,
        decidedAt: null,
        batch: null,
      });
    }
  });

  it('makes its contacts due once more if it was charged and the settings allow it', async () => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await readPage(world, [readContact('c-1', 'a new identity')], { kind: 'keep' });
    await chargeLoss(world, 'resubmit');
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'due',
      due_reason: 'lost_answer_resubmitted',
      identity: 'a new identity',
      asked_identity: 'identity of c-1',
      asked_at: START_MS,
      tracking_id: null,
      outcome_reason: 'submission_pending',
    });
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'lost' });
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('lets a contact that has left meanwhile go, where the settings allow to submit again', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await world.store.checkpoint(world.lease, (trx) =>
      recordDecidedPage(
        trx,
        { runId: RUN, contacts: [], removed: [{ id: 'c-1', mergedInto: null }], cursor: null },
        () => {
          throw new Error('Nobody was read');
        },
      ),
    );
    await chargeLoss(world, 'resubmit');
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'removed',
      due_reason: null,
      tracking_id: null,
      outcome_reason: 'deleted_in_crm',
    });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'due' });
  });

  it('counts what was charged once, and goes on from the balance that was read', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2', 'c-3']);
    await chargeLoss(world, 'hold', { charged: 2, balance: 700 });
    expect(await findKeyBalance(world.store.reader, KEY)).toEqual({
      balance: 700,
      sequence: 1,
      readAt: START_MS,
    });
    expect(await getSpentByRun(world.store.reader, RUN)).toBe(2);
    expect(await runRow(world)).toMatchObject({ submitted_count: 0 });
    expect(await getSpentSince(world.store.reader, INTEGRATION, 0)).toBe(2);
    expect(await findOpenSubmission(world.store.reader, KEY)).toBeUndefined();
  });

  it('holds no contact that was forgotten before it was settled', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await eraseContact(world.store, INTEGRATION, 'c-1');
    await chargeLoss(world, 'hold', { charged: 2 });
    const holds = await listOpenQuestions(world.store.reader);
    expect(holds.map(getSubject)).toEqual(['c-2']);
  });
});
