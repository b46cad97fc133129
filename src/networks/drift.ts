/** Finds networks at the service that differ from the stored members because someone has changed them. */
import { ConfigurationError } from '../core/errors.ts';
import type { MemberState } from '../database/tables/networks.ts';
import type { Network } from '../partner/networks/network.ts';
import { findMemberships } from './find-memberships.ts';
import { matchNetworks } from './match-networks.ts';
import { findMembership } from './membership.ts';
import type { NetworkDeps, NetworkRun } from './network-deps.ts';
import { fingerprintGroups } from './read-groups.ts';
import { listDonors, listNetworkMembers, type MemberRecord } from './statements/network-members.ts';
import { listNetworks, type NetworkRecord } from './statements/networks.ts';

/** The differences of one network. */
export interface NetworkDrift {
  row: NetworkRecord;
  /** `none` means that there is no network yet. `deleted` means that the service no longer has the network. */
  state: 'none' | 'deleted' | 'present';
  /**
   * The network's current name if someone has renamed it at the service. Null if it still has the name from the
   * settings.
   */
  renamedTo: string | null;
  /**
   * Stored members who are not in the service's network, and donors in the service's network who are not stored
   * members.
   */
  removedByHand: string[];
  addedByHand: string[];
  /** The number of members who are not contacts of the integration, or null if the service reports no numbers. */
  strangers: number | null;
}

export interface DriftOptions {
  /** True if queries may cost credits. */
  maySpend: boolean;
}

/** The dependencies of the check, which does not need the CRM. */
type DriftDeps = Omit<NetworkDeps, 'connector'>;

type DriftRun = Pick<NetworkRun, 'integration' | 'control'>;

/** The batch size for contacts outside the groups. Batches are queried until all members are found. */
const PORTION = 100;

/**
 * Queries the service for the donors' networks. Starts with the donors of mirrored groups. Continues with other
 * contacts while a network has unknown members. Throws a ConfigurationError if this would cost credits and `maySpend`
 * is false.
 */
export async function findDrift(
  deps: DriftDeps,
  run: DriftRun,
  { maySpend }: DriftOptions,
): Promise<NetworkDrift[]> {
  const rows = await findRows(deps, run);
  const listed = await deps.partner.networks.list(run.control.ending);
  const byId = new Map(listed.map((network) => [network.networkId, network]));
  const asked = await askAbout(deps, run, await findDonors(deps, rows), maySpend);
  await askOthers(deps, run, rows, byId, asked);
  const drifts: NetworkDrift[] = [];
  for (const row of rows) {
    const members = await listNetworkMembers(deps.store.reader, row.id);
    drifts.push(compare(row, byId.get(row.networkId ?? ''), members, asked));
  }
  return drifts;
}

/** Returns the networks that are in the settings. Ignores networks whose setting was removed. */
async function findRows(deps: DriftDeps, run: DriftRun): Promise<NetworkRecord[]> {
  const rows = await listNetworks(deps.store.reader, run.integration.id);
  const { settings } = matchNetworks(fingerprintGroups(deps, run), rows);
  return settings.flatMap(({ row }) => row ?? []);
}

async function findDonors(deps: DriftDeps, rows: readonly NetworkRecord[]): Promise<Set<string>> {
  const donors = new Set<string>();
  for (const row of rows) {
    const { wanted, members } = await findMembership(deps, row);
    for (const donorId of wanted) donors.add(donorId);
    for (const { donorId } of members) donors.add(donorId);
  }
  return donors;
}

/** The IDs of the service's networks that contain a donor, for each donor. */
type Places = Map<string, ReadonlySet<string>>;

/** Queries donors. The first query shows the cost of all queries. */
async function askAbout(
  deps: DriftDeps,
  run: DriftRun,
  donors: ReadonlySet<string>,
  maySpend: boolean,
): Promise<Places> {
  const places: Places = new Map();
  const [first, ...others] = donors;
  if (first === undefined) return places;
  await ask(deps, run, [first], places);
  const cost = deps.partner.connections.queryCost('ofDonor');
  if (cost && !maySpend && others.length > 0) {
    throw new ConfigurationError(
      `The service charges ${cost.credits} of the bucket "${cost.bucket}" for each of ${others.length} more queries. None of them was sent, and nothing was changed. To send them, add --spend (in the API: "spend": true).`,
      {
        code: 'questions_cost_credits',
        refusal: 'conflict',
        details: { ...cost, questions: others.length },
      },
    );
  }
  await ask(deps, run, others, places);
  return places;
}

async function ask(
  deps: DriftDeps,
  run: DriftRun,
  donorIds: readonly string[],
  places: Places,
): Promise<void> {
  for (const [donorId, networks] of await findMemberships(deps, run, donorIds)) {
    places.set(donorId, networks ?? new Set());
  }
}

/** Queries contacts that are not in any group, because someone may have added a contact to a network. */
async function askOthers(
  deps: DriftDeps,
  run: DriftRun,
  rows: readonly NetworkRecord[],
  listed: ReadonlyMap<string, Network>,
  places: Places,
): Promise<void> {
  const donors = await listDonors(deps.store.reader, run.integration.id);
  const others = donors.filter((donorId) => !places.has(donorId));
  const isUnaccounted = ({ networkId: id }: NetworkRecord) =>
    countIn(places, id) < (listed.get(id ?? '')?.memberCount ?? 0);
  for (let start = 0; start < others.length && rows.some(isUnaccounted); start += PORTION) {
    await ask(deps, run, others.slice(start, start + PORTION), places);
  }
}

function countIn(places: Places, networkId: string | null): number {
  if (networkId === null) return 0;
  return [...places.values()].filter((networks) => networks.has(networkId)).length;
}

function compare(
  row: NetworkRecord,
  network: Network | undefined,
  members: readonly MemberRecord[],
  places: Places,
): NetworkDrift {
  const same = { row, renamedTo: null, removedByHand: [], addedByHand: [], strangers: null };
  const { networkId } = row;
  if (networkId === null) return { ...same, state: 'none' };
  if (network === undefined) return { ...same, state: 'deleted' };
  const isIn = (donorId: string) => places.get(donorId)?.has(networkId) === true;
  const donorsIn = (...states: MemberState[]) =>
    new Set(members.flatMap((one) => (states.includes(one.state) ? [one.donorId] : [])));
  const mirrored = donorsIn('member');
  // Members that donor-sync is adding or removing are not differences.
  const moving = donorsIn('adding', 'leaving');
  return {
    row,
    state: 'present',
    renamedTo: network.name === row.name ? null : network.name,
    removedByHand: [...mirrored].filter((donorId) => !isIn(donorId)),
    addedByHand: [...places.keys()].filter(
      (donorId) => isIn(donorId) && !mirrored.has(donorId) && !moving.has(donorId),
    ),
    strangers:
      network.memberCount === null
        ? null
        : Math.max(0, network.memberCount - countIn(places, networkId)),
  };
}
