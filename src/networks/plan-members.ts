/** Who joins a network and who leaves it: pure. */
import type { MemberState } from '../store/engine/network-tables.ts';
import type { Membership } from './membership.ts';

/** What is to change in one network; donor ids, ascending. */
export interface MemberPlan {
  /** Wanted, and never added: each costs a credit. */
  joiners: string[];
  /** Members whom the group does not want any more. */
  leavers: string[];
  /** The same whose removal an earlier run has begun: nobody is asked about them again. */
  leaving: string[];
  /** Wanted again although their removal had begun: nobody knows whether they are members. */
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
  const idsOf = (areWanted: boolean, ...states: MemberState[]) =>
    members.flatMap(({ donorId, state }) =>
      states.includes(state) && isWanted.has(donorId) === areWanted ? [donorId] : [],
    );
  const leavers = idsOf(false, 'member');
  const inNetwork = members.filter(({ state }) => state === 'member').length;
  return {
    joiners: wanted.filter((donorId) => !known.has(donorId)),
    leavers,
    leaving: idsOf(false, 'leaving'),
    returned: idsOf(true, 'leaving'),
    outdated: idsOf(false, 'failed', 'not_found'),
    members: inNetwork,
    isImplausible:
      leavers.length >= MIN_IMPLAUSIBLE && leavers.length > inNetwork * IMPLAUSIBLE_PART,
  };
}
