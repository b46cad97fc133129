import type { ChangedPart } from '../changed-parts.ts';

/** The reasons why a contact counts as paid for, other than a restored backup. */
export type PaidBefore = 'former_key' | 'result_gone';

/**
 * The reasons why contacts are to be erased, as the `detail` of the question. `crm_event`: the CRM deleted the contact
 * for privacy. `should_forget`: a mark requests that the contact is forgotten. `privacy_hold`: a mark requests that the
 * contact is forgotten, but the CRM forbids it for now. `objection`: the person objects to profiling. `merged`: a
 * contact that was merged into this contact was deleted for privacy.
 */
export const ERASURE_SOURCES = [
  ...(['crm_event', 'should_forget', 'privacy_hold', 'objection', 'merged'] as const),
] as const;
export type ErasureSource = (typeof ERASURE_SOURCES)[number];

/** The facts that all contacts of a batch share. Each kind of question uses only some of these facts. */
export interface BatchFacts {
  /** The number of contacts that wait for the decision. */
  count: number;
  /** The number of contacts per changed part. A contact with two changed parts counts for both. */
  parts: Readonly<Partial<Record<ChangedPart, number>>>;
  /** True if the list's settings have changed since its last complete reading. */
  isListChanged: boolean;
  /** The reason why the contacts count as paid for. Null for a restored backup and for other kinds of question. */
  paidBefore: PaidBefore | null;
  /** The marks of the contacts: the names of CRM opt-out fields, or `objection`. */
  marks: readonly string[];
  /** The reason why the contacts are to be erased. Null for other kinds of question. */
  source: ErasureSource | null;
}
