/** The status of a contact. Users of the CRM can filter contacts by status. */
export type SyncStatus = keyof typeof STATUS_WORDS;

/**
 * The status texts that donor-sync writes into the CRM. These texts never change, because lists and reports in the CRM
 * filter by them.
 */
export const STATUS_WORDS = {
  /** The CRM contains the values of the contact's profile. */
  written: 'Written',
  /** The service does not know the person. */
  unknown: 'Unknown',
  /** The contact waits for a user's decision. */
  held: 'Held',
  /** The service rejected the contact's details, or the CRM rejected the values. */
  refused: 'Refused',
  /** The contact is never sent to the service. */
  optedOut: 'Opted out',
} as const;

/** True if this version knows the word as a status. */
export function isSyncStatus(word: string): word is SyncStatus {
  return Object.hasOwn(STATUS_WORDS, word);
}
