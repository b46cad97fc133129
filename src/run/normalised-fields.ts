/** What a run knows of fields whose values the CRM's own automation changes after a write. */
export interface NormalisedFields {
  /** Fields that are read back after each write to them. */
  marked: Set<string>;
  /** True once the first batch of the run was read back. */
  isFirstRead: boolean;
}
