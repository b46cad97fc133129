/** Defines which actions need a second user, and who can be the second user. */

/** The settings that define when a second user is needed. */
export interface SecondPersonRules {
  /** If a user approves or resubmits more contacts than this, a second user must confirm. Null means never. */
  approvals: number | null;
  /** If a run wrote to more contacts than this, a second user must confirm its undo. Null means never. */
  undo: number | null;
  /** True if a second user must confirm when a contact is also erased from other accounts' integrations. */
  forgetEverywhere: boolean;
  /** True if a second user must confirm every erasure of a contact. */
  forget: boolean;
  /**
   * True if two users must confirm a CRM's erasure requests. Until both have confirmed, donor-sync does not enhance the
   * contact and writes no profile to it.
   */
  forgetByCrm: boolean;
}

/** An account, which distinguishes users. An account belongs to a user, an access token or a user of the machine. */
export interface Account {
  kind: 'person' | 'token' | 'command';
  /** The account's ID, which never changes and is never reused. */
  id: string;
  name: string;
}

/**
 * True if both accounts may belong to the same user. Accounts of different kinds may belong to the same user if their
 * names are equal. A program cannot know more.
 */
export function mayBeSame(one: Account, other: Account): boolean {
  if (one.kind === other.kind) return one.id === other.id;
  return plain(one.name) === plain(other.name);
}

function plain(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}
