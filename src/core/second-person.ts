/** The actions that wait for a second user, and the users who count as a second user. */

/** The settings that define when a second user is needed. */
export interface SecondPersonRules {
  /** Approving or resubmitting more contacts than this together needs a second user. Null if it never does. */
  approvals: number | null;
  /** Undoing a run that wrote to more contacts than this needs a second user. Null if it never does. */
  undo: number | null;
  /** True if erasing a contact also in the integrations of other accounts needs a second user. */
  forgetEverywhere: boolean;
  /** True if erasing any contact needs a second user. */
  forget: boolean;
  /**
   * True if erasures that a CRM requests need two users. Until they have confirmed, these contacts are neither enhanced
   * nor delivered.
   */
  forgetByCrm: boolean;
}

/** An account, which distinguishes users. It belongs to a person, an access token, or a user of the machine. */
export interface Account {
  kind: 'person' | 'token' | 'command';
  /** The ID never changes, and is never reused. */
  id: string;
  name: string;
}

/**
 * True if two accounts may belong to the same person. Accounts of different kinds may if they have the same name. No
 * program can tell more than that.
 */
export function mayBeSame(one: Account, other: Account): boolean {
  if (one.kind === other.kind) return one.id === other.id;
  return plain(one.name) === plain(other.name);
}

function plain(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}
