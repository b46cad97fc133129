/** Computes the wanted and the current members of a network. */

import type { ContactRecord } from '../contacts/contacts.ts';
import { findContacts } from '../contacts/contacts.ts';
import { listOptOutsInDoubt } from '../contacts/many-at-once/opt-outs.ts';
import { receivesNothing } from '../contacts/receives-nothing.ts';
import type { MemberState } from '../database/tables/networks.ts';
import type { MirrorReader } from './network-deps.ts';
import { listNetworkMembers, type MemberRecord } from './statements/network-members.ts';
import { listWantedMembers, type NetworkRecord } from './statements/networks.ts';

export interface Membership {
  /** The donors of the group's contacts, in ascending order. Two contacts can have the same donor. */
  wanted: string[];
  /** The stored members. */
  members: MemberRecord[];
  /** The number of contacts in the group that have no donor yet but may get a donor. */
  toEnhance: number;
  /** The number of contacts in the group that wait for a decision. Until then, they can introduce nobody. */
  waiting: number;
}

/**
 * Returns a network's wanted and current members. The wanted members come from the last reading of the network's group.
 */
export async function findMembership(
  { store }: { store: Pick<MirrorReader['store'], 'reader'> },
  row: Pick<NetworkRecord, 'id' | 'integrationId'>,
): Promise<Membership> {
  const crmIds = [...(await listWantedMembers(store.reader, [row.id]))];
  const contacts = await findContacts(store.reader, row.integrationId, crmIds);
  const members = await listNetworkMembers(store.reader, row.id);
  const inDoubt = await listOptOutsInDoubt(store.reader, row.integrationId);
  const stays = whoStays(members, inDoubt);
  const waiting = [...contacts.values()].filter(({ state }) => state === 'held').length;
  return { ...findWanted(crmIds, contacts, stays), members, waiting };
}

/**
 * Returns the members that donor-sync keeps, although it would not add them now. Adding a member again costs a credit.
 * Therefore, donor-sync removes nobody because of an opt-out that may be an error (`inDoubt`), or because of a mark
 * that is not an objection. A pure function.
 */
export function whoStays(
  members: readonly MemberRecord[],
  inDoubt: ReadonlySet<string>,
): (contact: ContactRecord) => boolean {
  const isMember = new Set(
    members.flatMap(({ donorId, state }) => (state === 'member' ? donorId : [])),
  );
  return (contact) => {
    const { crmId, state, donorId } = contact;
    if (donorId === null || !isMember.has(donorId)) return false;
    return isWanted(contact) || (state !== 'removed' && inDoubt.has(crmId));
  };
}

/**
 * Returns the donors of a group's contacts. `stays` returns true for marked members that donor-sync keeps. A pure
 * function.
 */
export function findWanted(
  crmIds: readonly string[],
  contacts: ReadonlyMap<string, ContactRecord>,
  stays: (contact: ContactRecord) => boolean = () => false,
): Pick<Membership, 'wanted' | 'toEnhance'> {
  const donors = new Set<string>();
  let toEnhance = 0;
  for (const crmId of crmIds) {
    const contact = contacts.get(crmId);
    if (contact === undefined) toEnhance += 1;
    else if (contact.donorId !== null && (mayJoin(contact) || stays(contact)))
      donors.add(contact.donorId);
    else if (contact.donorId === null && isOnItsWay(contact)) toEnhance += 1;
  }
  return { wanted: [...donors].sort(), toEnhance };
}

/**
 * True for contacts that should be in a network. False for contacts that have left the CRM or whose research is not
 * allowed. Unwanted contacts are not in any network.
 */
function isWanted({ state, hasOptedOut }: ContactRecord): boolean {
  return state !== 'removed' && hasOptedOut === 0;
}

function isOnItsWay({ state }: ContactRecord): boolean {
  return state === 'due' || state === 'submitted' || state === 'ready';
}

/** True if the contact may become a new member. A new member costs a credit and is sent to the service. */
function mayJoin(contact: ContactRecord): boolean {
  return isWanted(contact) && !receivesNothing(contact);
}

/** Decides who joins a network and who leaves it. A pure function. */

/** The changes to a network, as donor IDs in ascending order. */
export interface MemberPlan {
  /** Wanted donors that were never added before. Adding a donor costs a credit. */
  joiners: string[];
  /** Members that are no longer in the group. */
  leavers: string[];
  /** Members whose removal an earlier run has started. The removal of these members needs no further decision. */
  leaving: string[];
  /**
   * Donors that are wanted again after their removal had started. donor-sync does not know whether they are members.
   */
  returned: string[];
  /** Stored donors that are not in the network and are no longer wanted. */
  outdated: string[];
  members: number;
  /** True if so many members would leave that someone has probably emptied the group by mistake. */
  isImplausible: boolean;
}

/** If fewer members than this leave, donor-sync always removes them, whatever their share is (design, promise 7). */
const MIN_IMPLAUSIBLE = 5;

/** The maximum share of members that may leave together. */
const IMPLAUSIBLE_PART = 0.5;

/** Compares the members that the CRM wants with the stored members. */
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
