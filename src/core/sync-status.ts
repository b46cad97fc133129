/** Users of the CRM can filter by it. */
export type SyncStatus = keyof typeof STATUS_WORDS;

/** Words that are written into the CRM. They never change, because lists and reports in the CRM filter by them. */
export const STATUS_WORDS = {
  /** The values of its profile are in the CRM. */
  written: 'Written',
  /** The service does not recognise the person. */
  unknown: 'Unknown',
  /** It waits for a user's decision. */
  held: 'Held',
  /** The service rejected its details, or the CRM rejected the values. */
  refused: 'Refused',
  /** The contact is never sent to the service. */
  optedOut: 'Opted out',
} as const;

/** True if this version knows the word as a status. */
export function isSyncStatus(word: string): word is SyncStatus {
  return Object.hasOwn(STATUS_WORDS, word);
}
