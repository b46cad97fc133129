/** The fourth station: results ► guard ► map ► diff ► CRM. */
import { countContactWork } from '../contacts/contacts.ts';

import type { OutcomeReason } from '../core/outcome.ts';
import { createMutex, inSteps, type Mutex } from '../core/parallel.ts';
import type { Profile } from '../core/profile.ts';
import { profileDays } from '../core/retention.ts';
import {
  countCompletedJobs,
  countRunningJobs,
  listReadyJobs,
  type ReadyJob,
} from '../credits/statements/jobs.ts';
import { decryptProfile, encryptProfile, NOT_KEPT } from '../fields/kept-profile.ts';
import { recordDeliveries } from '../fields/statements/deliveries.ts';
import type { Delivery } from '../fields/statements/delivery-ends.ts';
import {
  findProfilesOfJobs,
  noteFieldMap,
  type ProfileToKeep,
} from '../fields/statements/kept-profiles.ts';
import type { ValueNote } from '../fields/statements/value-states.ts';
import { fingerprintFieldMap } from '../fields/value-states.ts';
import { writeFields } from '../fields/write.ts';
import type { JobResult } from '../partner/results.ts';
import type { Run, SyncDeps } from './control/context.ts';
import { IDLE_MS } from './control/control.ts';
import { planBatch } from './delivery/batch-plan.ts';
import { readCircumstances } from './delivery/circumstances.ts';
import { fetchResults } from './delivery/paid-profiles.ts';
import { holdDonorChanges } from './guards/donor-changes.ts';
import { recordProgress } from './guards/since-backup.ts';
import { isTooYoungToVanish } from './poll.ts';
import { concludeDelivery, type Fetched, planDelivery } from './profile-delivery.ts';

/** The number of simultaneous batches. While one batch is written, another batch fetches its results. */
const LANES = 2;

/**
 * The number of contacts that a batch compares with the CRM before it lets other work run. The comparison of this many
 * contacts takes about six milliseconds.
 */
const PLANNED_AT_ONCE = 30;

/**
 * The time that a batch waits for more contacts if no job is running. If no contacts are left to submit, the batch does
 * not wait.
 */
const SHORT_PATIENCE_MS = 250;

type DeliverDeps = Pick<
  SyncDeps,
  'store' | 'connector' | 'partner' | 'sealer' | 'clock' | 'log' | 'newId' | 'retention'
>;

/** Delivers profiles until polling has ended and all completed jobs are delivered. */
export async function deliverProfiles(deps: DeliverDeps, run: Run): Promise<void> {
  await deps.store.checkpoint(run.lease, (trx) =>
    noteFieldMap(trx, fingerprintFieldMap(deps, run.mappings)),
  );
  const claims: Claims = { claimed: new Set(), mutex: createMutex() };
  // Writes one batch at a time, because parallel writes would only wait for each other's locks in the CRM.
  const crm = createMutex();
  // Waits for every lane even if one lane fails, because no write may happen after the run has ended.
  const lanes = Array.from({ length: LANES }, () =>
    stopOnError(run, deliverLane(deps, run, claims, crm)),
  );
  const ended = await Promise.allSettled(lanes);
  const failed = ended.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  run.control.finish('deliver');
}

/**
 * The jobs that the delivery lanes have claimed. Only one lane claims jobs at a time, so two lanes never claim the same
 * job or send the same query.
 */
interface Claims {
  claimed: Set<string>;
  mutex: Mutex;
}

async function deliverLane(deps: DeliverDeps, run: Run, claims: Claims, crm: Mutex): Promise<void> {
  const { claimed } = claims;
  for (;;) {
    const batch = await claims.mutex.take(() => nextBatch(deps, run, claimed));
    if (batch === null) return;
    await deliverBatch(deps, run, batch, crm);
    for (const { job } of batch) claimed.delete(job.trackingId);
  }
}

/** Waits for a batch and claims its jobs. Returns null if no further batch can come, or if the run stops. */
async function nextBatch(
  deps: DeliverDeps,
  run: Run,
  claimed: Set<string>,
): Promise<ReadyJob[] | null> {
  const { store, clock, connector } = deps;
  let waitingSince: number | null = null;
  while (!run.control.stopping.aborted) {
    const { signals } = run.control;
    const pollIsDone = run.control.isDone('poll');
    // Usually, no job is ready yet. Counting jobs is much cheaper than listing jobs.
    const done = await countCompletedJobs(store.reader, run.integration.id);
    if (done === 0) {
      if (pollIsDone) return null;
      waitingSince = null;
      await run.control.wait(signals);
      continue;
    }
    const toCome = await contactsToCome(deps, run, pollIsDone);
    const { size, patienceMs } = planBatch(connector.capabilities.writeBatch, toCome);
    const waitedMs: number = waitingSince === null ? 0 : clock.now() - waitingSince;
    const isHurried = pollIsDone || (await isPatienceOver(deps, run, waitedMs, patienceMs));
    const { batch, waiting } = await claim(deps, run, claimed, { done, size, isHurried });
    if (batch.length > 0) return batch;
    if (waiting === 0 && pollIsDone) return null;
    waitingSince = waiting === 0 ? null : (waitingSince ?? clock.now());
    // A signal ends the wait when a job ends.
    const isShort = waitedMs < SHORT_PATIENCE_MS;
    const leftMs = (isShort ? SHORT_PATIENCE_MS : patienceMs) - waitedMs;
    await run.control.wait(signals, waiting === 0 ? IDLE_MS : Math.min(leftMs, IDLE_MS));
  }
  return null;
}

interface Claimed {
  batch: ReadyJob[];
  waiting: number;
}

/** Claims a full batch of jobs. If the batch has waited long enough, claims all jobs that are ready. */
async function claim(
  { store }: DeliverDeps,
  run: Run,
  claimed: Set<string>,
  { done, size, isHurried }: { done: number; size: number; isHurried: boolean },
): Promise<Claimed> {
  const waiting = Math.max(0, done - claimed.size);
  if (waiting < size && !isHurried) return { batch: [], waiting };
  const ready = await listReadyJobs(store.reader, run.integration.id, {
    runId: run.id,
    limit: size,
    except: claimed,
  });
  if (ready.length < size && !isHurried) return { batch: [], waiting: ready.length };
  for (const { job } of ready) claimed.add(job.trackingId);
  return { batch: ready, waiting: ready.length };
}

/**
 * Returns the number of further contacts that this run may deliver. Queries the database only if the caller needs the
 * number.
 */
async function contactsToCome(
  { store, connector }: DeliverDeps,
  run: Run,
  pollIsDone: boolean,
): Promise<number> {
  if (connector.capabilities.writeBatch.bulk === null) return 0;
  const { due, submitted, ready } = await countContactWork(store.reader, run.integration.id);
  if (pollIsDone) return ready;
  return submitted + ready + (run.control.spendingStopped ? 0 : due);
}

/** True if the batch should not wait any longer. Waiting is worthwhile only while running jobs could fill the batch. */
async function isPatienceOver(
  { store }: DeliverDeps,
  run: Run,
  waitedMs: number,
  patienceMs: number,
): Promise<boolean> {
  if (waitedMs < SHORT_PATIENCE_MS && !run.control.submitWaits) return false;
  if (waitedMs >= patienceMs) return true;
  return (await countRunningJobs(store.reader, run.integration.id, null)).all === 0;
}

async function deliverBatch(
  deps: DeliverDeps,
  run: Run,
  ready: ReadyJob[],
  crm: Mutex,
): Promise<void> {
  const fetched = await fetchProfiles(deps, run, ready);
  if (fetched.length > 0) {
    await crm.take(async () => {
      if (run.control.stopping.aborted) return;
      // If the run stops during this batch, the lane does not start another batch.
      await stopOnError(run, deliverFetched(deps, run, fetched));
    });
  }
  // Contacts without a profile also need the signal, because the trial of the mapping waits for their results.
  run.control.notify();
}

/** Runs the work. If the work fails, ends the run and rethrows the error. */
async function stopOnError(run: Run, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    run.control.stopFor(error);
    throw error;
  }
}

async function deliverFetched(deps: DeliverDeps, run: Run, fetched: Fetched[]): Promise<void> {
  const deliveries = await writeProfiles(deps, run, fetched);
  await deps.store.checkpoint(run.lease, (trx) => recordDeliveries(trx, run.id, deliveries));
}

/** Fetches results, ten per request. Finishes jobs without a profile here, and records their reason. */
async function fetchProfiles(deps: DeliverDeps, run: Run, ready: ReadyJob[]): Promise<Fetched[]> {
  const results = await fetchResults(deps, ready, run.control.ending);
  const fetched: Fetched[] = [];
  const ended = { vanished: [] as string[], failed: [] as string[] };
  const unwritten = new Set<string>();
  const postponed: Delivery[] = [];
  const kept = await findKept(deps, run, ready, results);
  for (const entry of ready) {
    const result = results.get(entry.jobId) ?? { state: 'processing' };
    const profile = kept.get(entry.job.trackingId);
    if (profile !== undefined) fetched.push({ ready: entry, profile });
    else if (result.state === 'completed') fetched.push({ ready: entry, profile: result.profile });
    else if (result.state === 'failed') ended.failed.push(entry.job.trackingId);
    else if (result.state !== 'vanished') postponed.push(withoutProfile(entry, result));
    else if (isTooYoungToVanish(entry.job.submittedAt, deps.clock.now())) {
      postponed.push(withoutProfile(entry, { state: 'processing' }));
    } else {
      ended.vanished.push(entry.job.trackingId);
      // The run has already read this profile, so the credit has certainly bought a profile.
      if (entry.job.known === 1) unwritten.add(entry.job.trackingId);
    }
  }
  await recordWithoutProfile(deps, run, { ...ended, unwritten }, postponed);
  return fetched;
}

/**
 * Finds stored profiles of jobs whose results the service has already deleted. The service deletes a result after a few
 * days. A contact can wait longer, for example for a decision, for the confirmation of a mark, or because its record is
 * locked.
 */
async function findKept(
  deps: DeliverDeps,
  run: Run,
  ready: readonly ReadyJob[],
  results: ReadonlyMap<string, JobResult>,
): Promise<Map<string, Profile>> {
  const vanished = ready.filter(({ jobId }) => results.get(jobId)?.state === 'vanished');
  const trackingIds = vanished.map(({ job }) => job.trackingId);
  const kept = await findProfilesOfJobs(deps.store.reader, run.integration.id, trackingIds);
  return new Map([...kept].map(([id, record]) => [id, decryptProfile(deps, record)]));
}

function withoutProfile(
  entry: ReadyJob,
  result: Extract<JobResult, { state: 'processing' | 'unreadable' }>,
): Delivery {
  return {
    crmId: entry.contact.crmId,
    trackingId: entry.job.trackingId,
    reason: result.state === 'unreadable' ? 'profile_unreadable' : 'job_running',
    detail: result.state === 'unreadable' ? result.problem : null,
    end: { kind: 'postponed', writeId: null, enhanced: false },
  };
}

/** The tracking IDs of jobs that ended without a profile. */
interface Ended {
  vanished: string[];
  failed: string[];
  /** Vanished jobs whose profiles donor-sync has read but not written. */
  unwritten: ReadonlySet<string>;
}

async function recordWithoutProfile(
  deps: DeliverDeps,
  run: Run,
  { vanished, failed, unwritten }: Ended,
  postponed: Delivery[],
): Promise<void> {
  if (vanished.length > 0 || failed.length > 0) {
    await recordProgress(deps, run, { vanished, failed, completed: [], tooOld: [] }, unwritten);
  }
  if (postponed.length > 0) {
    await deps.store.checkpoint(run.lease, (trx) => recordDeliveries(trx, run.id, postponed));
  }
}

/** Compares each profile with the current values in the CRM and writes the differences. */
async function writeProfiles(deps: DeliverDeps, run: Run, fetched: Fetched[]): Promise<Delivery[]> {
  const askedAtMs = deps.clock.monotonicMs();
  const known = await readCircumstances(deps, run, fetched);
  const all = await inSteps(fetched, PLANNED_AT_ONCE, (item) =>
    planDelivery(deps, run, item, {
      ...known.of(item),
      refusedSince: refusalSince(run, item.ready.contact.crmId, askedAtMs),
    }),
  );
  const planned = await holdDonorChanges(deps, run, all, known.approvals);
  // Computed once per batch, because fingerprinting all field map lines is the most expensive part of storing a
  // profile.
  const { fieldMap } = fingerprintFieldMap(deps, run.mappings);
  const ended = planned.flatMap((plan, at) => {
    if (plan.kind !== 'ended') return [];
    const item = fetched[at];
    return item === undefined || !isKept(plan.delivery)
      ? plan.delivery
      : keep(item, plan.delivery, []);
  });
  const offered = planned.flatMap((plan) => (plan.kind === 'fields' ? plan : []));
  const plans = offered.map(({ plan }) => plan);
  const ends = await writeFields(deps, run, plans);
  const written = offered.flatMap(({ fetched: item, identity, plan }) => {
    const end = ends.get(plan.crmId);
    return end ? keep(item, concludeDelivery(item, identity, end), end.values) : [];
  });
  return [...ended, ...written];

  function keep(item: Fetched, delivery: Delivery, values: readonly ValueNote[]): Delivery {
    return { ...delivery, kept: toKeep(deps, run, item, { fieldMap, values }) };
  }
}

/**
 * True if donor-sync keeps the profile. donor-sync keeps no profile for a contact that has left the CRM or that may be
 * an erased person.
 */
function isKept({ reason, end }: Delivery): boolean {
  if (reason === 'forgotten' || reason === 'forgotten_person') return false;
  if (end.kind === 'postponed' && end.looksErased === true) return false;
  return end.kind !== 'dropped' || !end.removed;
}

/** Returns a profile in its stored form, with the values that the CRM does not contain yet. */
function toKeep(
  deps: Pick<DeliverDeps, 'store' | 'sealer' | 'retention'>,
  run: Run,
  { ready, profile }: Fetched,
  offered: Pick<ProfileToKeep, 'fieldMap' | 'values'>,
): ProfileToKeep {
  const donor = deps.store.fingerprint('donor', profile.donorId);
  const encrypted =
    profileDays(run.integration, deps.retention) === 0
      ? NOT_KEPT
      : encryptProfile(deps, run.integration.id, ready.contact.crmId, profile);
  return { ...encrypted, ...offered, donor, paidAt: ready.job.submittedAt };
}

/**
 * Returns the reason why a contact must not be submitted. The run noticed the reason on a page that it read after it
 * requested the contact's record. Returns null if no page has shown a reason.
 */
function refusalSince(
  { refused }: Pick<Run, 'refused'>,
  crmId: string,
  sinceMs: number,
): OutcomeReason | null {
  const known = refused?.get(crmId);
  return known !== undefined && known.atMs >= sinceMs ? known.reason : null;
}
