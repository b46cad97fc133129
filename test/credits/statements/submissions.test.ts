import { expect, it } from 'vitest';
import { recordDecidedPage } from '../../../src/contacts/decided-pages.ts';
import { settleDue } from '../../../src/contacts/reconsidering.ts';
import { recordRefusedSubmission } from '../../../src/credits/statements/answers.ts';
import {
  findKeyBalance,
  getSpentByRun,
  getSpentSince,
  recordKeyBalance,
} from '../../../src/credits/statements/balances.ts';
import {
  type IntendedJob,
  recordSubmissionIntent,
} from '../../../src/credits/statements/intents.ts';
import { recordLostSubmission } from '../../../src/credits/statements/lost-answers.ts';
import { findOpenSubmission } from '../../../src/credits/statements/submissions.ts';
import { listOpenQuestions } from '../../../src/decisions/statements/questions.ts';
import { getSubject } from '../../../src/decisions/views/question.ts';
import {
  accept,
  chargeLoss,
  contactOf,
  contactRow,
  crmIds,
  holdOf,
  intendedJob,
  jobIdOf,
  jobOf,
  putContacts,
  readContact,
  readPage,
  recordIntent,
  runRow,
  SHARING,
  settleLost,
  start,
  submit,
  trackingIdOf,
} from '../../contacts/contact-stages.ts';
import {
  BALANCE,
  everything,
  INTEGRATION,
  KEY,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
  takeLease,
} from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('recordIntent', (open) => {
  const createWorld = storeWorlds(open);

  it('puts the submission and its jobs on disk, with the balance before it', async () => {
    const world = await createWorld();
    const ids = crmIds(31);
    await world.clock.advance(1_000);
    expect(await submit(world, ids)).toEqual({ recorded: true, balanceBefore: BALANCE });
    expect(await findOpenSubmission(world.store.reader, KEY)).toEqual({
      id: 'submission-1',
      integrationId: INTEGRATION,
      runId: RUN,
      partnerKey: KEY,
      state: 'intended',
      persons: 31,
      charged: null,
      balanceBefore: BALANCE,
      intendedAt: START_MS + 1_000,
      lostAt: null,
      closedAt: null,
      mapping: 'mapping',
      slot: 1,
    });
    for (const id of ids) {
      expect(await jobOf(world, id)).toEqual({
        tracking_id: trackingIdOf(id),
        submission_id: 'submission-1',
        integration_id: INTEGRATION,
        crm_id: id,
        identity: `identity of ${id}`,
        person: null,
        reason: 'never_enhanced',
        state: 'intended',
        job_id: null,
        shared_from: null,
        submitted_at: START_MS + 1_000,
        closed_at: null,
        known: null,
        answered_at: null,
      });
      expect(await contactOf(world, id)).toMatchObject({
        state: 'submitted',
        tracking_id: trackingIdOf(id),
        asked_identity: null,
      });
    }
  });

  it('notes the identity that is submitted, which may be newer than the one that was read', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-1', 'an older identity')]);
    await recordIntent(world, ['c-1']);
    expect(await contactOf(world, 'c-1')).toMatchObject({ identity: 'identity of c-1' });
  });

  it('keeps the order of the requests about a contact where the host before had a clock ahead', async () => {
    const world = await createWorld();
    const ahead = { submitted_at: START_MS + 200_000, crm_id: 'c-1', tracking_id: 'before' };
    await submit(world, ['c-2']);
    await accept(world, ['c-2']);
    const [job] = await world.db.selectFrom('jobs').selectAll().execute();
    if (job !== undefined)
      await world.db
        .insertInto('jobs')
        .values({ ...job, ...ahead })
        .execute();
    const unpaid = { state: 'unpaid' as const, submitted_at: START_MS + 80_000_000 };
    const inVain = { ...unpaid, crm_id: 'c-3', tracking_id: 'in vain' };
    if (job !== undefined)
      await world.db
        .insertInto('jobs')
        .values({ ...job, ...inVain })
        .execute();
    await submit(world, ['c-1', 'c-3'], 'submission-2');
    expect(await jobOf(world, 'c-1')).toMatchObject({ submitted_at: START_MS + 200_001 });
    expect(await jobOf(world, 'c-3')).toMatchObject({ submitted_at: START_MS });
  });

  it('keeps the order of the requests about records of one person there', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-1'), readContact('c-2')]);
    await recordIntent(world, ['c-1'], { person: 'a person' });
    await accept(world, ['c-1']);
    await world.db
      .updateTable('jobs')
      .set({ submitted_at: START_MS + 200_000 })
      .execute();
    await world.db.updateTable('jobs').set({ state: 'lost' }).execute();
    const sharing = { since: START_MS + 300_000, heedsLost: false };
    const jobs = [intendedJob('c-2', 'a person')];
    const of = { runId: RUN, partnerKey: KEY, mapping: 'mapping' };
    const intent = { submissionId: 'submission-2', ...of, jobs, sharing };
    expect(await recordSubmissionIntent(world.store.checkpoint, world.lease, intent)).toMatchObject(
      {
        recorded: true,
      },
    );
    expect(await jobOf(world, 'c-2')).toMatchObject({ submitted_at: START_MS + 200_001 });
  });

  it.each<['intended' | 'lost', (world: StoreWorld) => Promise<unknown>]>([
    ['intended', async () => undefined],
    [
      'lost',
      ({ store, lease }) =>
        store.checkpoint(lease, (trx) => recordLostSubmission(trx, 'submission-1')),
    ],
  ])('records nothing while another submission of the key is %s', async (state, bring) => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await bring(world);
    await readPage(world, [readContact('c-2')]);
    const before = await everything(world.db);
    expect(await recordIntent(world, ['c-2'], { submissionId: 'submission-2' })).toEqual({
      recorded: false,
      why: 'key_busy',
    });
    expect(await everything(world.db)).toEqual(before);
    expect((await findOpenSubmission(world.store.reader, KEY))?.state).toBe(state);
  });

  it('records nothing while another integration uses the key, but may use another key', async () => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    const lease = await takeLease(world.store, 'lakeside');
    const elsewhere = { ...world, lease };
    await readPage(elsewhere, [readContact('c-2')]);
    expect(await recordIntent(elsewhere, ['c-2'], { submissionId: 'submission-2' })).toEqual({
      recorded: false,
      why: 'key_busy',
    });
    await recordKeyBalance(world.store.connection, 'key-2', 0, 50);
    expect(
      await recordIntent(elsewhere, ['c-2'], { submissionId: 'submission-2', partnerKey: 'key-2' }),
    ).toEqual({ recorded: true, balanceBefore: 50 });
  });

  it('records one of several intents of one key that come at the same time', async () => {
    const world = await createWorld();
    const names = ['a', 'b', 'c', 'd'];
    const worlds: StoreWorld[] = [];
    for (const name of names) {
      const lease = await takeLease(world.store, `integration-${name}`);
      worlds.push({ ...world, lease });
      await readPage({ ...world, lease }, [readContact(`c-${name}`)]);
    }
    const results = await Promise.all(
      worlds.map((each, index) =>
        recordIntent(each, [`c-${names[index]}`], { submissionId: `submission-${names[index]}` }),
      ),
    );
    expect(results.filter((result) => result.recorded)).toHaveLength(1);
    for (const result of results) {
      if (!result.recorded) expect(result.why).toBe('key_busy');
    }
    expect((await everything(world.db))['submissions']).toHaveLength(1);
    expect((await everything(world.db))['jobs']).toHaveLength(1);
  });

  it('records nothing while the balance of the key is unknown', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-1')]);
    const before = await everything(world.db);
    expect(await recordIntent(world, ['c-1'], { partnerKey: 'key-unread' })).toEqual({
      recorded: false,
      why: 'balance_unknown',
    });
    expect(await everything(world.db)).toEqual(before);
  });

  it('knows a balance of nought, which pays for no one', async () => {
    const world = await createWorld();
    await recordKeyBalance(world.store.connection, KEY, 0, 0);
    expect(await submit(world, ['c-1'])).toEqual({ recorded: false, why: 'balance_changed' });
  });

  it('records nothing if one of its contacts has moved on', async () => {
    const world = await createWorld();
    const ids = crmIds(40);
    await readPage(
      world,
      ids.map((id) => readContact(id)),
    );
    await world.store.checkpoint(world.lease, (trx) =>
      settleDue(trx, RUN, [{ crmId: 'c-039', reason: 'opted_out', turnedOut: 'ineligible' }]),
    );
    const before = await everything(world.db);
    expect(await recordIntent(world, ids)).toEqual({ recorded: false, why: 'contacts_changed' });
    expect(await everything(world.db)).toEqual(before);
    expect(await recordIntent(world, ids.slice(0, 39))).toMatchObject({ recorded: true });
  });

  it('records nothing if a contact comes twice or belongs to another integration', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-1')]);
    await putContacts(world, [
      contactRow({ crm_id: 'c-2', state: 'due', integration_id: 'lakeside' }),
    ]);
    const job = { identity: 'i', reason: 'never_enhanced', person: null } as const;
    const twice: IntendedJob[] = [
      { ...job, trackingId: 'tracking-1', crmId: 'c-1' },
      { ...job, trackingId: 'tracking-2', crmId: 'c-1' },
    ];
    const of = { runId: RUN, partnerKey: KEY, mapping: 'mapping' };
    const intent = { submissionId: 'submission-1', ...of, sharing: SHARING };
    const refused = { recorded: false, why: 'contacts_changed' };
    expect(
      await recordSubmissionIntent(world.store.checkpoint, world.lease, { ...intent, jobs: twice }),
    ).toEqual(refused);
    expect(await recordIntent(world, ['c-2'])).toEqual(refused);
    expect(await findOpenSubmission(world.store.reader, KEY)).toBeUndefined();
  });
});

describeEachDatabase('recordAccepted', (open) => {
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

describeEachDatabase('recordRefused', (open) => {
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
        // What was read of it meanwhile is read again.
        last_credit: 'outdated',
        // Should it leave and come back, the person is asked again.
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

describeEachDatabase('the balance of a key', (open) => {
  const createWorld = storeWorlds(open);

  it('is unknown until it was read', async () => {
    const { store } = await createWorld();
    expect(await findKeyBalance(store.reader, 'key-2')).toEqual({
      balance: null,
      sequence: 0,
      readAt: 0,
    });
    expect(await recordKeyBalance(store.connection, 'key-2', 0, 70)).toBe(true);
    expect(await recordKeyBalance(store.connection, 'key-2', 0, 71)).toBe(true);
    expect(await findKeyBalance(store.reader, 'key-2')).toEqual({
      balance: 71,
      sequence: 0,
      readAt: START_MS,
    });
    expect(await findKeyBalance(store.reader, KEY)).toEqual({
      balance: BALANCE,
      sequence: 0,
      readAt: START_MS,
    });
  });

  it('is not taken from a reading before which a submission was closed', async () => {
    const world = await createWorld();
    const { sequence } = await findKeyBalance(world.store.reader, KEY);
    await start(world, ['c-1']);
    expect(await recordKeyBalance(world.store.connection, KEY, sequence, 500)).toBe(false);
    expect(await findKeyBalance(world.store.reader, KEY)).toEqual({
      balance: BALANCE - 1,
      sequence: 1,
      readAt: START_MS,
    });
    expect(await recordKeyBalance(world.store.connection, KEY, sequence + 1, 500)).toBe(true);
  });

  it.each(['intended', 'lost'])(
    'is not taken from a reading while a submission is %s',
    async (state) => {
      const world = await createWorld();
      await submit(world, ['c-1']);
      if (state === 'lost')
        await world.store.checkpoint(world.lease, (trx) =>
          recordLostSubmission(trx, 'submission-1'),
        );
      expect(await recordKeyBalance(world.store.connection, KEY, 0, 500)).toBe(false);
      expect(await findKeyBalance(world.store.reader, KEY)).toEqual({
        balance: BALANCE,
        sequence: 0,
        readAt: START_MS,
      });
    },
  );
});

describeEachDatabase('spentSince', (open) => {
  const createWorld = storeWorlds(open);

  it('adds what was charged since an instant, and what an open submission may cost', async () => {
    const world = await createWorld();
    expect(await getSpentSince(world.store.reader, INTEGRATION, 0)).toBe(0);
    await submit(world, ['c-1', 'c-2']);
    await accept(world, ['c-1']);
    await world.clock.advance(1_000);
    await submit(world, ['c-3', 'c-4', 'c-5'], 'submission-2');
    expect(await getSpentSince(world.store.reader, INTEGRATION, START_MS)).toBe(4);
    expect(await getSpentSince(world.store.reader, INTEGRATION, START_MS + 1)).toBe(3);
    expect(await getSpentSince(world.store.reader, INTEGRATION, START_MS + 1_001)).toBe(0);
    expect(await getSpentSince(world.store.reader, 'lakeside', 0)).toBe(0);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRefusedSubmission(trx, 'submission-2'),
    );
    expect(await getSpentSince(world.store.reader, INTEGRATION, START_MS)).toBe(1);
  });

  it('knows nothing of a run that spent nothing', async () => {
    const { store } = await createWorld();
    expect(await getSpentByRun(store.reader, 'run-9')).toBe(0);
  });
});
