/** Who ought to be in a network, and who is. */

import type { ContactRecord } from '../contacts/contacts.ts';
import { findContacts } from '../contacts/contacts.ts';
import { listOptOutsInDoubt } from '../contacts/many-at-once/opt-outs.ts';
import type { MemberState } from '../database/tables/networks.ts';
import type { NetworkDeps } from './network-deps.ts';
import { listNetworkMembers, type MemberRecord } from './statements/network-members.ts';
import { listWantedMembers, type NetworkRecord } from './statements/networks.ts';

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
  const crmIds = [...(await listWantedMembers(store.reader, [row.id]))];
  const contacts = await findContacts(store.reader, row.integrationId, crmIds);
  const members = await listNetworkMembers(store.reader, row.id);
  const isMember = new Set(
    members.flatMap(({ donorId, state }) => (state === 'member' ? donorId : [])),
  );
  const inDoubt = await listOptOutsInDoubt(store.reader, row.integrationId);
  // To add a member again costs a credit: nobody leaves for a mark that a user may call an error.
  const stays = ({ crmId, state, donorId }: ContactRecord) =>
    state !== 'removed' && inDoubt.has(crmId) && donorId !== null && isMember.has(donorId);
  return { ...findWanted(crmIds, contacts, stays), members };
}

/** What people of a group mean for its network; `stays` is true of contacts that stay although they are marked. Pure. */
export function findWanted(
  crmIds: readonly string[],
  contacts: ReadonlyMap<string, ContactRecord>,
  stays: (contact: ContactRecord) => boolean = () => false,
): Omit<Membership, 'members'> {
  const donors = new Set<string>();
  let toEnhance = 0;
  for (const crmId of crmIds) {
    const contact = contacts.get(crmId);
    if (contact === undefined) toEnhance += 1;
    else if (contact.donorId !== null && (isWanted(contact) || stays(contact)))
      donors.add(contact.donorId);
    else if (contact.donorId === null && isOnItsWay(contact)) toEnhance += 1;
  }
  return { wanted: [...donors].sort(), toEnhance };
}

/** Who left the CRM or must not be researched is in no network. */
function isWanted({ state, hasOptedOut }: ContactRecord): boolean {
  return state !== 'removed' && hasOptedOut === 0;
}

function isOnItsWay({ state }: ContactRecord): boolean {
  return state === 'due' || state === 'submitted' || state === 'ready';
}

/** Who joins a network and who leaves it: pure. */

/** What is to change in one network; donor ids, ascending. */
export interface MemberPlan {
  /** Wanted, and never added: each costs a credit. */
  joiners: string[];
  /** Members that the group does not want any more. */
  leavers: string[];
  /** The same whose removal an earlier run has begun: no person is asked about them again. */
  leaving: string[];
  /** Wanted again although their removal had begun: it is not known whether they are members. */
  returned: string[];
  /** Not in the network and not wanted any more: nothing but a memory. */
  outdated: string[];
  /** How many are in the network now. */
  members: number;
  /** True if so many would leave that the group was probably emptied by mistake. */
  isImplausible: boolean;
}

/** Fewer leavers than this are believed whatever their part (design, promise 7). */
const MIN_IMPLAUSIBLE = 5;

/** More than this part of the members does not leave at once. */
const IMPLAUSIBLE_PART = 0.5;

/** Compares what the CRM wants with what the mirror knows. */
export function planMembers({
  wanted,
  members,
}: Pick<Membership, 'wanted' | 'members'>): MemberPlan {
  const known = new Set(members.map((row) => row.donorId));
  const isWanted = new Set(wanted);
  const listIds = (areWanted: boolean, ...states: MemberState[]) =>
    members.flatMap(({ donorId, state }) =>
      states.includes(state) && isWanted.has(donorId) === areWanted ? [donorId] : [],
    );
  const leavers = listIds(false, 'member');
  const inNetwork = members.filter(({ state }) => state === 'member').length;
  return {
    joiners: wanted.filter((donorId) => !known.has(donorId)),
    leavers,
    leaving: listIds(false, 'leaving'),
    returned: listIds(true, 'leaving'),
    outdated: listIds(false, 'failed', 'not_found'),
    members: inNetwork,
    isImplausible:
      leavers.length >= MIN_IMPLAUSIBLE && leavers.length > inNetwork * IMPLAUSIBLE_PART,
  };
}
