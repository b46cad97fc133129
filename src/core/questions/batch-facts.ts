import type { ChangedPart } from '../changed-parts.ts';

/** Why a contact counts as paid for without a restored backup. */
export type PaidBefore = 'former_key' | 'result_gone';

/**
 * Why contacts are to be erased, as the `detail` of the question. `crm_event`: the CRM deleted the contact for privacy.
 * `should_forget`: a mark asks to forget the contact. `privacy_hold`: a mark asks to forget the contact, but the CRM
 * forbids it for now. `objection`: the person objects to profiling. `merged`: a contact that was merged into this one
 * was deleted for privacy.
 */
export const ERASURE_SOURCES = [
  ...(['crm_event', 'should_forget', 'privacy_hold', 'objection', 'merged'] as const),
] as const;
export type ErasureSource = (typeof ERASURE_SOURCES)[number];

/** What contacts of one batch have in common. Each kind uses its own part. */
export interface BatchFacts {
  /** The number of contacts that wait for the decision. */
  count: number;
  /** The number of contacts per changed part. A contact with two changed parts counts for both. */
  parts: Readonly<Partial<Record<ChangedPart, number>>>;
  /** True if the list's settings have changed since its last complete reading. */
  isListChanged: boolean;
  /** Why the contacts count as paid for. Null for a restored backup and for other kinds. */
  paidBefore: PaidBefore | null;
  /** The mark of the contacts: CRM opt-out fields, or `objection`. */
  marks: readonly string[];
  /** Why the contacts are to be erased. Null for other kinds. */
  source: ErasureSource | null;
}
