/** Which actions wait for a second person, and who counts as a second person. */

/** The part of the settings that defines it. */
export interface SecondPersonRules {
  /**
   * Approving or resubmitting more contacts than this at once needs a second person; null: nothing
   * waits.
   */
  approvals: number | null;
  /**
   * Undoing a run that wrote into more contacts than this needs a second person; null: nothing
   * waits.
   */
  undo: number | null;
  /**
   * Whether forgetting a contact in the integrations of other accounts as well needs a second
   * person.
   */
  forgetEverywhere: boolean;
  /** Whether forgetting any contact needs a second person. */
  forget: boolean;
  /**
   * Whether erasures that a CRM asks for wait for two people. Until then, research and delivery of these contacts stop.
   */
  forgetByCrm: boolean;
}

/** An account distinguishes one user from another: a person, an access token, a user of the machine. */
export interface Account {
  kind: 'person' | 'token' | 'command';
  /** Never changes, and is never reused. */
  id: string;
  name: string;
}

/**
 * Whether two accounts may be the same person. Accounts of different kinds count as the same person if they have the
 * same name; beyond that, no program can tell.
 */
export function mayBeSame(one: Account, other: Account): boolean {
  if (one.kind === other.kind) return one.id === other.id;
  return plain(one.name) === plain(other.name);
}

function plain(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}
