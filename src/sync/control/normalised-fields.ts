/** The state of fields whose values the CRM's automation changes after a write. */
export interface NormalisedFields {
  /** Fields that the run reads again after each write. */
  marked: Set<string>;
  /** Fields that this run has read again after a write at least once, whether the CRM changed the value or not. */
  read: Set<string>;
  /** True once the run has noticed that a different tool uses the same CRM user to write. */
  sharesUser?: boolean;
}
