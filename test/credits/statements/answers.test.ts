import { expect, it } from 'vitest';
import { recordRefusedSubmission } from '../../../src/credits/statements/answers.ts';
import { findKeyBalance, getSpentByRun } from '../../../src/credits/statements/balances.ts';
import { findOpenSubmission } from '../../../src/credits/statements/submissions.ts';
import {
  accept,
  chargeLoss,
  contactOf,
  crmIds,
  jobIdOf,
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
  everything,
  KEY,
  RUN,
  START_MS,
  storeWorlds,
} from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('recordAcceptedSubmission', (open) => {
  const createWorld = storeWorlds(open);

  it('notes the started jobs, and the credit against the identity that was submitted', async () => {
    const world = await createWorld();
    const ids = crmIds(31);
    await submit(world, ids);
    await readPage(world, [readContact('c-000', 'a new identity')], { kind: 'keep' });
    await world.clock.advance(1_000);
    await accept(world, ids);
    for (const id of ids) {
      expect(await jobOf(world, id)).toMatchObject({ state: 'processing', job_id: jobIdOf(id) });
      expect(await contactOf(world, id)).toMatchObject({
        state: 'submitted',
        due_reason: null,
        asked_identity: `identity of ${id}`,
        asked_at: START_MS + 1_000,
      });
    }
    expect(await contactOf(world, 'c-000')).toMatchObject({ identity: 'a new identity' });
  });

  it('makes persons that were not processed due again, unpaid and for the same reason', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2', 'c-3']);
    await world.clock.advance(1_000);
    await accept(world, ['c-2']);
    for (const id of ['c-1', 'c-3']) {
      expect(await jobOf(world, id)).toMatchObject({
        state: 'unpaid',
        job_id: null,
        closed_at: START_MS + 1_000,
      });
      expect(await contactOf(world, id)).toMatchObject({
        state: 'due',
        due_reason: 'never_enhanced',
        asked_identity: null,
        last_credit: null,
        tracking_id: null,
        outcome_reason: 'not_processed',
        outcome_run: RUN,
      });
    }
    expect(await jobOf(world, 'c-2')).toMatchObject({ state: 'processing', closed_at: null });
  });

  it('carries the balance forward and counts for the run and the submission', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2', 'c-3']);
    await accept(world, ['c-1', 'c-2']);
    expect(await findKeyBalance(world.store.reader, KEY)).toEqual({
      balance: BALANCE - 2,
      sequence: 1,
      readAt: START_MS,
    });
    expect(await getSpentByRun(world.store.reader, RUN)).toBe(2);
    expect(await runRow(world)).toMatchObject({ submitted_count: 2, spent_enhancements: 2 });
    expect(await findOpenSubmission(world.store.reader, KEY)).toBeUndefined();
    const closed = await world.db.selectFrom('submissions').selectAll().executeTakeFirst();
    expect(closed).toMatchObject({ state: 'accepted', charged: 2, closed_at: START_MS });
  });

  it('gives the next submission the balance that this one left', async () => {
    const world = await createWorld();
    await start(world, ['c-1', 'c-2']);
    expect(await submit(world, ['c-3'], 'submission-2')).toEqual({
      recorded: true,
      balanceBefore: BALANCE - 2,
    });
    await accept(world, ['c-3'], 'submission-2');
    expect(await findKeyBalance(world.store.reader, KEY)).toEqual({
      balance: BALANCE - 3,
      sequence: 2,
      readAt: START_MS,
    });
    expect(await getSpentByRun(world.store.reader, RUN)).toBe(3);
  });

  it('closes a submission once: a second answer changes nothing', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    const before = await everything(world.db);
    await expect(accept(world, ['c-1'])).rejects.toThrow();
    const unpaid = { id: 'submission-1', run: null, loss: null };
    expect(await settleLost(world, unpaid, 1)).toBe(false);
    expect(await chargeLoss(world, 'hold')).toBe(false);
    await expect(
      world.store.checkpoint(world.lease, (trx) => recordRefusedSubmission(trx, 'submission-1')),
    ).rejects.toThrow();
    expect(await everything(world.db)).toEqual(before);
  });
});

describeEachDatabase('recordRefusedSubmission', (open) => {
  const createWorld = storeWorlds(open);

  it('settles the blamed persons and makes the others due again, without a charge', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2', 'c-3']);
    await world.clock.advance(1_000);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRefusedSubmission(trx, 'submission-1', [
        { trackingId: trackingIdOf('c-2'), detail: 'lastName: too_long' },
      ]),
    );
    expect(await contactOf(world, 'c-2')).toMatchObject({
      state: 'settled',
      due_reason: null,
      asked_identity: 'identity of c-2',
      asked_at: START_MS + 1_000,
      tracking_id: null,
      outcome_reason: 'person_invalid',
      outcome_run: RUN,
      outcome_at: START_MS + 1_000,
      outcome_detail: 'lastName: too_long',
    });
    for (const id of ['c-1', 'c-3']) {
      expect(await contactOf(world, id)).toMatchObject({
        state: 'due',
        due_reason: 'never_enhanced',
        asked_identity: null,
        tracking_id: null,
        outcome_reason: 'submission_pending',
      });
    }
    for (const id of ['c-1', 'c-2', 'c-3']) {
      expect(await jobOf(world, id)).toMatchObject({ state: 'unpaid' });
    }
    expect(await findKeyBalance(world.store.reader, KEY)).toEqual({
      balance: BALANCE,
      sequence: 1,
      readAt: START_MS,
    });
    expect(await getSpentByRun(world.store.reader, RUN)).toBe(0);
    expect(await findOpenSubmission(world.store.reader, KEY)).toBeUndefined();
  });

  it('has a blamed person whose identity changed meanwhile thought about again', async () => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await readPage(world, [readContact('c-1', 'a corrected identity')], { kind: 'keep' });
    await world.store.checkpoint(world.lease, (trx) =>
      recordRefusedSubmission(trx, 'submission-1', [
        { trackingId: trackingIdOf('c-1'), detail: 'lastName: too_long' },
      ]),
    );
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'settled',
      identity: 'a corrected identity',
      asked_identity: 'identity of c-1',
      last_credit: 'in_vain',
    });
  });
});
