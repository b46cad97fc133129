/** Joiners → members: bulk adds, each paid for once and with its intent on disk. */
import { isDonorSyncError, messageOf } from '../core/errors.ts';
import { MAX_DONORS_PER_REQUEST } from '../partner/donor-batch.ts';
import { CreditsExhausted, chargedBy, PartnerNotFound } from '../partner/errors.ts';
import { type Allowance, allowanceOf, startOfMonth } from '../run/budget.ts';
import { ClockWrong } from '../run/confirm-clock.ts';
import { confirmLease } from '../run/confirm-lease.ts';
import type { AddIntent } from '../store/networks/network-adds.ts';
import type { NetworkRecord } from '../store/networks/networks.ts';
import type { NetworkDeps, NetworkRun } from './context.ts';
import { findMembership } from './membership.ts';
import { planMembers } from './plan-members.ts';
import { settleUnansweredAdd } from './settle-adds.ts';
import { findWhereabouts } from './whereabouts.ts';

/** A network that the service has. */
export type PresentNetwork = NetworkRecord & { networkId: string };

/** More bulk adds than any group needs; one is sent in each round, or found to be impossible. */
const MAX_ROUNDS = 10_000;

/** Bulk adds in a row that may fail for passing reasons before the run stops spending. */
const MAX_FAILURES_IN_ROW = 5;

/** The wait after the first failure; each further one waits twice as long. */
const FAILURE_WAIT_MS = 1_000;

/**
 * How one attempt to add ended; after `over` no other makes sense in this run. `not_found` leaves open
 * whether the network or a donor is meant.
 */
type Attempt = 'progress' | 'failed' | 'over' | 'not_found';

/** Where the limits of the networks bucket stand in the settings. */
export const NETWORKS_PURSE = { bucket: 'networks', setting: 'budget.networks' } as const;

/**
 * Sends joiners until there are none left, the credits end, or the run stops; their jobs are
 * followed elsewhere. Throws PartnerNotFound if the network is gone.
 */
export async function addJoiners(
  deps: NetworkDeps,
  run: NetworkRun,
  network: PresentNetwork,
): Promise<void> {
  let failures = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (!(await settleUnansweredAdd(deps, run))) return;
    const { joiners } = planMembers(await findMembership(deps, network));
    if (joiners.length === 0) return;
    const attempt = await addSome(deps, run, network, joiners);
    if (attempt === 'over') return;
    failures = attempt === 'failed' ? failures + 1 : 0;
    if (failures === MAX_FAILURES_IN_ROW) return stopForFailures(run, network, failures);
    if (failures > 0) {
      await deps.clock.sleep(FAILURE_WAIT_MS * 2 ** (failures - 1), run.control.stopping);
    }
  }
}

function stopForFailures({ control }: NetworkRun, { name }: NetworkRecord, failures: number): void {
  control.stopSpending(
    'partner_unavailable',
    `The Partner Data Service took nobody for "${name}" in ${failures} requests in a row. The next run tries again.`,
  );
}

async function addSome(
  deps: NetworkDeps,
  run: NetworkRun,
  network: PresentNetwork,
  joiners: readonly string[],
): Promise<Attempt> {
  const { store, partner, newId } = deps;
  const { networks: balanceBefore } = await partner.readCredits(run.control.ending);
  const { credits, limit, limitText } = await findNetworkAllowance(deps, run, balanceBefore);
  if (credits === 0) {
    const message = `${joiners.length} more could not be added to "${network.name}": ${limitText}.`;
    run.control.stopSpending(limit, message);
    return 'over';
  }
  const intent: AddIntent = {
    id: newId(),
    runId: run.id,
    partnerKey: run.partnerKey,
    network: network.id,
    networkId: network.networkId,
    donorIds: joiners.slice(0, Math.min(credits, MAX_DONORS_PER_REQUEST)),
    balanceBefore,
  };
  // Somebody else with the same key may have been faster: their bulk add is waited for.
  if (!(await store.networks.recordIntent(run.lease, intent))) return 'progress';
  return send(deps, run, network, intent);
}

/** What may be spent of the networks bucket now. */
export async function findNetworkAllowance(
  { store, clock }: Pick<NetworkDeps, 'store' | 'clock'>,
  { id, integration }: Pick<NetworkRun, 'id' | 'integration'>,
  balance: number,
): Promise<Allowance> {
  const monthStart = startOfMonth(clock.now(), integration.schedule?.timezone ?? 'UTC');
  return allowanceOf(
    integration.budget.networks,
    {
      balance,
      thisRun: await store.networks.spentByRun(id),
      thisMonth: await store.networks.spentSince(integration.id, monthStart),
    },
    NETWORKS_PURSE,
  );
}

/** Sends what is on disk as intended, and puts on disk how it went. */
async function send(
  deps: NetworkDeps,
  run: NetworkRun,
  network: PresentNetwork,
  { id, donorIds }: AddIntent,
): Promise<Attempt> {
  const { store, partner } = deps;
  let jobId: string;
  try {
    const job = await partner.networks.addMembers(
      network.networkId,
      donorIds,
      run.control.ending,
      () => confirmLease(deps, run),
    );
    jobId = job.jobId;
  } catch (error) {
    const attempt = await recordFailure(deps, run, id, error);
    if (attempt === 'not_found') await setUnknownAside(deps, run, network, donorIds, error);
    return attempt;
  }
  // Outside the `try`: should this fail, the intent stays open and is settled like a lost answer.
  await store.networks.recordAccepted(run.lease, id, jobId);
  return 'progress';
}

async function recordFailure(
  { store, log }: NetworkDeps,
  run: NetworkRun,
  addId: string,
  error: unknown,
): Promise<Attempt> {
  const facts = { run: run.id, add: addId };
  if (chargedBy(error) === 'unknown') {
    log.warn(facts, messageOf(error));
    await store.networks.recordLost(run.lease, addId);
    return 'progress';
  }
  await store.networks.recordRefused(run.lease, addId);
  if (run.control.ending.aborted) return 'over';
  if (error instanceof PartnerNotFound) return 'not_found';
  if (error instanceof ClockWrong) return 'over';
  if (error instanceof CreditsExhausted) {
    run.control.stopSpending('credits_exhausted', error.message);
    return 'over';
  }
  if (isDonorSyncError(error) && error.kind === 'retriable') {
    log.warn(facts, error.message);
    return 'failed';
  }
  throw error;
}

/** Donors whom the service does not know must not keep the others out for ever. */
async function setUnknownAside(
  deps: NetworkDeps,
  run: NetworkRun,
  { id, networkId }: PresentNetwork,
  donorIds: readonly string[],
  error: unknown,
): Promise<void> {
  const listed = await deps.partner.networks.list(run.control.ending);
  if (!listed.some((network) => network.networkId === networkId)) throw error;
  const whereabouts = await findWhereabouts(deps, run, donorIds);
  const unknown = donorIds.filter((donorId) => whereabouts.get(donorId) === null);
  if (unknown.length === 0) throw error;
  const place = { state: 'not_found', detail: null } as const;
  await deps.store.networks.recordMembers(run.lease, id, unknown, place);
}
