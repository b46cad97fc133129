/**
 * Finds network members at the service. The service does not list a network's members, but it returns a donor's
 * networks.
 */
import { RetriableError } from '../core/errors.ts';
import { inParallel } from '../core/parallel.ts';
import { confirmLease } from '../credits/confirm.ts';
import { PartnerNotFound } from '../partner/errors.ts';
import type { MayLeave } from '../partner/request.ts';
import type { NetworkDeps, NetworkRun } from './network-deps.ts';

/** The IDs of each donor's networks at the service. Null for a donor that the service does not know. */
export type Memberships = ReadonlyMap<string, ReadonlySet<string> | null>;

/** The number of simultaneous queries that makes full use of the key's rate limit. */
const ASKED_AT_ONCE = 8;

/** The caller: a run with a lease, or a user who only reads. */
type Asking = Pick<NetworkRun, 'control'> & Partial<Pick<NetworkRun, 'lease'>>;

/** Reads the networks of the donors. Costs no credits, unless the service charges for queries. */
export async function findMemberships(
  deps: Omit<NetworkDeps, 'connector'>,
  { control, lease }: Asking,
  donorIds: readonly string[],
): Promise<Memberships> {
  const mayAsk = lease && (() => confirmLease(deps, { lease, control }));
  const found = await inParallel(donorIds, ASKED_AT_ONCE, async (donorId) => {
    if (control.stopping.aborted) throw stopped();
    return [donorId, await findNetworks(deps.partner, donorId, control.ending, mayAsk)] as const;
  });
  return new Map(found);
}

async function findNetworks(
  { connections }: NetworkDeps['partner'],
  donorId: string,
  signal: AbortSignal,
  mayAsk: MayLeave | undefined,
): Promise<ReadonlySet<string> | null> {
  try {
    const { networks } = await connections.ofDonor(donorId, {}, signal, mayAsk);
    return new Set(networks.map(({ networkId }) => networkId));
  } catch (error) {
    if (error instanceof PartnerNotFound) return null;
    throw error;
  }
}

function stopped(): RetriableError {
  return new RetriableError('The run was stopped.', { code: 'interrupted' });
}

/** A donor's state in one network. */
export type MembershipState = 'member' | 'elsewhere' | 'unknown';

/** Returns the donors' states in the network with this service ID. */
export function membershipStatesIn(
  memberships: Memberships,
  networkId: string,
): Map<string, MembershipState> {
  return new Map(
    [...memberships].map(([donorId, networks]) => {
      if (networks === null) return [donorId, 'unknown'];
      return [donorId, networks.has(networkId) ? 'member' : 'elsewhere'];
    }),
  );
}

/** Returns those donors that are in the network with this service ID. */
export async function findPresent(
  deps: NetworkDeps,
  run: Asking,
  networkId: string,
  donorIds: readonly string[],
): Promise<string[]> {
  const places = membershipStatesIn(await findMemberships(deps, run, donorIds), networkId);
  return donorIds.filter((donorId) => places.get(donorId) === 'member');
}
