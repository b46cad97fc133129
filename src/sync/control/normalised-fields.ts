/** A run's knowledge about fields whose values the CRM's own automation changes after a write. */
export interface NormalisedFields {
  /** Fields that are read back after each write to them. */
  marked: Set<string>;
  /**
   * Fields with at least one value that the run has read back, unchanged or changed by automation.
   */
  read: Set<string>;
  /** True once this run has noticed that another tool writes as the same CRM user. */
  sharesUser?: boolean;
}
