/** Computes and writes warm paths. A contact's warm path is the best connection to a network member. */

import { clearErasedMentions } from '../fields/erasing/erased-mentions.ts';
import {
  listMirroredNetworks,
  type MirroredNetwork,
} from '../networks/statements/mirrored-networks.ts';
import { MAX_DONORS_PER_REQUEST } from '../partner/donor-batch.ts';
import type { Stages } from '../sync/control/stage.ts';
import { findOutside } from '../sync/guards/filter.ts';
import { findBestPath } from './best-path.ts';
import { type Compared, type Comparison, createComparison } from './compare-donors.ts';
import { deliverPaths, type Found } from './deliver-paths.ts';
import type { InsightDeps, InsightRun } from './insight-deps.ts';
import {
  fingerprintSettings,
  indexMemberships,
  type Memberships,
  membersByNetwork,
} from './memberships.ts';
import {
  countStalePaths,
  hasPaths,
  listStalePaths,
  markStalePaths,
  type StaleContact,
  type StalePlace,
} from './statements/warm-paths.ts';
import { findUnshownDonors } from './unshown-donors.ts';

/** The number of contacts that are compared while the previous contacts are written. */
const PORTION_SIZE = 1_000;

const DAY_MS = 86_400_000;

/**
 * Computes the paths that may have changed, and writes them into the CRM. If no path may have changed, sends no request
 * to the service. The database contains the unfinished work, and the next run continues it.
 */
export async function writeWarmPaths(deps: InsightDeps, run: InsightRun): Promise<void> {
  const { id, insights, networks: settings } = run.integration;
  if (!insights.enabled) return;
  // If there are no networks, donor-sync only has to clear the values of earlier networks.
  if (settings.length === 0 && !(await hasPaths(deps.store.reader, id))) return;
  const mirrored = settings.length === 0 ? [] : await listNamedMembers(deps, id);
  await noticeChanges(deps, run, mirrored);
  const stale = await countStalePaths(deps.store.reader, id, run.only);
  if (stale === 0) return;
  const networks = await existingNetworks(deps, run, mirrored);
  deps.log.info({ run: run.id, contacts: stale, networks: networks.length }, 'warm paths');
  await computePaths(deps, run, indexMemberships(networks));
}

/**
 * Returns the networks with their members. Leaves out members whom a page may not show. A member who is marked as dead
 * remains in the network, because adding the member again would cost a credit. However, this member is not used as an
 * introducer.
 */
async function listNamedMembers(
  { store }: Pick<InsightDeps, 'store'>,
  integrationId: string,
): Promise<MirroredNetwork[]> {
  const mirrored = await listMirroredNetworks(store.reader, integrationId);
  const members = new Set(mirrored.flatMap((network) => network.members));
  const unshown = await findUnshownDonors(store, integrationId, members);
  return mirrored.map((network) => ({
    networkId: network.networkId,
    name: network.name,
    members: network.members.filter((donorId) => !unshown.has(donorId)),
  }));
}

async function noticeChanges(
  { store, clock }: InsightDeps,
  run: InsightRun,
  networks: readonly MirroredNetwork[],
): Promise<void> {
  const { refreshAfterDays } = run.integration.insights;
  await store.checkpoint(run.lease, (trx) =>
    markStalePaths(trx, {
      settings: fingerprintSettings(store, run, networks),
      members: membersByNetwork(networks),
      computedBefore: refreshAfterDays === null ? null : clock.now() - refreshAfterDays * DAY_MS,
    }),
  );
}

/**
 * Returns the networks that still exist at the service. The service would refuse a comparison with a deleted network.
 * Costs no credits.
 */
async function existingNetworks(
  { partner }: InsightDeps,
  { control }: InsightRun,
  networks: readonly MirroredNetwork[],
): Promise<MirroredNetwork[]> {
  if (networks.length === 0) return [];
  const listed = await partner.networks.list(control.ending);
  const existing = new Set(listed.map(({ networkId }) => networkId));
  return networks.filter(({ networkId }) => existing.has(networkId));
}

/** Compares one batch while the previous batch is written. The comparison and the write do not wait for each other. */
async function computePaths(
  deps: InsightDeps,
  run: InsightRun,
  memberships: Memberships,
): Promise<void> {
  const comparison = memberships.isEmpty
    ? NO_COMPARISON
    : createComparison(deps, run, memberships.networkIds);
  let found: Found[] = [];
  let after: StalePlace | null = null;
  while (!run.control.stopping.aborted) {
    const portion: StaleContact[] = comparison.isOver ? [] : await readNextBatch(deps, run, after);
    if (portion.length === 0 && found.length === 0) break;
    const included = memberships.isEmpty ? portion : await onlyIncluded(deps, run, portion);
    found = await waitForBoth(
      findPaths(deps, run, memberships, comparison, included),
      deliverPaths(deps, run, found),
    );
    after = portion.at(-1) ?? after;
  }
}

/**
 * Returns the contacts that `contacts.filter` still includes. A comparison requires a query, so donor-sync does not
 * compare other contacts. The paths of the other contacts wait, and their values remain unchanged.
 */
async function onlyIncluded(
  deps: InsightDeps,
  run: InsightRun,
  portion: readonly StaleContact[],
): Promise<readonly StaleContact[]> {
  const outside = await findOutside(
    deps,
    run,
    portion.map(({ crmId }) => crmId),
  );
  return portion.filter(({ crmId }) => !outside.has(crmId));
}

/** Returns the next contacts. Leaves out the last contacts if their donors would not fill a request. */
async function readNextBatch(
  { store }: InsightDeps,
  { integration, only }: InsightRun,
  after: StalePlace | null,
): Promise<StaleContact[]> {
  const limit = PORTION_SIZE;
  const stale = await listStalePaths(store.reader, integration.id, { after, limit, only });
  return stale.length < limit ? stale : fillRequests(stale);
}

/** Returns the contacts that fill complete requests. Each request contains different donors. A pure function. */
function fillRequests<Contact extends Pick<StaleContact, 'donorId'>>(
  contacts: readonly Contact[],
): Contact[] {
  const donors = new Set(contacts.map(({ donorId }) => donorId));
  const whole = donors.size - (donors.size % MAX_DONORS_PER_REQUEST);
  // If many contacts have only a few donors, they do not fill a request.
  if (whole === 0) return [...contacts];
  const kept = new Set([...donors].slice(0, whole));
  const end = contacts.findIndex(({ donorId }) => !kept.has(donorId));
  return end === -1 ? [...contacts] : contacts.slice(0, end);
}

const NO_COMPARISON: Comparison = {
  compare: async (donorIds) => new Map(donorIds.map((donorId) => [donorId, null])),
  isOver: false,
};

/** Waits for both promises, even if one of them fails, because no write may happen after the run has ended. */
async function waitForBoth<Result>(one: Promise<Result>, other: Promise<void>): Promise<Result> {
  await Promise.allSettled([one, other]);
  await other;
  return one;
}

async function findPaths(
  deps: InsightDeps,
  { integration }: InsightRun,
  memberships: Memberships,
  comparison: Comparison,
  portion: readonly StaleContact[],
): Promise<Found[]> {
  const { minStrength } = integration.insights;
  const answered = await comparison.compare(portion.map(({ donorId }) => donorId));
  const compared = await withoutUnshown(deps, integration.id, answered);
  return portion.flatMap((contact) => {
    const { donorId } = contact;
    const prospect = compared.get(donorId);
    if (prospect === undefined) return [];
    const path = prospect && findBestPath({ ...prospect, donorId, memberships, minStrength });
    return [{ contact, path }];
  });
}

/**
 * Removes connections to people whom a sentence may not name. People whom a sentence may not name can still be in a
 * network at the service.
 */
async function withoutUnshown(
  { store }: InsightDeps,
  integrationId: string,
  compared: Compared,
): Promise<Compared> {
  const prospects = [...compared.values()].filter((prospect) => prospect !== null);
  const ids = prospects.flatMap(({ connections }) =>
    connections.map(({ sourceDonor }) => sourceDonor.donorId),
  );
  const unshown = await findUnshownDonors(store, integrationId, new Set(ids));
  if (unshown.size === 0) return compared;
  return new Map(
    [...compared].map(([donorId, prospect]) => {
      if (prospect === null) return [donorId, null];
      const connections = prospect.connections.filter(
        ({ sourceDonor }) => !unshown.has(sourceDonor.donorId),
      );
      const dropped = prospect.connections.length - connections.length;
      const totalConnections = prospect.totalConnections - dropped;
      return [donorId, { ...prospect, connections, totalConnections }];
    }),
  );
}

/** The stages of a run that compute and write warm paths after the networks have been mirrored. */
export const INSIGHT_STAGES: Stages = { before: [], after: [writeWarmPaths, clearErased] };

/**
 * Clears values that name an erased person. This stage comes after the new paths, which have already replaced most
 * values that name an erased person.
 */
function clearErased(deps: InsightDeps, { lease }: InsightRun): Promise<void> {
  return clearErasedMentions(deps, lease);
}
