/** For how many days what happened is kept; null, or left out: for good. */
export interface Retention {
  /** What each run did to each contact. */
  runRows: number;
  /** Decisions about holds, and which contact a run was for. */
  outcomes?: number | null;
  /** What stood in fields before they were written: after that nothing can be undone. */
  previousValues?: number | null;
  /** Profiles that were paid for; null, or left out: until they are too old to be delivered. 0 keeps none. */
  profiles?: number | null;
  /** What is known of contacts that left the CRM, but for what was paid and what is ours. */
  removedContacts?: number | null;
  /** Who did what. */
  audit?: number | null;
}
