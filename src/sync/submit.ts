/** The second station: due contacts → submissions, each paid for once and with a reason. */
import type { RecordLookup } from '../../connectors/contract.ts';
import { DonorSyncError, FatalError, messageOf, RetriableError } from '../core/errors.ts';
import type { OutcomeReason } from '../core/outcome.ts';
import { MAX_PERSONS_PER_SUBMISSION, type Person, personOf } from '../core/person.ts';
import {
  blamedPersons,
  CreditsExhausted,
  chargedBy,
  PartnerValidationError,
} from '../partner/errors.ts';
import type { Submission } from '../partner/submission.ts';
import type { ContactRow } from '../store/contacts.ts';
import { LEASE_MS } from '../store/leases.ts';
import type { IntendedJob } from '../store/submissions.ts';
import type { DueReason } from '../store/tables.ts';
import { findAllowance, readBalance } from './balance.ts';
import type { Run, SyncDeps } from './context.ts';
import { decideContact, PRIORITY } from './plan.ts';
import { plannedContact, planRules } from './read.ts';
import { settleOpenSubmission } from './settle.ts';

/** Contacts that may be between submission and delivery at one time. */
const MAX_UNDER_WAY = 10_000;

/** Submissions in a row that may fail for passing reasons before the run stops spending. */
const MAX_FAILURES_IN_ROW = 5;

/** The wait after the first failure; each further one waits twice as long. */
const FAILURE_WAIT_MS = 1_000;

/** Submissions in a row of which the service may process nobody before the run stops. */
const MAX_EMPTY_IN_ROW = 3;

type SubmitDeps = Omit<SyncDeps, 'sealer'>;

/** How one attempt to submit ended. */
type Attempt = 'progress' | 'nothing_processed' | 'failed';

/**
 * Submits what is due until reading is over and nothing is due any more, spending is stopped, or
 * the run ends. One submission is under way at a time: the balance before it belongs to it.
 */
export async function submitPersons(deps: SubmitDeps, run: Run): Promise<void> {
  let failures = 0;
  let empty = 0;
  while (!run.control.stopping.aborted) {
    const { rings } = run.control;
    const settled = await settleOpenSubmission(deps, run);
    if (settled === 'wait') continue;
    const readIsDone = run.control.isDone('read');
    const due = run.control.spendingStopped ? [] : await nextDue(deps, run, readIsDone);
    if (due === 'not_yet') {
      await run.control.wait(rings);
      continue;
    }
    if (due.length === 0) break;
    const attempt = await submitDue(deps, run, due);
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
): Promise<ContactRow[] | 'not_yet'> {
  const underWay = await store.contacts.countUnderWay(run.integration.id);
  if (underWay > MAX_UNDER_WAY - MAX_PERSONS_PER_SUBMISSION) return 'not_yet';
  const due = await store.contacts.listDue(run.integration.id, {
    // A refresh must not take a credit that a contact still to be read needs more.
    maxPriority: readIsDone ? PRIORITY.refresh : PRIORITY.neverEnhanced,
    limit: MAX_PERSONS_PER_SUBMISSION,
    only: run.only,
  });
  if (readIsDone || due.length === MAX_PERSONS_PER_SUBMISSION) return due;
  return 'not_yet';
}

async function submitDue(deps: SubmitDeps, run: Run, due: ContactRow[]): Promise<Attempt> {
  const allowance = await findAllowance(deps, run);
  if (allowance.credits === 0) {
    run.control.stopSpending(
      allowance.limit,
      `No more contacts were submitted: ${allowance.limitText}.`,
    );
    return 'progress';
  }
  const batch = await prepareBatch(deps, run, due.slice(0, allowance.credits));
  if (batch.persons.length === 0) return 'progress';
  const submissionId = deps.newId();
  const intent = await deps.store.submissions.recordIntent(run.lease, {
    submissionId,
    runId: run.id,
    partnerKey: run.partnerKey,
    jobs: batch.jobs,
  });
  if (!intent.recorded) {
    // Somebody else uses the key, or the contacts moved on: look at everything anew.
    if (intent.why === 'balance_unknown') await readBalance(deps, run);
    else await run.control.wait(run.control.rings);
    return 'progress';
  }
  return send(deps, run, submissionId, batch.persons);
}

interface Batch {
  persons: Person[];
  jobs: IntendedJob[];
}

/**
 * The persons as the CRM has them at this moment. Names and addresses are not kept from reading:
 * they live in memory only between here and the request.
 */
async function prepareBatch(deps: SubmitDeps, run: Run, due: ContactRow[]): Promise<Batch> {
  const rows = new Map(due.map((row) => [row.crm_id, row]));
  const batch: Batch = { persons: [], jobs: [] };
  const settled: { crmId: string; reason: OutcomeReason; removed: boolean }[] = [];
  for (const lookup of await lookUp(deps, [...rows.keys()])) {
    const row = rows.get(lookup.id);
    if (!row) continue;
    const verdict = verdictOn(deps, run, lookup, row);
    if (verdict.kind === 'settle') {
      settled.push({ crmId: lookup.id, reason: verdict.reason, removed: verdict.removed });
      continue;
    }
    if (lookup.state !== 'found') continue;
    const trackingId = deps.newId();
    batch.persons.push(personOf(lookup.contact, trackingId));
    batch.jobs.push({
      trackingId,
      crmId: lookup.id,
      identity: verdict.identity,
      reason: verdict.reason,
    });
  }
  if (settled.length > 0) await deps.store.contacts.settleDue(run.lease, run.id, settled);
  return batch;
}

async function lookUp({ connector }: SubmitDeps, ids: string[]): Promise<RecordLookup[]> {
  const lookups: RecordLookup[] = [];
  const { readBatch } = connector.capabilities;
  for (let start = 0; start < ids.length; start += readBatch) {
    lookups.push(...(await connector.readByIds(ids.slice(start, start + readBatch), [])));
  }
  return lookups;
}

type Verdict =
  | { kind: 'submit'; identity: string; reason: DueReason }
  | { kind: 'settle'; reason: OutcomeReason; removed: boolean };

/** The plan once more, on the record as it is now: it may have changed since it was read. */
function verdictOn(deps: SubmitDeps, run: Run, lookup: RecordLookup, row: ContactRow): Verdict {
  if (lookup.state === 'removed') {
    const reason = lookup.mergedInto === null ? 'deleted_in_crm' : 'merged_in_crm';
    return { kind: 'settle', reason, removed: true };
  }
  const planned = plannedContact(deps, run, lookup.contact);
  const decision = decideContact(planned, row, planRules(deps, run));
  if (decision.kind === 'choose') {
    return { kind: 'submit', identity: planned.identity, reason: decision.reason };
  }
  const reason = decision.kind === 'settle' ? decision.reason : 'profile_fresh';
  return { kind: 'settle', reason, removed: false };
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
  run.control.ring();
  if (answer.processed < persons.length) {
    log.warn(
      { run: run.id, requested: persons.length, processed: answer.processed },
      'the service processed fewer persons than requested',
    );
    await readBalance(deps, run);
  }
  return answer.processed === 0 ? 'nothing_processed' : 'progress';
}

/**
 * A process that was stopped for longer than its lease lasts must not send, nor send again after a
 * wait: another may have taken the contacts over, settled the submission and made one of its own.
 */
async function confirmLease({ store, clock }: SubmitDeps, { lease }: Run): Promise<void> {
  const askedAt = clock.now();
  await store.leases.renew(lease);
  if (clock.now() - askedAt > LEASE_MS / 2) {
    throw new RetriableError('It took too long to find out whether the lease is still held.', {
      code: 'lease_doubtful',
    });
  }
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
  if (error instanceof DonorSyncError && error.kind === 'retriable') {
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
