/** Who ought to be in a network, and who is. */
import type { ContactRow } from '../store/contacts/contacts.ts';
import type { MemberRow } from '../store/networks/network-members.ts';
import type { NetworkRow } from '../store/networks/networks.ts';
import type { NetworkDeps } from './context.ts';

export interface Membership {
  /** The donors that the group's contacts are, ascending; two contacts may be one donor. */
  wanted: string[];
  /** The mirror. */
  members: MemberRow[];
  /** People of the group who have no donor yet and may still get one. */
  toEnhance: number;
}

/** The membership of a network, by the group as it was read last. */
export async function findMembership(
  { store }: Pick<NetworkDeps, 'store'>,
  row: Pick<NetworkRow, 'id' | 'integration_id'>,
): Promise<Membership> {
  const crmIds = [...(await store.networks.listWanted([row.id]))];
  const contacts = await store.contacts.find(row.integration_id, crmIds);
  return { ...wantedOf(crmIds, contacts), members: await store.networks.listMembers(row.id) };
}

/** What people of a group mean for its network: pure. */
export function wantedOf(
  crmIds: readonly string[],
  contacts: ReadonlyMap<string, ContactRow>,
): Omit<Membership, 'members'> {
  const donors = new Set<string>();
  let toEnhance = 0;
  for (const crmId of crmIds) {
    const contact = contacts.get(crmId);
    if (contact === undefined) toEnhance += 1;
    else if (contact.donor_id !== null && isWanted(contact)) donors.add(contact.donor_id);
    else if (contact.donor_id === null && isOnItsWay(contact)) toEnhance += 1;
  }
  return { wanted: [...donors].sort(), toEnhance };
}

/** Who left the CRM or must not be researched is in no network. */
function isWanted({ state, eligible, outcome_reason: reason }: ContactRow): boolean {
  return state !== 'removed' && (eligible === 1 || reason !== 'opted_out');
}

function isOnItsWay({ state }: ContactRow): boolean {
  return state === 'due' || state === 'submitted' || state === 'ready';
}
