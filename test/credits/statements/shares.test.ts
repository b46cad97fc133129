import { expect, it } from 'vitest';
import { countContactWork } from '../../../src/contacts/contacts.ts';
import { settleDue } from '../../../src/contacts/reconsidering.ts';
import {
  recordAcceptedSubmission,
  recordRefusedSubmission,
} from '../../../src/credits/statements/answers.ts';
import { getSpentSince } from '../../../src/credits/statements/balances.ts';
import { type Intent, recordSubmissionIntent } from '../../../src/credits/statements/intents.ts';
import { listReadyJobs, recordJobProgress } from '../../../src/credits/statements/jobs.ts';
import { findShares } from '../../../src/credits/statements/paid-jobs.ts';
import { takeShares } from '../../../src/credits/statements/shares.ts';
import type { Lease } from '../../../src/database/leases.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { recordDeliveries } from '../../../src/fields/statements/deliveries.ts';
import { findRunById, recordRunBegin } from '../../../src/sync/statements/runs.ts';
import {
  accept,
  chargeLoss,
  crmIds,
  intendedJob,
  readContact,
  readPage,
  recordIntent,
  SHARING,
  trackingIdOf,
} from '../../contacts/contact-stages.ts';
import {
  everything,
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
  takeLease,
} from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const OTHER = 'lakeside';
const OTHER_RUN = 'run-elsewhere';
const MINUTE_MS = 60_000;

/** A store with a second client, whose contacts may be the same people. */
interface TwoWorlds extends StoreWorld {
  other: StoreWorld;
}

describeEachDatabase('shares', (open) => {
  const createWorld = storeWorlds(open);

  async function createTwo(): Promise<TwoWorlds> {
    const world = await createWorld();
    const lease = await takeLease(world.store, OTHER);
    await world.store.checkpoint(lease, (trx) => recordRunBegin(trx, OTHER_RUN, 'manual', null));
    return { ...world, other: { ...world, lease } };
  }

  it.each([
    ['running', 'submitted', 'processing'],
    ['completed', 'ready', 'completed'],
    ['held', 'ready', 'completed'],
    ['delivered', 'ready', 'completed'],
  ] as const)('let a contact take a job of the same person that is %s', async (end, state, job) => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada');
    await finish(world, 'c-1', end);
    await world.clock.advance(MINUTE_MS);
    expect(await take(world.other, ['c-9'], 'ada')).toBe(1);
    expect(await contactOf(world, 'c-9')).toMatchObject({
      state,
      tracking_id: trackingIdOf('c-9'),
      due_reason: null,
      asked_identity: 'identity of c-9',
      asked_at: START_MS,
    });
    expect(await jobOf(world, 'c-9')).toEqual({
      tracking_id: trackingIdOf('c-9'),
      submission_id: 'submission-1',
      integration_id: OTHER,
      crm_id: 'c-9',
      identity: 'identity of c-9',
      person: 'ada',
      reason: 'never_enhanced',
      state: job,
      job_id: 'job-c-1',
      shared_from: trackingIdOf('c-1'),
      submitted_at: START_MS,
      closed_at: null,
      known: null,
      answered_at: null,
    });
    expect(await findRunById(world.store.reader, OTHER_RUN)).toMatchObject({
      sharedCount: 1,
      submittedCount: 0,
      spentEnhancements: 0,
    });
    expect(await getSpentSince(world.store.reader, OTHER, 0)).toBe(0);
  });

  it('let a failed job count as failed for both, without another credit', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada');
    await finish(world, 'c-1', 'failed');
    expect(await take(world.other, ['c-9'], 'ada')).toBe(1);
    expect(await contactOf(world, 'c-9')).toMatchObject({
      state: 'settled',
      tracking_id: null,
      asked_identity: 'identity of c-9',
      asked_at: START_MS,
      outcome_reason: 'no_match',
      outcome_run: OTHER_RUN,
    });
    expect(await jobOf(world, 'c-9')).toMatchObject({ state: 'failed', closed_at: START_MS });
  });

  it('hold a contact with the one whose answer was lost, while a person decides', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada', 'lost');
    expect(await take(world.other, ['c-9'], 'ada')).toBe(1);
    expect(await contactOf(world, 'c-9')).toMatchObject({
      state: 'held',
      outcome_reason: 'lost_answer',
      outcome_run: OTHER_RUN,
    });
    expect(await jobOf(world, 'c-9')).toMatchObject({ state: 'lost', job_id: null });
    const holds = await listOpenQuestions(world.store.reader, OTHER);
    expect(holds).toMatchObject([
      { id: trackingIdOf('c-9'), crmId: 'c-9', kind: 'lost_answer', openedAt: START_MS },
    ]);
    expect(await findRunById(world.store.reader, OTHER_RUN)).toMatchObject({ sharedCount: 0 });
  });

  it('do not heed a lost answer that is decided, or where the settings spend again', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada', 'lost');
    const asker = [{ crmId: 'c-9', identity: 'identity of c-9', person: 'ada' }];
    expect(
      (
        await findShares(world.store.reader, world.store.fingerprint, OTHER, asker, {
          ...SHARING,
          heedsLost: false,
        })
      ).size,
    ).toBe(0);
    expect(
      (await findShares(world.store.reader, world.store.fingerprint, OTHER, asker, SHARING)).get(
        'c-9',
      ),
    ).toMatchObject({
      fate: 'lost',
    });
    const [hold] = await listOpenQuestions(world.store.reader, INTEGRATION);
    expect(hold && (await recordDecision(world.store, hold, 'rejected'))).toBe(true);
    expect(
      (await findShares(world.store.reader, world.store.fingerprint, OTHER, asker, SHARING)).size,
    ).toBe(0);
  });

  it('hold a contact for a lost answer whose own contact has left before a person decided', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada', 'lost');
    await world.db
      .updateTable('questions')
      .set({ decision: 'superseded', decided_at: 1 })
      .execute();
    const asker = [{ crmId: 'c-9', identity: 'identity of c-9', person: 'ada' }];
    expect(
      (await findShares(world.store.reader, world.store.fingerprint, OTHER, asker, SHARING)).get(
        'c-9',
      ),
    ).toMatchObject({
      fate: 'lost',
    });
    await take(world.other, ['c-9'], 'ada');
    // The decision about this contact is also a decision about the person.
    const [hold] = await listOpenQuestions(world.store.reader, OTHER);
    expect(hold && (await recordDecision(world.store, hold, 'resubmitted'))).toBe(true);
    const another = [{ crmId: 'c-8', identity: 'identity of c-8', person: 'ada' }];
    expect(
      (
        await findShares(
          world.store.reader,
          world.store.fingerprint,
          OTHER,
          [...asker, ...another],
          SHARING,
        )
      ).size,
    ).toBe(0);
  });

  it('serve both once a person has one of the lost ones submitted again', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada', 'lost');
    await take(world.other, ['c-9'], 'ada');
    for (const hold of await listOpenQuestions(world.store.reader)) {
      await recordDecision(world.store, hold, 'resubmitted');
    }
    await world.clock.advance(MINUTE_MS);
    const again = { ...intendedJob('c-1', 'ada'), trackingId: 'tracking-again' };
    expect(await intend(world, 'submission-2', [again])).toMatchObject({ recorded: true });
    await world.store.checkpoint(world.lease, (trx) =>
      recordAcceptedSubmission(trx, 'submission-2', {
        jobIds: new Map([['tracking-again', 'job-again']]),
        charged: 1,
      }),
    );
    const later = { ...intendedJob('c-9', 'ada'), trackingId: 'tracking-later' };
    const { lease } = world.other;
    await world.store.checkpoint(lease, (trx) => takeShares(trx, OTHER_RUN, [later], SHARING));
    expect(await contactOf(world, 'c-9')).toMatchObject({
      state: 'submitted',
      tracking_id: 'tracking-later',
    });
  });

  it.each<[string, (world: TwoWorlds) => Promise<unknown>]>([
    ['where there is none', async () => undefined],
    ['of another person', (world) => pay(world, ['c-1'], 'grace')],
    ['that is not shared', (world) => pay(world, ['c-1'], null)],
    ['that was not charged', (world) => pay(world, ['c-1'], 'ada', 'refused')],
    ['that has vanished', (world) => payAndFinish(world, 'vanished')],
  ])('offer no job %s', async (_which, bring) => {
    const world = await createTwo();
    await bring(world);
    expect(await take(world.other, ['c-9'], 'ada')).toBe(0);
    expect(await contactOf(world, 'c-9')).toMatchObject({ state: 'due', tracking_id: null });
  });

  it('offer nothing to a contact that does not share', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], null);
    expect(await take(world.other, ['c-9'], null)).toBe(0);
  });

  it('offer no job that was submitted too long ago', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada');
    const asker = [{ crmId: 'c-9', identity: 'identity of c-9', person: 'ada' }];
    expect(
      (
        await findShares(world.store.reader, world.store.fingerprint, OTHER, asker, {
          ...SHARING,
          since: START_MS,
        })
      ).size,
    ).toBe(1);
    expect(
      (
        await findShares(world.store.reader, world.store.fingerprint, OTHER, asker, {
          ...SHARING,
          since: START_MS + 1,
        })
      ).size,
    ).toBe(0);
  });

  it('offer a contact nothing that is not newer than its own last job as that person', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada');
    const asker = [{ crmId: 'c-1', identity: 'identity of c-1', person: 'ada' }];
    expect(
      (await findShares(world.store.reader, world.store.fingerprint, INTEGRATION, asker, SHARING))
        .size,
    ).toBe(0);
    await take(world.other, ['c-9'], 'ada');
    expect(
      (
        await findShares(
          world.store.reader,
          world.store.fingerprint,
          OTHER,
          [{ crmId: 'c-9', identity: 'identity of c-9', person: 'ada' }],
          SHARING,
        )
      ).size,
    ).toBe(0);
    await world.clock.advance(MINUTE_MS);
    await readPage(world, [readContact('c-2')]);
    // Under these rules, donor-sync treats no profile as paid. It therefore requests the profile again.
    const anew = { since: world.clock.now(), heedsLost: true };
    expect(await intend(world, 'submission-2', [intendedJob('c-2', 'ada')], anew)).toMatchObject({
      recorded: true,
    });
    await accept(world, ['c-2'], 'submission-2');
    expect(
      (
        await findShares(world.store.reader, world.store.fingerprint, INTEGRATION, asker, SHARING)
      ).get('c-1'),
    ).toMatchObject({
      jobId: 'job-c-2',
      trackingId: trackingIdOf('c-2'),
    });
  });

  it('know a vanished job by any of the contacts that had it', async () => {
    const world = await createTwo();
    await payAndFinish(world, 'delivered');
    await take(world.other, ['c-9'], 'ada');
    await world.store.checkpoint(world.other.lease, (trx) =>
      recordJobProgress(trx, OTHER_RUN, {
        ...NOTHING,
        vanished: [trackingIdOf('c-9')],
      }),
    );
    await readPage(world, [readContact('c-2')]);
    expect(await take(world, ['c-2'], 'ada')).toBe(0);
  });

  it('make an intent impossible that would pay for the same person again', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada');
    await readPage(world.other, [readContact('c-9')]);
    const before = await everything(world.db);
    const intent = await recordIntent(world.other, ['c-9'], {
      submissionId: 'submission-2',
      person: 'ada',
    });
    expect(intent).toEqual({ recorded: false, why: 'person_paid' });
    expect(await everything(world.db)).toEqual(before);
  });

  it('pay once for two contacts of which both are about to be submitted', async () => {
    const world = await createTwo();
    await readPage(world, [readContact('c-1')]);
    await readPage(world.other, [readContact('c-9')]);
    const results = await Promise.all([
      recordIntent(world, ['c-1'], { submissionId: 'submission-1', person: 'ada' }),
      recordIntent(world.other, ['c-9'], { submissionId: 'submission-2', person: 'ada' }),
    ]);
    expect(results.filter(({ recorded }) => recorded)).toHaveLength(1);
    const first = results[0]?.recorded ? world : world.other;
    const second = results[0]?.recorded ? world.other : world;
    const [paid, waiting] = results[0]?.recorded ? ['c-1', 'c-9'] : ['c-9', 'c-1'];
    await accept(first, [paid], results[0]?.recorded ? 'submission-1' : 'submission-2');
    expect(await takeDue(second, [waiting], 'ada')).toBe(1);
  });

  it('leave a contact alone that is not due any more', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada');
    await readPage(world.other, [readContact('c-8'), readContact('c-9')]);
    await world.store.checkpoint(world.other.lease, (trx) =>
      settleDue(trx, OTHER_RUN, [{ crmId: 'c-8', reason: 'opted_out', turnedOut: 'ineligible' }]),
    );
    await takeDue(world.other, ['c-8', 'c-9'], 'ada');
    expect(await contactOf(world, 'c-9')).toMatchObject({ state: 'submitted' });
    expect(await findRunById(world.store.reader, OTHER_RUN)).toMatchObject({ sharedCount: 1 });
    expect(await contactOf(world, 'c-8')).toMatchObject({ outcome_reason: 'opted_out' });
    expect(await jobsOf(world, 'c-8')).toEqual([]);
  });

  it('serve any number of contacts by one job', async () => {
    const world = await createTwo();
    await pay(world, ['c-paid'], 'ada');
    const ids = crmIds(131);
    expect(await take(world.other, ids, 'ada')).toBe(131);
    expect(await countContactWork(world.store.reader, OTHER)).toMatchObject({
      due: 0,
      submitted: 131,
    });
  });

  it('are delivered by themselves: the job of one may be over while the other still waits', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada');
    await take(world.other, ['c-9'], 'ada');
    await finish(world, 'c-1', 'delivered');
    expect(await contactOf(world, 'c-9')).toMatchObject({ state: 'submitted' });
    await finish(world.other, 'c-9', 'completed');
    const wanted = { runId: OTHER_RUN, limit: 10, except: new Set<string>() };
    expect(await listReadyJobs(world.store.reader, OTHER, wanted)).toMatchObject([
      { jobId: 'job-c-1', contact: { crmId: 'c-9' } },
    ]);
  });

  it('outlive the contact that was paid for when it is forgotten', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada');
    await take(world.other, ['c-9'], 'ada');
    await eraseContact(world.store, INTEGRATION, 'c-1');
    await finish(world.other, 'c-9', 'completed');
    expect(await contactOf(world, 'c-9')).toMatchObject({ state: 'ready' });
    await readPage(world, [readContact('c-2')]);
    expect(await takeDue(world, ['c-2'], 'ada')).toBe(1);
    // The job keeps the identity for which donor-sync paid. It does not get the identity that was used for the search.
    expect(await jobOf(world, 'c-2')).toMatchObject({ shared_from: trackingIdOf('c-1') });
  });

  it('leave the contact that was paid for alone when one of the others is forgotten', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada');
    await take(world.other, ['c-9'], 'ada');
    const before = [await contactOf(world, 'c-1'), await jobOf(world, 'c-1')];
    await eraseContact(world.store, OTHER, 'c-9');
    expect([await contactOf(world, 'c-1'), await jobOf(world, 'c-1')]).toEqual(before);
  });

  it('leave no trace of the person who is forgotten to find them by', async () => {
    const world = await createTwo();
    await pay(world, ['c-1'], 'ada');
    await eraseContact(world.store, INTEGRATION, 'c-1');
    expect(await take(world.other, ['c-9'], 'ada')).toBe(0);
    expect(await jobOf(world, 'c-1')).toMatchObject({ person: null, job_id: null });
  });
});

const NOTHING = { completed: [], failed: [], vanished: [], tooOld: [] };

/** Submits contacts that are all the same person, and delivers the profile. */
async function pay(
  world: StoreWorld,
  ids: readonly string[],
  person: string | null,
  answer: 'accepted' | 'refused' | 'lost' = 'accepted',
): Promise<void> {
  await readPage(
    world,
    ids.map((id) => readContact(id)),
  );
  await recordIntent(world, ids, { person });
  if (answer === 'accepted') await accept(world, ids);
  if (answer === 'refused') {
    await world.store.checkpoint(world.lease, (trx) =>
      recordRefusedSubmission(trx, 'submission-1'),
    );
  }
  if (answer === 'lost') await chargeLoss(world, 'hold');
}

/** Pays for `c-1` and completes its job. */
async function payAndFinish(world: StoreWorld, end: JobEnd): Promise<void> {
  await pay(world, ['c-1'], 'ada');
  await finish(world, 'c-1', end);
}

type JobEnd = 'running' | 'completed' | 'held' | 'delivered' | 'failed' | 'vanished';

async function finish(world: StoreWorld, crmId: string, end: JobEnd): Promise<void> {
  const { store, lease } = world;
  if (end === 'running') return;
  const runId = lease.integrationId === OTHER ? OTHER_RUN : RUN;
  const isOver = end === 'failed' || end === 'vanished';
  const ids = [trackingIdOf(crmId)];
  await store.checkpoint(lease, (trx) =>
    recordJobProgress(trx, runId, {
      ...NOTHING,
      [isOver ? end : 'completed']: ids,
    }),
  );
  if (isOver || end === 'completed') return;
  await store.checkpoint(lease, (trx) =>
    recordDeliveries(trx, runId, [
      {
        crmId,
        trackingId: trackingIdOf(crmId),
        reason: end === 'held' ? 'name_mismatch' : 'fields_written',
        detail: null,
        end:
          end === 'held'
            ? { kind: 'held', donorId: 'donor-1' }
            : {
                kind: 'delivered',
                identity: 'identity',
                donorId: 'donor-1',
                owned: {},
                writeId: null,
              },
      },
    ]),
  );
}

function intend(
  { store, lease }: StoreWorld,
  submissionId: string,
  jobs: Intent['jobs'],
  sharing = SHARING,
) {
  const mapping = 'mapping';
  const intent = { submissionId, runId: RUN, partnerKey: 'key-1', mapping, jobs, sharing };
  return recordSubmissionIntent(store.checkpoint, lease, intent);
}

/** Makes contacts due and lets them share existing jobs. */
async function take(
  world: StoreWorld,
  ids: readonly string[],
  person: string | null,
): Promise<number> {
  await readPage(
    world,
    ids.map((id) => readContact(id)),
  );
  return takeDue(world, ids, person);
}

/** Lets due contacts share existing jobs. Returns the number of contacts that now share a job. */
async function takeDue(
  { store, lease }: { store: StoreWorld['store']; lease: Lease },
  ids: readonly string[],
  person: string | null,
): Promise<number> {
  const runId = lease.integrationId === OTHER ? OTHER_RUN : RUN;
  const jobs = ids.map((id) => intendedJob(id, person));
  return (await store.checkpoint(lease, (trx) => takeShares(trx, runId, jobs, SHARING))).size;
}

function contactOf({ db }: StoreWorld, crmId: string) {
  return db
    .selectFrom('contacts')
    .selectAll()
    .where('crm_id', '=', crmId)
    .executeTakeFirstOrThrow();
}

function jobOf({ db }: StoreWorld, crmId: string) {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('tracking_id', '=', trackingIdOf(crmId))
    .executeTakeFirstOrThrow();
}

function jobsOf({ db }: StoreWorld, crmId: string) {
  return db.selectFrom('jobs').selectAll().where('crm_id', '=', crmId).execute();
}
