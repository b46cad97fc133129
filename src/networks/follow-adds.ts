/**
 * Follows bulk adds that the service is processing. Finds the result for each donor and whether the donor was paid for.
 */
import { inParallel } from '../core/parallel.ts';
import type { BulkAdd, MemberOutcome } from '../partner/networks/members.ts';
import { findMemberships, type MembershipState, membershipStatesIn } from './find-memberships.ts';
import type { NetworkDeps, NetworkRun } from './network-deps.ts';
import { judgeLostAdd } from './settle-adds.ts';
import {
  type AddRecord,
  listAddedDonors,
  listAdds,
  type MemberEnd,
  recordAddEnds,
} from './statements/network-adds.ts';

/** The delay between two polls of a job. */
const LOOK_INTERVAL_MS = 3_000;

/** The number of jobs that are polled at the same time. The result of each job is recorded separately. */
const JOBS_AT_ONCE = 4;

/**
 * The maximum number of polls. Ten minutes are enough, because a hundred donors at "a few seconds" each take less. The
 * next run polls again.
 */
const MAX_LOOKS = 200;

/** A job that runs longer than this will never end. */
const JOB_AGE_LIMIT_MS = 24 * 3_600_000;

/** Checks all bulk adds in progress once. Includes bulk adds without a response that were charged. */
export async function lookAtAdds(deps: NetworkDeps, run: NetworkRun): Promise<void> {
  for (const add of await listAdds(deps.store.reader, run.integration.id, 'unclear')) {
    if (run.control.stopping.aborted) return;
    await lookAtUnclear(deps, run, add);
  }
  await lookAtRunning(deps, run);
}

/** Waits for the running jobs to end, within a time limit. */
export async function followAdds(deps: NetworkDeps, run: NetworkRun): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    if ((await lookAtRunning(deps, run)) === 0 || run.control.stopping.aborted) return;
    await deps.clock.sleep(LOOK_INTERVAL_MS, run.control.stopping);
  }
}

/** Polls the running jobs. Resolves with the number of jobs that are still running. */
async function lookAtRunning(deps: NetworkDeps, run: NetworkRun): Promise<number> {
  const adds = await listAdds(deps.store.reader, run.integration.id, 'running');
  const states = await inParallel(adds, JOBS_AT_ONCE, async (add) =>
    run.control.stopping.aborted ? null : lookAtJob(deps, run, add),
  );
  return states.filter((state) => state === 'running').length;
}

async function lookAtJob(
  deps: NetworkDeps,
  run: NetworkRun,
  add: AddRecord,
): Promise<'running' | 'done'> {
  const { store, partner, log } = deps;
  const job = await partner.networks.readBulkAdd(add.jobId ?? '', run.control.ending);
  if (job.state === 'running' && !isTooOld(deps, add)) return 'running';
  const { adding: donors } = await listAddedDonors(store.reader, add.id);
  const named = job.state === 'completed' || job.state === 'failed' ? job.outcomes : NO_OUTCOMES;
  // If the job's result lacks a donor, donor-sync searches for the donor in the network itself.
  const unnamed = donors.filter((donorId) => !named.has(donorId));
  const places = membershipStatesIn(await findMemberships(deps, run, unnamed), add.networkId);
  const ends = new Map(
    donors.map((donorId): [string, MemberEnd] => {
      const outcome = named.get(donorId);
      if (outcome !== undefined) return [donorId, toMemberEnd(outcome)];
      return [donorId, foundEnd(places.get(donorId)) ?? failed(JOB_FAILURES[job.state])];
    }),
  );
  const unpaid = [...ends.values()].filter(({ kind }) => kind === 'unpaid').length;
  await store.checkpoint(run.lease, (trx) =>
    recordAddEnds(trx, run.id, add, ends, {
      state: 'done',
      charged: add.donors - unpaid,
    }),
  );
  log.info({ run: run.id, add: add.id, state: job.state, donors: ends.size }, 'a bulk add ended');
  if (unpaid > 0) {
    run.control.stopSpending(
      'credits_exhausted',
      'The networks bucket became empty in the middle of a bulk add. The next run adds the remaining donors.',
    );
  }
  return 'done';
}

const NO_OUTCOMES: ReadonlyMap<string, MemberOutcome> = new Map();

/** The reasons why a donor is not in the network, by the state in which the job ended. */
const JOB_FAILURES: Readonly<Record<BulkAdd['state'], string>> = {
  running: 'job_too_old',
  completed: 'member_failed',
  failed: 'job_failed',
  vanished: 'job_vanished',
};

function toMemberEnd(outcome: MemberOutcome): MemberEnd {
  switch (outcome) {
    case 'added':
      return { kind: 'added' };
    case 'alreadyMember':
      return { kind: 'already' };
    case 'notFound':
      return { kind: 'not_found' };
    case 'failed':
      return failed('member_failed');
    case 'unpaid':
      return { kind: 'unpaid' };
  }
}

/**
 * Donors that are in the network by now are members. After the age limit, donors who are not in the network count as
 * failed.
 */
async function lookAtUnclear(deps: NetworkDeps, run: NetworkRun, add: AddRecord): Promise<void> {
  const { store } = deps;
  const { adding, members } = await listAddedDonors(store.reader, add.id);
  const places = membershipStatesIn(await findMemberships(deps, run, adding), add.networkId);
  const ends = judgeLostAdd((add.charged ?? add.donors) - members.length, places);
  if (isTooOld(deps, add)) {
    for (const donorId of adding) {
      if (!ends.has(donorId)) ends.set(donorId, failed('answer_lost'));
    }
  }
  await store.checkpoint(run.lease, (trx) =>
    recordAddEnds(trx, run.id, add, ends, {
      state: ends.size === adding.length ? 'done' : 'unclear',
      charged: add.charged,
    }),
  );
}

/**
 * Returns the result that follows from the donor's state at the service. Returns null if the donor is not in the
 * network.
 */
function foundEnd(place: MembershipState | undefined): MemberEnd | null {
  if (place === 'unknown') return { kind: 'not_found' };
  return place === 'member' ? { kind: 'added' } : null;
}

function failed(detail: string): MemberEnd {
  return { kind: 'failed', detail };
}

function isTooOld({ clock }: NetworkDeps, { intendedAt }: AddRecord): boolean {
  return clock.now() - intendedAt > JOB_AGE_LIMIT_MS;
}
