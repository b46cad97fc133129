/** The second station submits due contacts. Each submission has a reason, and donor-sync pays for it only once. */

import type { ContactRecord } from '../contacts/contacts.ts';
import { countContactsUnderWay, listDueContacts } from '../contacts/contacts.ts';
import { PRIORITY } from '../contacts/life/line-events.ts';
import { MAX_SLOTS } from '../contacts/open-submissions.ts';
import { FatalError } from '../core/errors.ts';
import { MAX_PERSONS_PER_SUBMISSION, type Person } from '../core/person.ts';
import { findAllowance, readBalance, submissionProof } from '../credits/balance.ts';
import { batchSize, createLatencyMeter, submissionsAtOnce } from '../credits/in-flight.ts';
import type { JournaledRequest } from '../credits/note-spending.ts';
import { type Attempt, type Kind, spend } from '../credits/spend.ts';
import {
  recordAcceptedSubmission,
  recordRefusedSubmission,
} from '../credits/statements/answers.ts';
import { type IntendedJob, recordSubmissionIntent } from '../credits/statements/intents.ts';
import { recordLostSubmission } from '../credits/statements/lost-answers.ts';
import { findOpenPersons } from '../credits/statements/paid-jobs.ts';
import { takeShares } from '../credits/statements/shares.ts';
import { listOpenSubmissions, type SubmissionRecord } from '../credits/statements/submissions.ts';
import { blamedPersons, CreditsExhausted, PartnerValidationError } from '../partner/errors.ts';
import type { Submission } from '../partner/submission.ts';
import type { Run, SyncDeps } from './control/context.ts';
import { adoptDonors, createDonorCheck } from './foreign-donors.ts';
import { holdMassChange } from './guards/mass-change.ts';
import { createNewIds, type NewIds } from './guards/new-ids.ts';
import { createSinceBackup, holdUnreadable } from './guards/since-backup.ts';
import { type Prepared, preparePersons } from './prepare-persons.ts';
import { sharingRules } from './sharing.ts';
import { createTrial, spreadDue, type Trial } from './trial/trial-round.ts';

/**
 * The maximum number of contacts between submission and delivery. Users can approve about the same number of further
 * contacts.
 */
const MAX_UNDER_WAY = 10_000;

/** The delay before the run checks contacts again after a different process has changed them. */
const CONTACTS_CHANGED_MS = 500;

type SubmitDeps = Omit<SyncDeps, 'sealer'>;

interface Due {
  contacts: ContactRecord[];
  /** The number of contacts in the selection that may cost a credit now. */
  atMost: number;
}

const NOTHING: Due = { contacts: [], atMost: 0 };

/** A recorded submission, with the data of each person in the submission. */
interface Intended {
  id: string;
  persons: Person[];
  jobs: readonly IntendedJob[];
}

/**
 * Submits due contacts until the run has read all contacts and no contact is due, until spending stops, or until the
 * run ends. Sends several submissions at the same time if the service responds slowly.
 */
export async function submitPersons(deps: SubmitDeps, run: Run): Promise<void> {
  const { partner, store } = deps;
  const trial = createTrial(deps, run);
  const meter = createLatencyMeter(deps.clock);
  const newIds = createNewIds(deps, run);
  const kind: Kind<Intended, Submission, SubmissionRecord> = {
    ...submissionProof(deps, run),
    what: 'submissions',
    intend: createIntend(deps, run, trial, newIds),
    atOnce: () => (trial.isOver ? submissionsAtOnce(meter.latency()) : 1),
    toJournal: (intent) => toJournal(deps, run, intent),
    toJournaledEnd: ({ processed, jobIds }) => ({
      charged: processed,
      jobs: Object.fromEntries(jobIds),
    }),
    async send({ id, persons }, mayLeave) {
      let isAnswered = false;
      try {
        const answer = await partner.submitEnhancements(persons, run.control.ending, async () => {
          await mayLeave();
          meter.leaves(id);
        });
        isAnswered = true;
        return answer;
      } finally {
        meter.ends(id, isAnswered);
      }
    },
    accept: (intent, answer) => accept(deps, run, intent, answer),
    async lose({ id }) {
      await store.checkpoint(run.lease, (trx) => recordLostSubmission(trx, id));
      return 'progress';
    },
    refuse: (intent, error) => refuse(deps, run, intent, error),
  };
  await spend(deps, run, kind);
  await followUnspent(run, newIds);
  run.control.finish('submit');
}

/**
 * Passes missing contacts' profiles on to the same people's new contacts, even if spending ended before all contacts
 * were read. For example, no user has agreed to spend after a restore. Without this step, the run would remove the
 * missing contacts at its end, and the next run would pay for the new contacts.
 */
async function followUnspent({ control }: Run, newIds: NewIds): Promise<void> {
  if (!(await newIds.mustWait())) return;
  while (!control.isDone('read') && !control.stopping.aborted) await control.wait(control.signals);
  if (!control.stopping.aborted) await newIds.follow();
}

/** Returns a function that records the next submission once a full batch is available. */
function createIntend(
  deps: SubmitDeps,
  run: Run,
  trial: Trial,
  newIds: NewIds,
): Kind<Intended, Submission, SubmissionRecord>['intend'] {
  const donors = createDonorCheck(run);
  const room = createRoom(deps, run);
  const sinceBackup = createSinceBackup(deps, run);
  let isGuarded = false;
  return async (isStillClear) => {
    const { signals } = run.control;
    const readIsDone = run.control.isDone('read');
    if (readIsDone && !isGuarded) {
      if (run.adopt) await adoptDonors(deps, run);
      await newIds.follow();
      // This check comes before the check for mass changes, because its decision also explains why these contacts have
      // changed.
      await sinceBackup.sort();
      await holdMassChange(deps, run);
      isGuarded = true;
    }
    const isHeld = run.control.spendingStopped;
    const isTooEarly =
      !isHeld && !readIsDone && ((await sinceBackup.mustWait()) || (await newIds.mustWait()));
    const due = isHeld
      ? NOTHING
      : isTooEarly
        ? 'not_yet'
        : await nextDue(deps, run, { readIsDone, trial, room });
    if (due === 'not_yet') {
      await run.control.wait(signals);
      return 'waited';
    }
    if (due.contacts.length === 0) return 'over';
    if (!(await isStillClear())) return 'progress';
    room.take(due.contacts.length);
    const prepared = await preparePersons(deps, run, due.contacts, donors);
    return intendPrepared(deps, run, prepared, due.atMost);
  };
}

/**
 * The number of further contacts that may be between submission and delivery. The contacts are counted only if the
 * number may be too large.
 */
interface Room {
  isLeft(): Promise<boolean>;
  /** Reserves space for this many contacts. */
  take(contacts: number): void;
}

function createRoom({ store }: Pick<SubmitDeps, 'store'>, { integration }: Run): Room {
  /**
   * The maximum number of contacts in progress. This maximum is the last count plus all contacts that were submitted
   * after the count.
   */
  let atMost = Number.POSITIVE_INFINITY;
  const isEnough = () => atMost <= MAX_UNDER_WAY - MAX_PERSONS_PER_SUBMISSION;
  return {
    async isLeft() {
      if (!isEnough()) atMost = await countContactsUnderWay(store.reader, integration.id);
      return isEnough();
    },
    take(contacts) {
      atMost += contacts;
    },
  };
}

/** Returns the next contacts to submit. Returns `not_yet` if a fuller or more urgent batch is expected. */
async function nextDue(
  { store, personsPerSubmission: full = MAX_PERSONS_PER_SUBMISSION }: SubmitDeps,
  run: Run,
  { readIsDone, trial, room }: { readIsDone: boolean; trial: Trial; room: Room },
): Promise<Due | 'not_yet'> {
  if (!(await room.isLeft())) return 'not_yet';
  const step = await trial.step(() => hasDue({ store }, run));
  run.control.submitWaits = step === 'wait';
  if (step === 'stopped') return NOTHING;
  if (step === 'wait') return 'not_yet';
  if (step !== 'over') {
    // The people in a trial are spread over all contacts, so the run must read all contacts first.
    return readIsDone ? { ...step, contacts: await spreadDue({ store }, run) } : 'not_yet';
  }
  const due = await listDueContacts(store.reader, run.integration.id, {
    // Renewing an old profile must not use a credit while the run may still read a more urgent contact.
    maxPriority: readIsDone ? PRIORITY.refresh : PRIORITY.neverEnhanced,
    limit: full,
    only: run.only,
    withChanged: readIsDone,
  });
  // Since an earlier run, the CRM may have merged a paid contact into a waiting contact. Only a reading of the CRM
  // shows this merge.
  const read = readIsDone ? due : due.filter(({ seenRun }) => seenRun === run.id);
  if (!readIsDone && (run.adopt || read.length < full)) return 'not_yet';
  if (due.length > 0 && !(await trial.isStillKnown())) return NOTHING;
  return { contacts: due, atMost: full };
}

async function hasDue({ store }: Pick<SubmitDeps, 'store'>, run: Run): Promise<boolean> {
  const due = { maxPriority: PRIORITY.refresh, limit: 1, only: run.only, withChanged: true };
  return (await listDueContacts(store.reader, run.integration.id, due)).length > 0;
}

async function intendPrepared(
  deps: SubmitDeps,
  run: Run,
  due: readonly Prepared[],
  atMost: number,
): Promise<Intended | Attempt | 'later'> {
  const prepared = await holdUnreadable(deps, run, due);
  if (prepared.length === 0) return 'progress';
  const allowance = await findAllowance(deps, run);
  if (allowance === 'later') return allowance;
  if (allowance.credits === 0) {
    const { length } = await shareProfiles(deps, run, prepared);
    if (length > 0) {
      run.control.stopSpending(
        allowance.limit,
        `No more contacts were submitted: ${allowance.limitText}.`,
      );
    }
    return 'progress';
  }
  // An open submission may contain this person. Until the service responds, nobody knows whether this submission pays
  // for the person.
  const jobs = prepared.map(({ job }) => job);
  const underWay = await findOpenPersons(deps.store.reader, run.partnerKey, jobs);
  const free = prepared.filter(({ job }) => job.person === null || !underWay.has(job.person));
  const fit = oneOfEachPerson(free).slice(0, Math.min(allowance.credits, atMost));
  const open = await listOpenSubmissions(deps.store.reader, run.partnerKey);
  const sizes = open.map(({ persons }) => persons);
  const batch = fit.slice(0, batchSize(fit.length, sizes, deps.personsPerSubmission));
  if (batch.length === 0) return 'later';
  const id = deps.newId();
  const intendedJobs = batch.map(({ job }) => job);
  const intent = await recordSubmissionIntent(deps.store.checkpoint, run.lease, {
    submissionId: id,
    runId: run.id,
    partnerKey: run.partnerKey,
    mapping: run.mapping,
    jobs: intendedJobs,
    sharing: sharingRules(deps, run),
    atOnce: MAX_SLOTS,
    keep: run.integration.budget.keep,
  });
  if (intent.recorded) {
    return { id, persons: batch.map(({ person }) => person), jobs: intendedJobs };
  }
  switch (intent.why) {
    case 'person_paid': {
      const unpaid = await shareProfiles(deps, run, prepared);
      return unpaid.length < prepared.length
        ? intendPrepared(deps, run, unpaid, atMost)
        : 'progress';
    }
    case 'balance_unknown':
      await readBalance(deps, run);
      return 'progress';
    case 'balance_changed':
      // If the balance is close to the reserve, the run reads the balance before each submission.
      return 'progress';
    case 'contacts_changed':
      // The contacts have changed, so the run checks all of them again.
      await run.control.wait(run.control.signals, CONTACTS_CHANGED_MS);
      return 'progress';
    default:
      // A different process has submitted these contacts first.
      return 'later';
  }
}

/**
 * If a job was paid for the same person, lets a contact share this job. Resolves with the contacts that cannot share a
 * job.
 */
async function shareProfiles(
  deps: SubmitDeps,
  run: Run,
  prepared: readonly Prepared[],
): Promise<Prepared[]> {
  const jobs = prepared.map(({ job }) => job);
  const rules = sharingRules(deps, run);
  const shared = await deps.store.checkpoint(run.lease, (trx) =>
    takeShares(trx, run.id, jobs, rules),
  );
  deps.log.debug({ run: run.id, contacts: shared.size }, 'contacts take jobs that are paid for');
  run.control.notify();
  return prepared.filter(({ job }) => !shared.has(job.crmId));
}

/** Keeps one contact for each person. The person's other contacts wait for the result of the kept contact's job. */
function oneOfEachPerson(prepared: readonly Prepared[]): Prepared[] {
  return [...new Map(prepared.map((each) => [each.job.person ?? each.job.crmId, each])).values()];
}

/** Returns the contacts of a submission for the journal, as fingerprints only. */
function toJournal(
  { store }: Pick<SubmitDeps, 'store'>,
  { partnerKey, mapping }: Pick<Run, 'partnerKey' | 'mapping'>,
  { id, jobs }: Intended,
): JournaledRequest {
  return {
    id,
    key: partnerKey,
    credits: jobs.length,
    subject: {
      kind: 'enhancements',
      mapping,
      contacts: jobs.map(({ crmId, identity, person, trackingId }) => ({
        contact: store.fingerprint('forgotten', crmId),
        identity,
        person,
        trackingId,
      })),
    },
  };
}

async function accept(
  deps: SubmitDeps,
  run: Run,
  { id, persons }: Intended,
  answer: Submission,
): Promise<Attempt> {
  await deps.store.checkpoint(run.lease, (trx) =>
    recordAcceptedSubmission(trx, id, {
      jobIds: answer.jobIds,
      charged: answer.processed,
    }),
  );
  run.control.notify();
  if (answer.processed < persons.length) {
    deps.log.warn(
      { run: run.id, requested: persons.length, processed: answer.processed },
      'the service processed fewer people than requested',
    );
    await readBalance(deps, run);
  }
  return answer.processed === 0 ? 'nothing_processed' : 'progress';
}

async function refuse(
  deps: SubmitDeps,
  run: Run,
  { id, persons }: Intended,
  error: unknown,
): Promise<Attempt | null> {
  if (error instanceof PartnerValidationError) return refuseBlamed(deps, run, id, persons, error);
  await deps.store.checkpoint(run.lease, (trx) => recordRefusedSubmission(trx, id));
  if (error instanceof CreditsExhausted && !run.control.ending.aborted) {
    await readBalance(deps, run);
  }
  return null;
}

/**
 * Records a refusal for the people whom the service has rejected. The people whom the service has not rejected become
 * due again.
 */
async function refuseBlamed(
  { store }: Pick<SubmitDeps, 'store'>,
  run: Run,
  submissionId: string,
  persons: Person[],
  error: PartnerValidationError,
): Promise<Attempt> {
  const blamed = blamedPersons(error).flatMap((index) => {
    const person = persons[index];
    const items = error.items.filter(({ loc }) => loc.includes(index));
    const detail = items.map(({ type, loc }) => `${loc.join('.')}: ${type}`).join('; ');
    return person ? [{ trackingId: person.trackingId, detail }] : [];
  });
  await store.checkpoint(run.lease, (trx) => recordRefusedSubmission(trx, submissionId, blamed));
  if (blamed.length === 0) {
    throw new FatalError(error.message, { code: 'submission_invalid', cause: error });
  }
  return 'progress';
}
