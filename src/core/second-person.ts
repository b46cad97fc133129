/** Actions that need a second user, and who that user can be. */

/** The settings that define when a second user is needed. */
export interface SecondPersonRules {
  /** Approving or resubmitting more contacts than this needs a second user. Null means never. */
  approvals: number | null;
  /** Undoing a run that wrote to more contacts than this needs a second user. Null means never. */
  undo: number | null;
  /** True if erasing a contact from other accounts' integrations needs a second user. */
  forgetEverywhere: boolean;
  /** True if erasing any contact needs a second user. */
  forget: boolean;
  /**
   * True if a CRM's erasure requests need two users. Until both have confirmed, the contact is not enhanced and
   * receives no profile.
   */
  forgetByCrm: boolean;
}

/** An account, which distinguishes users. An account belongs to a person, an access token or a user of the machine. */
export interface Account {
  kind: 'person' | 'token' | 'command';
  /** Never changes and is never reused. */
  id: string;
  name: string;
}

/** Accounts of different kinds may be the same user if their names are equal. No program can know more. */
export function mayBeSame(one: Account, other: Account): boolean {
  if (one.kind === other.kind) return one.id === other.id;
  return plain(one.name) === plain(other.name);
}

function plain(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}
