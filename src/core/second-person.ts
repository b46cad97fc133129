/** What waits for a second person, and who counts as one. */

/** The part of the settings that says so. */
export interface SecondPersonRules {
  /** To approve, or to ask again about, more contacts than this at once; null: nothing waits. */
  approvals: number | null;
  /** To undo a run that wrote into more contacts than this; null: nothing waits. */
  undo: number | null;
  /** To forget a contact in the integrations of other accounts as well. */
  forgetEverywhere: boolean;
}

/** What distinguishes one user from another: a person, an access token, a user of the machine. */
export interface Account {
  kind: 'person' | 'token' | 'command';
  /** Never changes, and never comes again. */
  id: string;
  name: string;
}

/**
 * Whether two accounts may be one person. Those of different kinds are if they have the same name; beyond
 * that no program can tell.
 */
export function mayBeSame(one: Account, other: Account): boolean {
  if (one.kind === other.kind) return one.id === other.id;
  return plain(one.name) === plain(other.name);
}

function plain(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}
