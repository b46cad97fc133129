import { findContactsByDonor } from '../networks/statements/network-members.ts';
import type { Prospect } from '../partner/connections/prospects.ts';
import type { Store } from '../store.ts';
import { requireNetworks } from './memberships.ts';
import { type ByHand, type ByHandDeps, queryByHand } from './query-by-hand.ts';
import { calledName } from './sentence.ts';
import { describeConnections, type ShownConnection } from './shown-connection.ts';
import { STRENGTH_FLOOR } from './strength.ts';
import { findUnshownDonors } from './unshown-donors.ts';

/** A person who is not in the CRM and is connected to network members. */
export interface FoundProspect {
  donorId: string;
  name: string | null;
  /** The donor's page in the service's web application. */
  profileUrl: string | null;
  /** The number of network members who are connected to the prospect. */
  people: number;
  /** The strongest connection. */
  best: ShownConnection;
}

export interface ProspectQuery {
  /** The minimum strength, from 0 to 1. The service stores no connections below 0.45. */
  minStrength: number;
  limit: number;
}

export interface ProspectDeps extends ByHandDeps {
  store: ByHandDeps['store'] & Pick<Store, 'fingerprint'>;
}

/**
 * The number of prospects to request. The number is large, because many of the strongest prospects are already in the
 * CRM. The service may return fewer.
 */
const ASKED_FOR = 500;

/**
 * Reads the strongest prospects from the service's whole database with one query, the strongest first. Leaves out the
 * integration's contacts and erased people.
 */
export async function findProspects(
  deps: ProspectDeps,
  { integrationId, partnerKey }: Omit<ByHand, 'kind'>,
  { minStrength, limit }: ProspectQuery,
): Promise<FoundProspect[]> {
  const { store, partner } = deps;
  const networks = await requireNetworks(store.reader, integrationId);
  const networkIds = networks.map(({ networkId }) => networkId);
  const options = {
    networkIds,
    minStrength: Math.max(STRENGTH_FLOOR, minStrength),
    limit: Math.max(limit, ASKED_FOR),
  };
  const payer = { integrationId, partnerKey, kind: 'discover' as const };
  const prospects = await queryByHand(deps, payer, () => partner.connections.discover(options));
  const donorIds = prospects.map(({ donor }) => donor.donorId);
  const known = await findContactsByDonor(store.reader, integrationId, donorIds);
  const introducerIds = prospects.flatMap(({ connections }) => introducersOf(connections));
  const shownIds = new Set([...donorIds, ...introducerIds]);
  const unshown = await findUnshownDonors(store, integrationId, shownIds);
  return prospects
    .filter(({ donor }) => !known.has(donor.donorId) && !unshown.has(donor.donorId))
    .flatMap((each) => {
      const connections = each.connections.filter(
        ({ sourceDonor }) => !unshown.has(sourceDonor.donorId),
      );
      const prospect = { ...each, connections };
      const [best] = describeConnections(connections, networks, calledByName(prospect));
      return best === undefined ? [] : [foundProspect(prospect, best)];
    })
    .slice(0, limit);
}

function foundProspect({ donor, connections }: Prospect, best: ShownConnection): FoundProspect {
  const { donorId, name, profileUrl } = donor;
  const people = new Set(introducersOf(connections)).size;
  return { donorId, name, profileUrl, people, best };
}

function introducersOf(connections: Prospect['connections']): string[] {
  return connections.map(({ sourceDonor }) => sourceDonor.donorId);
}

/**
 * Returns the name that the sentence uses for a prospect. Only a CRM knows which part of a name is the first name, so
 * the sentence uses the first word of the prospect's name.
 */
function calledByName({ donor }: Prospect): string {
  const [firstName = null, ...others] = donor.name?.split(/\s+/) ?? [];
  return calledName({ firstName, lastName: others.at(-1) ?? null });
}
