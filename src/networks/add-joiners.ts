/**
 * Adds joiners to networks with bulk adds. donor-sync pays for each joiner only once, and records the intent on disk
 * before it sends the request.
 */

import { hasMembersToRecall } from '../backup/restores.ts';
import { type Allowance, getAllowance, startOfMonth } from '../credits/budget.ts';
import { type Attempt, spend } from '../credits/spend.ts';
import { MAX_DONORS_PER_REQUEST } from '../partner/donor-batch.ts';
import { PartnerNotFound } from '../partner/errors.ts';
import { findMemberships, findPresent } from './find-memberships.ts';
import { findMembership, planMembers } from './membership.ts';
import type { NetworkDeps, NetworkRun } from './network-deps.ts';
import { addProof } from './settle-adds.ts';
import {
  type AddIntent,
  findSpendMark,
  getNetworkCreditsByRun,
  getNetworkCreditsSince,
  recordAddAccepted,
  recordAddIntent,
  recordAddLost,
  recordAddRefused,
} from './statements/network-adds.ts';
import { recordNetworkMembers } from './statements/network-members.ts';
import type { NetworkRecord } from './statements/networks.ts';
import { takeRecalledAdds } from './statements/recalled-adds.ts';

/** A network that exists at the service. */
export type PresentNetwork = NetworkRecord & { networkId: string };

/** The settings section that contains the limits of the networks bucket. */
const NETWORKS = { bucket: 'networks', setting: 'budget.networks' } as const;

/**
 * Sends joiners until none are left, the credits are used up, or the run stops. Does not wait for the service's jobs.
 * Throws PartnerNotFound if the network no longer exists.
 */
export async function addJoiners(
  deps: NetworkDeps,
  run: NetworkRun,
  network: PresentNetwork,
): Promise<void> {
  const { store, partner } = deps;
  await recallMembers(deps, run, network);
  await spend(deps, run, {
    ...addProof(deps, run),
    what: `bulk adds to "${network.name}"`,
    intend: () => intend(deps, run, network),
    toJournal: ({ id, networkId, donorIds }) => ({
      id,
      key: run.partnerKey,
      credits: donorIds.length,
      subject: {
        kind: 'networks',
        networkId,
        donors: donorIds.map((donorId) => store.fingerprint('introducer', donorId)),
      },
    }),
    // The maximum cost of the job. The job's result contains the actual cost.
    toJournaledEnd: ({ jobId, donorIds }, { id }) => ({
      charged: donorIds.length,
      jobs: { [id]: jobId },
    }),
    send: ({ donorIds }, mayLeave) =>
      partner.networks.addMembers(network.networkId, donorIds, run.control.ending, mayLeave),
    async accept({ id }, { jobId }) {
      await store.checkpoint(run.lease, (trx) => recordAddAccepted(trx, id, jobId));
      return 'progress';
    },
    async lose({ id }) {
      await store.checkpoint(run.lease, (trx) => recordAddLost(trx, id));
      return 'progress';
    },
    async refuse({ id, donorIds }, error) {
      await store.checkpoint(run.lease, (trx) => recordAddRefused(trx, id));
      if (!(error instanceof PartnerNotFound) || run.control.ending.aborted) return null;
      await setUnknownAside(deps, run, network, donorIds, error);
      return 'progress';
    },
  });
}

/**
 * After a restore, reads from the service which donors are members. The backup may lack some members, and adding each
 * of them again would cost a credit.
 */
async function recallMembers(
  deps: NetworkDeps,
  run: NetworkRun,
  network: PresentNetwork,
): Promise<void> {
  const { store } = deps;
  if (!(await hasMembersToRecall(store.reader, run.integration.id))) return;
  const { joiners } = planMembers(await findMembership(deps, network));
  const present = await findPresent(deps, run, network.networkId, joiners);
  if (present.length === 0) return;
  const place = { state: 'member', detail: null } as const;
  await store.checkpoint(run.lease, (trx) => recordNetworkMembers(trx, network.id, present, place));
}

/** Records a bulk add of the first joiners. */
async function intend(
  deps: NetworkDeps,
  run: NetworkRun,
  network: PresentNetwork,
): Promise<AddIntent | Attempt> {
  const { store, partner, newId } = deps;
  const { joiners } = planMembers(await findMembership(deps, network));
  if (joiners.length === 0) return 'over';
  const taken = await store.checkpoint(run.lease, (trx) => takeRecalledAdds(trx, network, joiners));
  if (taken > 0) return 'progress';
  const spendMark = await findSpendMark(store.reader, run.partnerKey);
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
    spendMark,
  };
  // A different run with the same key may have sent a bulk add first. This run then waits for that bulk add.
  return (await store.checkpoint(run.lease, (trx) => recordAddIntent(trx, intent)))
    ? intent
    : 'progress';
}

/** Returns the number of credits from the networks bucket that may be spent now. */
export async function findNetworkAllowance(
  { store, clock }: Pick<NetworkDeps, 'store' | 'clock'>,
  { id, integration }: Pick<NetworkRun, 'id' | 'integration'>,
  balance: number,
): Promise<Allowance> {
  const monthStart = startOfMonth(clock.now(), integration.schedule?.timezone ?? 'UTC');
  return getAllowance(
    integration.budget.networks,
    {
      balance,
      thisRun: await getNetworkCreditsByRun(store.reader, id),
      thisMonth: await getNetworkCreditsSince(store.reader, integration.id, monthStart),
    },
    NETWORKS,
  );
}

/** Sets aside donors that the service does not know, so that they do not prevent other donors from joining. */
async function setUnknownAside(
  deps: NetworkDeps,
  run: NetworkRun,
  { id, networkId }: PresentNetwork,
  donorIds: readonly string[],
  error: unknown,
): Promise<void> {
  const listed = await deps.partner.networks.list(run.control.ending);
  if (!listed.some((network) => network.networkId === networkId)) throw error;
  const memberships = await findMemberships(deps, run, donorIds);
  const unknown = donorIds.filter((donorId) => memberships.get(donorId) === null);
  if (unknown.length === 0) throw error;
  const place = { state: 'not_found', detail: null } as const;
  await deps.store.checkpoint(run.lease, (trx) => recordNetworkMembers(trx, id, unknown, place));
}
