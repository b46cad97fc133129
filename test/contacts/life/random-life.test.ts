/**
 * Tests random sequences of all events that can happen to contacts. donor-sync must not lose a paid job, and every
 * contact must be able to leave its state.
 */

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listDueContacts } from '../../../src/contacts/contacts.ts';
import { type Decision, recordDecidedPage } from '../../../src/contacts/decided-pages.ts';
import {
  holdMissing,
  markMissing,
  markUnseen,
  removeMissing,
} from '../../../src/contacts/many-at-once/missing.ts';
import { holdDueErased, reconsiderContacts } from '../../../src/contacts/reconsidering.ts';
import {
  recordAcceptedSubmission,
  recordRefusedSubmission,
} from '../../../src/credits/statements/answers.ts';
import { recordSubmissionIntent } from '../../../src/credits/statements/intents.ts';
import {
  listReadyJobs,
  listRunningJobs,
  recordJobProgress,
} from '../../../src/credits/statements/jobs.ts';
import { recordLostSubmission } from '../../../src/credits/statements/lost-answers.ts';
import { takeShares } from '../../../src/credits/statements/shares.ts';
import { findOpenSubmission } from '../../../src/credits/statements/submissions.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { recordDeliveries } from '../../../src/fields/statements/deliveries.ts';
import type { DeliveryEnd } from '../../../src/fields/statements/delivery-ends.ts';
import {
  BALANCE,
  INTEGRATION,
  KEY,
  RUN,
  type StoreWorld,
  storeWorlds,
} from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { noting, readContact, SHARING, settleLost } from '../contact-stages.ts';

const IDS = ['c-0', 'c-1', 'c-2', 'c-3'];

/** These are the possible events. `contact` selects the contact, and `choice` selects a variant of the event. */
const STEPS = {
  read,
  remove,
  merge,
  miss: ({ store, lease }: StoreWorld, { contact }: Step) =>
    store.checkpoint(lease, (trx) => markMissing(trx, RUN, [contact])),
  holdMissing: async ({ store, lease }: StoreWorld) => {
    await holdMissing(store, lease, { since: 0, detail: null, newId: randomUUID });
  },
  removeUnseen: async ({ store, lease }: StoreWorld) => {
    await store.checkpoint(lease, (trx) => markUnseen(trx, 'run-2'));
    await store.checkpoint(lease, (trx) => removeMissing(trx, { since: 0 }));
  },
  reconsider: ({ store, lease }: StoreWorld) =>
    reconsiderContacts(store, lease, RUN, Number.MAX_SAFE_INTEGER, () => ({
      kind: 'choose',
      reason: 'profile_old',
      priority: 2,
    })),
  suspect: ({ store, lease }: StoreWorld, { contact }: Step) =>
    store.checkpoint(lease, (trx) => holdDueErased(trx, RUN, [contact])),
  submit,
  answer,
  poll,
  deliver,
  decide,
} satisfies Record<string, (world: StoreWorld, step: Step) => Promise<unknown>>;

interface Step {
  kind: keyof typeof STEPS;
  contact: string;
  other: string;
  choice: number;
}

const aStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    ...(['read', 'read', 'submit', 'submit', 'answer', 'answer', 'poll', 'poll'] as const),
    ...(['deliver', 'deliver', 'decide', 'remove', 'merge', 'removeUnseen'] as const),
    ...(['miss', 'miss', 'holdMissing'] as const),
    ...(['reconsider', 'suspect'] as const),
  ),
  contact: fc.constantFrom(...IDS),
  other: fc.constantFrom(...IDS),
  choice: fc.nat({ max: 11 }),
});

/** Generates a short or a long list of events. After a short list, donor-sync can complete all work. */
const someSteps = fc.oneof(
  fc.array(aStep, { maxLength: 6, size: 'max' }),
  fc.array(aStep, { maxLength: 40, size: 'max' }),
);

describeEachDatabase('contacts to which anything happens in any order', (open) => {
  const createWorld = storeWorlds(open);

  it('lose no paid job, and come to rest once the work is done', async () => {
    await fc.assert(
      fc.asyncProperty(someSteps, async (steps) => {
        const world = await createWorld();
        await readAll(world);
        for (const step of steps) {
          await world.clock.advance(1);
          const before = await attachedJobs(world);
          await STEPS[step.kind](world, step);
          await expectSound(world);
          await expectNoJobLost(world, before, step);
        }
        await finish(world);
      }),
      { numRuns: 100 },
    );
  });
});

async function readAll(world: StoreWorld): Promise<void> {
  for (const contact of IDS)
    await read(world, { kind: 'read', contact, other: contact, choice: 0 });
}

/**
 * Reads a contact with a decision that the plan could make. If a paid job waits, the contact resumes. Otherwise any
 * decision is possible.
 */
async function read({ store, lease }: StoreWorld, { contact, choice }: Step): Promise<void> {
  const page = [readContact(contact, `identity ${choice % 2}`)];
  await store.checkpoint(lease, (trx) =>
    recordDecidedPage(
      trx,
      { runId: RUN, contacts: page, removed: [], cursor: null },
      noting((_, known) => {
        const decisions: Decision[] = [
          { kind: 'choose', reason: 'never_enhanced', priority: 1 },
          { kind: 'choose', reason: 'identity_changed', priority: 2 },
          { kind: 'settle', reason: 'opted_out', eligible: false },
          { kind: 'hold', reason: 'forgotten_person' },
          { kind: 'keep' },
        ];
        const isAway =
          known?.state === 'settled' || known?.state === 'removed' || known?.state === 'held';
        if (choice > 5 && isAway && known.trackingId !== null) return { kind: 'resume' };
        return decisions[choice % decisions.length] ?? { kind: 'keep' };
      }),
    ),
  );
}

function removal(world: StoreWorld, id: string, mergedInto: string | null, suspect: string | null) {
  return world.store.checkpoint(world.lease, (trx) =>
    recordDecidedPage(
      trx,
      { runId: RUN, contacts: [], removed: [{ id, mergedInto, suspect }], cursor: null },
      noting(() => ({ kind: 'keep' })),
    ),
  );
}

async function remove(world: StoreWorld, { contact }: Step): Promise<void> {
  await removal(world, contact, null, null);
}

async function merge(world: StoreWorld, { contact, other, choice }: Step): Promise<void> {
  if (contact === other) return;
  await removal(world, contact, other, choice > 9 ? `fingerprint of ${contact}` : null);
}

let submissions = 0;

/** Submits all due contacts. Two contacts are the same person. */
async function submit({ store, lease }: StoreWorld): Promise<void> {
  if (await findOpenSubmission(store.reader, KEY)) return;
  const due = await listDueContacts(store.reader, INTEGRATION, {
    maxPriority: 9,
    limit: 10,
    only: null,
    withChanged: true,
  });
  submissions += 1;
  const jobs = due.flatMap(({ crmId, identity, dueReason }) =>
    dueReason === null
      ? []
      : [
          {
            ...{ trackingId: `${submissions}-${crmId}`, crmId, identity, reason: dueReason },
            person: crmId < 'c-2' ? 'ada' : null,
          },
        ],
  );
  if (jobs.length === 0) return;
  const shared = await store.checkpoint(lease, (trx) => takeShares(trx, RUN, jobs, SHARING));
  const intent = await recordSubmissionIntent(store.checkpoint, lease, {
    ...{ submissionId: `submission-${submissions}`, runId: RUN, partnerKey: KEY, sharing: SHARING },
    mapping: 'mapping',
    jobs: jobs.filter(({ crmId }) => !shared.has(crmId)),
  });
  expect(intent).toMatchObject({ recorded: true });
}

async function answer(world: StoreWorld, { choice }: Step): Promise<void> {
  const { store, lease, db } = world;
  const submission = await findOpenSubmission(store.reader, KEY);
  if (!submission) return;
  const { id } = submission;
  const jobs = await db
    .selectFrom('jobs')
    .select('tracking_id')
    .where('submission_id', '=', id)
    .execute();
  const ids = jobs.map(({ tracking_id }) => tracking_id);
  const started = choice % 4 === 0 ? ids.slice(1) : ids;
  const jobIds = new Map(started.map((each) => [each, `job-${each}`]));
  if (choice < 5) {
    await store.checkpoint(lease, (trx) =>
      recordAcceptedSubmission(trx, id, {
        jobIds,
        charged: choice === 4 ? ids.length : started.length,
      }),
    );
  } else if (choice < 7) {
    const blamed = ids.slice(0, 1).map((trackingId) => ({ trackingId, detail: 'refused' }));
    await store.checkpoint(lease, (trx) => recordRefusedSubmission(trx, id, blamed));
  } else if (choice < 9) {
    await store.checkpoint(lease, (trx) => recordLostSubmission(trx, id));
    await settleLost(world, { id, run: RUN, loss: null }, BALANCE);
  } else {
    const afterwards = choice === 9 ? 'resubmit' : 'hold';
    const detail = 'the credits left the bucket';
    await settleLost(world, { id, run: RUN, loss: { charged: 1, afterwards, detail } }, BALANCE);
  }
}

async function poll({ store, lease }: StoreWorld, { choice }: Step): Promise<void> {
  const running = await listRunningJobs(store.reader, INTEGRATION, 10, null);
  const [first, ...others] = running.map(({ trackingId }) => trackingId);
  if (first === undefined) return;
  const none = { completed: [], failed: [], vanished: [], tooOld: [] };
  const ends = ['completed', 'completed', 'failed', 'vanished', 'tooOld'] as const;
  const end = ends[choice % ends.length] ?? 'completed';
  await store.checkpoint(lease, (trx) =>
    recordJobProgress(trx, RUN, {
      ...none,
      completed: others,
      ...(end === 'completed' ? { completed: [first, ...others] } : { [end]: [first] }),
    }),
  );
}

async function deliver({ store, lease }: StoreWorld, { choice }: Step): Promise<void> {
  const [ready] = await listReadyJobs(store.reader, INTEGRATION, {
    runId: 'run-2',
    limit: 1,
    except: new Set<string>(),
  });
  if (!ready) return;
  const delivered: DeliveryEnd = {
    kind: 'delivered',
    identity: 'identity',
    donorId: 'donor-1',
    owned: {},
    writeId: null,
  };
  const ends: [
    DeliveryEnd,
    'fields_written' | 'name_mismatch' | 'forgotten_person' | 'crm_refused' | 'deleted_in_crm',
  ][] = [
    [delivered, 'fields_written'],
    [{ kind: 'held', donorId: 'donor-1' }, 'name_mismatch'],
    [{ kind: 'held', donorId: 'donor-1', hold: 'forgotten_person' }, 'forgotten_person'],
    [{ kind: 'postponed', writeId: null, enhanced: true }, 'crm_refused'],
    [{ kind: 'dropped', removed: true }, 'deleted_in_crm'],
    [{ kind: 'dropped', removed: false }, 'deleted_in_crm'],
  ];
  const [end, reason] = ends[choice % ends.length] ?? [delivered, 'fields_written'];
  await store.checkpoint(lease, (trx) =>
    recordDeliveries(trx, RUN, [
      { crmId: ready.job.crmId, trackingId: ready.job.trackingId, reason, detail: null, end },
    ]),
  );
}

async function decide({ store }: StoreWorld, { choice }: Step): Promise<void> {
  const open = await listOpenQuestions(store.reader, INTEGRATION);
  const hold = open[choice % Math.max(open.length, 1)];
  const decisions = ['approved', 'rejected', 'resubmitted'] as const;
  if (hold) await recordDecision(store, hold, decisions[choice % decisions.length] ?? 'approved');
}

/** Checks the conditions that each contact and its job must meet at all times. */
async function expectSound({ db }: StoreWorld): Promise<void> {
  const contacts = await db.selectFrom('contacts').selectAll().execute();
  const jobs = new Map(
    (await db.selectFrom('jobs').selectAll().execute()).map((job) => [job.tracking_id, job]),
  );
  const holds = await db
    .selectFrom('questions')
    .select(['crm_id', 'kind'])
    .where('decision', 'is', null)
    .execute();
  const missing = contacts.filter((row) => row.missing_since !== null && row.state !== 'removed');
  const asked = holds.flatMap(({ crm_id, kind }) => (kind === 'contacts_missing' ? crm_id : []));
  // Only missing contacts have a question about their absence.
  expect(missing.map(({ crm_id }) => crm_id)).toEqual(expect.arrayContaining(asked));
  for (const contact of contacts) {
    const { state, tracking_id, due_reason } = contact;
    const job = jobs.get(tracking_id ?? '');
    if (state === 'submitted') expect(['intended', 'processing']).toContain(job?.state);
    if (state === 'ready') expect(['processing', 'completed']).toContain(job?.state);
    if (state === 'due')
      expect({ due_reason, tracking_id }).not.toMatchObject({ due_reason: null });
    if (state === 'due') expect(tracking_id).toBeNull();
  }
  const held = contacts.filter(({ state }) => state === 'held').map(({ crm_id }) => crm_id);
  const others = holds.flatMap(({ crm_id, kind }) => (kind === 'contacts_missing' ? [] : crm_id));
  expect(others.sort()).toEqual(held.sort());
}

/** Returns the paid jobs that a contact refers to. */
async function attachedJobs({ db }: StoreWorld): Promise<Set<string>> {
  const jobs = await db
    .selectFrom('jobs')
    .innerJoin('contacts', (join) =>
      join
        .onRef('contacts.crm_id', '=', 'jobs.crm_id')
        .onRef('contacts.tracking_id', '=', 'jobs.tracking_id'),
    )
    .select('jobs.tracking_id')
    .execute();
  return new Set(jobs.map(({ tracking_id }) => tracking_id));
}

/** Expects that each job with a result still belongs to its contact, unless the contact was read with new details. */
async function expectNoJobLost(
  world: StoreWorld,
  before: ReadonlySet<string>,
  step: Step,
): Promise<void> {
  const now = await attachedJobs(world);
  const rows = await world.db
    .selectFrom('jobs')
    .selectAll()
    .where('state', 'in', ['intended', 'processing', 'completed', 'held'])
    .execute();
  const lost = rows.filter((job) => before.has(job.tracking_id) && !now.has(job.tracking_id));
  const rechosen = lost.filter(
    (job) =>
      job.state !== 'intended' &&
      (step.kind === 'reconsider' || (step.kind === 'read' && job.crm_id === step.contact)),
  );
  expect(lost).toEqual(rechosen);
}

/** Completes the remaining work, with the best response to each request. */
async function finish(world: StoreWorld): Promise<void> {
  const step = { contact: '', other: '', choice: 1 };
  await world.store.checkpoint(world.lease, (trx) =>
    removeMissing(trx, { since: Number.MAX_SAFE_INTEGER }),
  );
  for (let round = 0; round < 12; round++) {
    await answer(world, { ...step, kind: 'answer' });
    await poll(world, { ...step, kind: 'poll' });
    for (const _ of IDS) await deliver(world, { ...step, kind: 'deliver', choice: 0 });
    for (const hold of await listOpenQuestions(world.store.reader, INTEGRATION)) {
      await recordDecision(
        world.store,
        hold,
        hold.kind === 'lost_answer' ? 'rejected' : 'approved',
      );
    }
    await submit(world);
    await world.clock.advance(1);
    await expectSound(world);
  }
  const rows = await world.db.selectFrom('contacts').select(['crm_id', 'state']).execute();
  const atWork = rows.filter(({ state }) => state !== 'settled' && state !== 'removed');
  expect(atWork).toEqual([]);
}
