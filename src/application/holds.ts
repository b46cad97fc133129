/** What waits for a person, contacts and networks in one list: why, and what may be decided. */
import type { HoldDecision, HoldRow } from '../store/holds.ts';
import type { NetworkHoldRow } from '../store/network-holds.ts';
import type { Store } from '../store/store.ts';

/** What a person may say. */
export const HOLD_DECISIONS = ['approve', 'reject', 'resubmit'] as const;
export type DecisionWord = (typeof HOLD_DECISIONS)[number];

/** What each word is on record as. */
export const DECIDED = {
  approve: 'approved',
  reject: 'rejected',
  resubmit: 'resubmitted',
} as const satisfies Record<DecisionWord, HoldDecision>;

/** A hold of a contact or of a network. */
export type AnyHold =
  | { about: 'contact'; row: HoldRow }
  | { about: 'network'; row: NetworkHoldRow };

/** The part of the store that knows what is held. */
export interface HoldStore {
  holds: Pick<Store['holds'], 'listOpen' | 'find' | 'decide'>;
  networkHolds: Pick<Store['networkHolds'], 'listOpen' | 'find' | 'decide'>;
}

/** The open holds, of one integration or of all, the oldest first. */
export async function listOpenHolds(
  { holds, networkHolds }: HoldStore,
  integrationId?: string,
): Promise<AnyHold[]> {
  const contacts = await holds.listOpen(integrationId);
  const networks = await networkHolds.listOpen(integrationId);
  return [
    ...contacts.map((row): AnyHold => ({ about: 'contact', row })),
    ...networks.map((row): AnyHold => ({ about: 'network', row })),
  ].sort((one, other) => one.row.opened_at - other.row.opened_at);
}

/** The hold with this id, open or not. */
export async function findHold(
  { holds, networkHolds }: HoldStore,
  id: string,
): Promise<AnyHold | null> {
  const contact = await holds.find(id);
  if (contact) return { about: 'contact', row: contact };
  const network = await networkHolds.find(id);
  return network ? { about: 'network', row: network } : null;
}

/** Notes a decision of `decisionsFor`; false if somebody has decided already. */
export function decideHold(store: HoldStore, hold: AnyHold, word: DecisionWord): Promise<boolean> {
  if (hold.about === 'contact') return store.holds.decide(hold.row, DECIDED[word]);
  return store.networkHolds.decide(hold.row, word === 'approve' ? 'approved' : 'rejected');
}

/** The decisions that make sense for a hold. */
export function decisionsFor({ about, row }: AnyHold): readonly DecisionWord[] {
  // After a lost answer there is no profile that could be approved.
  if (about === 'contact') {
    return row.kind === 'lost_answer' ? ['reject', 'resubmit'] : HOLD_DECISIONS;
  }
  const isQuestion = row.kind === 'group_shrunk' || row.kind === 'network_deleted';
  return isQuestion ? ['approve', 'reject'] : ['reject'];
}

/** Why something is held: a sentence without its capital and its full stop, and without names. */
export function reasonText({ about, row }: AnyHold): string {
  return about === 'contact' ? contactReason(row) : networkReason(row);
}

/** What the name guard found; its words are in `name-guard.ts`. */
const MISMATCHES: ReadonlyMap<string | null, string> = new Map([
  ['last_name_differs', 'the profile has another last name'],
  ['first_name_unrelated', 'the profile has a first name that is no form of the contact’s'],
  ['profile_name_missing', 'the profile has no name to compare'],
]);

function contactReason({ kind, detail }: HoldRow): string {
  if (kind === 'name_mismatch') {
    return MISMATCHES.get(detail) ?? 'the name in the profile is not that of the contact';
  }
  if (kind === 'profile_deceased') return 'the profile says that this person has died';
  const proof = detail === null ? '' : ` (${detail})`;
  return `the answer to its submission was lost, and its credit may be spent${proof}`;
}

function networkReason({ kind, detail }: NetworkHoldRow): string {
  switch (kind) {
    case 'group_shrunk':
      return `${detail ?? 'many'} members would leave the network: more than half`;
    case 'network_deleted':
      return `the service does not have the network any more; making it anew takes ${detail ?? 'some'} credits`;
    case 'group_unreadable':
      return `the group cannot be read to its end (${detail ?? 'unknown'}); nobody is added or removed`;
    case 'name_taken':
      return 'another network of the service has this name';
    case 'network_refused':
      return `the service refuses the network or its members (${detail ?? 'no reason given'})`;
  }
}
