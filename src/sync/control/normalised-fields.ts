/** A run's knowledge about the fields whose values the CRM's own automation changes after a write. */
export interface NormalisedFields {
  /** Fields that are read back after each write to them. */
  marked: Set<string>;
  /** Fields of which the run has read back at least one value, whether automation had changed it or not. */
  read: Set<string>;
  /** True once this run has noticed that another tool writes as the same CRM user. */
  sharesUser?: boolean;
}
