/** Who ought to be in a network, and who is. */
import type { ContactRecord } from '../store/contacts/contacts.ts';
import type { MemberRecord } from '../store/networks/network-members.ts';
import type { NetworkRecord } from '../store/networks/networks.ts';
import type { NetworkDeps } from './context.ts';

export interface Membership {
  /** The donors that the group's contacts are, ascending; two contacts may be one donor. */
  wanted: string[];
  /** The mirror. */
  members: MemberRecord[];
  /** People of the group who have no donor yet and may still get one. */
  toEnhance: number;
}

/** The membership of a network, by the group as it was read last. */
export async function findMembership(
  { store }: Pick<NetworkDeps, 'store'>,
  row: Pick<NetworkRecord, 'id' | 'integrationId'>,
): Promise<Membership> {
  const crmIds = [...(await store.networks.listWanted([row.id]))];
  const contacts = await store.contacts.find(row.integrationId, crmIds);
  return { ...wantedOf(crmIds, contacts), members: await store.networks.listMembers(row.id) };
}

/** What people of a group mean for its network: pure. */
export function wantedOf(
  crmIds: readonly string[],
  contacts: ReadonlyMap<string, ContactRecord>,
): Omit<Membership, 'members'> {
  const donors = new Set<string>();
  let toEnhance = 0;
  for (const crmId of crmIds) {
    const contact = contacts.get(crmId);
    if (contact === undefined) toEnhance += 1;
    else if (contact.donorId !== null && isWanted(contact)) donors.add(contact.donorId);
    else if (contact.donorId === null && isOnItsWay(contact)) toEnhance += 1;
  }
  return { wanted: [...donors].sort(), toEnhance };
}

/** Who left the CRM or must not be researched is in no network. */
function isWanted({ state, eligible, outcomeReason: reason }: ContactRecord): boolean {
  return state !== 'removed' && (eligible === 1 || reason !== 'opted_out');
}

function isOnItsWay({ state }: ContactRecord): boolean {
  return state === 'due' || state === 'submitted' || state === 'ready';
}
