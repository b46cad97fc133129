/** The second station: due contacts → submissions, each paid for once and with a reason. */
import { FatalError, isDonorSyncError, messageOf } from '../core/errors.ts';
import { MAX_PERSONS_PER_SUBMISSION, type Person } from '../core/person.ts';
import {
  blamedPersons,
  CreditsExhausted,
  chargedBy,
  PartnerValidationError,
} from '../partner/errors.ts';
import type { Submission } from '../partner/submission.ts';
import { confirmLease } from '../run/confirm-lease.ts';
import type { Run, SyncDeps } from '../run/context.ts';
import type { ContactRecord } from '../store/contacts/contacts.ts';
import { PRIORITY } from '../store/contacts/life.ts';
import { findAllowance, readBalance } from './balance.ts';
import { adoptDonors, createDonorCheck } from './foreign-donors.ts';
import { holdMassChange } from './mass-change.ts';
import { type Prepared, preparePersons } from './prepare-persons.ts';
import { settleOpenSubmission } from './settle.ts';
import { sharingRules } from './sharing.ts';
import { createTrial, spreadDue, type Trial } from './trial-round.ts';

/** Contacts that may be between submission and delivery at one time. */
const MAX_UNDER_WAY = 10_000;

/** Submissions in a row that may fail for passing reasons before the run stops spending. */
const MAX_FAILURES_IN_ROW = 5;

/** The wait after the first failure; each further one waits twice as long. */
const FAILURE_WAIT_MS = 1_000;

/** Submissions in a row of which the service may process nobody before the run stops. */
const MAX_EMPTY_IN_ROW = 3;

type SubmitDeps = Omit<SyncDeps, 'sealer'>;

/** Contacts to submit. */
interface Due {
  contacts: ContactRecord[];
  /** The most of them that may cost a credit now. */
  atMost: number;
}

const NOTHING: Due = { contacts: [], atMost: 0 };

/** How one attempt to submit ended. */
type Attempt = 'progress' | 'nothing_processed' | 'failed';

/**
 * Submits what is due until reading is over and nothing is due any more, spending is stopped, or
 * the run ends. One submission is under way at a time: the balance before it belongs to it.
 */
export async function submitPersons(deps: SubmitDeps, run: Run): Promise<void> {
  const trial = createTrial(deps, run);
  const donors = createDonorCheck(run);
  let failures = 0;
  let empty = 0;
  let isGuarded = false;
  while (!run.control.stopping.aborted) {
    const { signals } = run.control;
    const settled = await settleOpenSubmission(deps, run);
    if (settled === 'wait') continue;
    const readIsDone = run.control.isDone('read');
    if (readIsDone && !isGuarded) {
      await holdMassChange(deps, run);
      if (run.adopt) await adoptDonors(deps, run);
      isGuarded = true;
    }
    const due = run.control.spendingStopped ? NOTHING : await nextDue(deps, run, readIsDone, trial);
    if (due === 'not_yet') {
      await run.control.wait(signals);
      continue;
    }
    if (due.contacts.length === 0) break;
    const prepared = await preparePersons(deps, run, due.contacts, donors);
    const attempt = await submitPrepared(deps, run, prepared, due.atMost);
    failures = attempt === 'failed' ? failures + 1 : 0;
    empty = attempt === 'nothing_processed' ? empty + 1 : 0;
    if (failures === MAX_FAILURES_IN_ROW || empty === MAX_EMPTY_IN_ROW) {
      run.control.stopSpending(
        'partner_unavailable',
        `The Partner Data Service took nobody in ${failures || empty} submissions in a row. The next run tries again.`,
      );
    } else if (failures > 0) {
      const wait = FAILURE_WAIT_MS * 2 ** (failures - 1);
      await deps.clock.sleep(wait, run.control.stopping);
    }
  }
  run.control.finish('submit');
}

/** The next contacts to submit, or `not_yet` while a fuller or fitter batch is to come. */
async function nextDue(
  { store }: SubmitDeps,
  run: Run,
  readIsDone: boolean,
  trial: Trial,
): Promise<Due | 'not_yet'> {
  const underWay = await store.contacts.countUnderWay(run.integration.id);
  if (underWay > MAX_UNDER_WAY - MAX_PERSONS_PER_SUBMISSION) return 'not_yet';
  const step = await trial.step(() => hasDue({ store }, run));
  if (step === 'stopped') return NOTHING;
  if (step === 'wait') return 'not_yet';
  if (step !== 'over') {
    // Spread over all contacts, which are known once all are read.
    return readIsDone ? { ...step, contacts: await spreadDue({ store }, run) } : 'not_yet';
  }
  const due = await store.contacts.listDue(run.integration.id, {
    // A refresh must not take a credit that a contact still to be read needs more.
    maxPriority: readIsDone ? PRIORITY.refresh : PRIORITY.neverEnhanced,
    limit: MAX_PERSONS_PER_SUBMISSION,
    only: run.only,
    withChanged: readIsDone,
  });
  if (!readIsDone && (run.adopt || due.length < MAX_PERSONS_PER_SUBMISSION)) return 'not_yet';
  if (due.length > 0 && !(await trial.isStillKnown())) return NOTHING;
  return { contacts: due, atMost: MAX_PERSONS_PER_SUBMISSION };
}

async function hasDue({ store }: Pick<SubmitDeps, 'store'>, run: Run): Promise<boolean> {
  const due = { maxPriority: PRIORITY.refresh, limit: 1, only: run.only, withChanged: true };
  return (await store.contacts.listDue(run.integration.id, due)).length > 0;
}

async function submitPrepared(
  deps: SubmitDeps,
  run: Run,
  prepared: readonly Prepared[],
  atMost: number,
): Promise<Attempt> {
  if (prepared.length === 0) return 'progress';
  const allowance = await findAllowance(deps, run);
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
  const batch = oneOfEachPerson(prepared).slice(0, Math.min(allowance.credits, atMost));
  const submissionId = deps.newId();
  const intent = await deps.store.submissions.recordIntent(run.lease, {
    submissionId,
    runId: run.id,
    partnerKey: run.partnerKey,
    mapping: run.mapping,
    jobs: batch.map(({ job }) => job),
    sharing: sharingRules(deps, run),
  });
  if (intent.recorded) {
    const persons = batch.map(({ person }) => person);
    return send(deps, run, submissionId, persons);
  }
  if (intent.why === 'person_paid') {
    const unpaid = await shareProfiles(deps, run, prepared);
    return unpaid.length < prepared.length ? submitPrepared(deps, run, unpaid, atMost) : 'progress';
  }
  // Somebody else uses the key, or the contacts moved on: look at everything anew.
  if (intent.why === 'balance_unknown') await readBalance(deps, run);
  else await run.control.wait(run.control.signals);
  return 'progress';
}

/** Lets contacts take jobs that were paid for the same persons; resolves with the others. */
async function shareProfiles(
  deps: SubmitDeps,
  run: Run,
  prepared: readonly Prepared[],
): Promise<Prepared[]> {
  const jobs = prepared.map(({ job }) => job);
  const rules = sharingRules(deps, run);
  const shared = await deps.store.shares.take(run.lease, run.id, jobs, rules);
  deps.log.debug({ run: run.id, contacts: shared.size }, 'contacts take jobs that are paid for');
  run.control.notify();
  return prepared.filter(({ job }) => !shared.has(job.crmId));
}

/** Of contacts that are the same person one is submitted; the others wait for its job. */
function oneOfEachPerson(prepared: readonly Prepared[]): Prepared[] {
  return [...new Map(prepared.map((each) => [each.job.person ?? each.job.crmId, each])).values()];
}

/** Sends what is on disk as intended, and puts on disk how it went. */
async function send(
  deps: SubmitDeps,
  run: Run,
  submissionId: string,
  persons: Person[],
): Promise<Attempt> {
  const { store, partner, log } = deps;
  let answer: Submission;
  try {
    answer = await partner.submitEnhancements(persons, run.control.ending, () =>
      confirmLease(deps, run),
    );
  } catch (error) {
    return recordFailure(deps, run, submissionId, persons, error);
  }
  // Outside the `try`: should this fail, the intent stays open and is settled by the balance.
  await store.submissions.recordAccepted(run.lease, submissionId, {
    jobIds: answer.jobIds,
    charged: answer.processed,
  });
  run.control.notify();
  if (answer.processed < persons.length) {
    log.warn(
      { run: run.id, requested: persons.length, processed: answer.processed },
      'the service processed fewer persons than requested',
    );
    await readBalance(deps, run);
  }
  return answer.processed === 0 ? 'nothing_processed' : 'progress';
}

async function recordFailure(
  deps: SubmitDeps,
  run: Run,
  submissionId: string,
  persons: Person[],
  error: unknown,
): Promise<Attempt> {
  const { store, log } = deps;
  if (chargedBy(error) === 'unknown') {
    log.warn({ run: run.id, submission: submissionId }, messageOf(error));
    await store.submissions.recordLost(run.lease, submissionId);
    return 'progress';
  }
  if (error instanceof PartnerValidationError) {
    return recordInvalid({ store }, run, submissionId, persons, error);
  }
  await store.submissions.recordRefused(run.lease, submissionId);
  if (run.control.ending.aborted) return 'progress';
  if (error instanceof CreditsExhausted) {
    await readBalance(deps, run);
    run.control.stopSpending('credits_exhausted', error.message);
    return 'progress';
  }
  if (isDonorSyncError(error) && error.kind === 'retriable') {
    log.warn({ run: run.id, submission: submissionId }, error.message);
    return 'failed';
  }
  throw error;
}

/** Leaves out the persons that the service blames; the others are due again. */
async function recordInvalid(
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
  await store.submissions.recordRefused(run.lease, submissionId, blamed);
  if (blamed.length === 0) {
    throw new FatalError(error.message, { code: 'submission_invalid', cause: error });
  }
  return 'progress';
}
