/** The state of fields whose values the CRM's automation changes after a write. */
export interface NormalisedFields {
  /** Fields that are read back after each write. */
  marked: Set<string>;
  /** Fields that this run has read back at least once. The value may or may not have changed. */
  read: Set<string>;
  /** True once the run has noticed that a different tool writes to the CRM as the same user. */
  sharesUser?: boolean;
}
