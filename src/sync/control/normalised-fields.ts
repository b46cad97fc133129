/** What a run knows of fields whose values the CRM's own automation changes after a write. */
export interface NormalisedFields {
  /** Fields that are read back after each write to them. */
  marked: Set<string>;
  /** Fields of which the run has read a value back that was as it was sent, or as automation has made it. */
  read: Set<string>;
  /** True once this run has noticed that another tool writes as the same user of the CRM. */
  sharesUser?: boolean;
}
