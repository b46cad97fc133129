/**
 * Contacts whose details changed together, as one decision: what changed, what it would cost, and
 * what a person may say. To approve is to ask the service again, for a credit each; to reject is to
 * say that they are the same people still, for none.
 */
import { isoTime } from '../core/clock.ts';
import { countOf, formatCount } from '../core/quantities.ts';
import { changedPartsText } from '../identity/changed-parts-text.ts';
import { type HoldBatch, partsOf } from '../store/holds/hold-batches.ts';
import type { HoldRecord } from '../store/holds/holds.ts';

/** What a person may say about a batch. */
export const BATCH_DECISIONS = ['approve', 'reject'] as const;
export type BatchDecisionWord = (typeof BATCH_DECISIONS)[number];

/** A batch as programs are shown it. */
export interface BatchView {
  id: string;
  integration: string;
  /** Contacts that wait for the decision. */
  count: number;
  /** How many of them changed in each part; one that changed in two counts in both. */
  parts: HoldBatch['parts'];
  /** What it would cost at most to approve it. */
  credits: number;
  since: string;
}

export function describeBatch(batch: HoldBatch): BatchView {
  const { id, integrationId: integration, count, parts, since } = batch;
  return { id, integration, count, parts, credits: creditsOf(batch), since: isoTime(since) };
}

/** A credit for each contact, or less where two of them are the same person. */
export function creditsOf({ count }: Pick<HoldBatch, 'count'>): number {
  return count;
}

/** What the next sync does with contacts about which this was decided; a whole sentence. */
export function decidedText(word: BatchDecisionWord, count: number): string {
  const contacts = `The changed details of ${countOf(count, 'contact')} are`;
  return word === 'approve'
    ? `${contacts} to be asked about. The next sync spends ${countOf(creditsOf({ count }), 'credit')} on that.`
    : `${contacts} taken over as those of the same people. Nothing is spent on that.`;
}

/** Why a contact of a batch is held: a sentence without its capital and its full stop. */
export function massChangeReason({ detail }: HoldRecord, batchCount: number | undefined): string {
  const changed = changedPartsText(partsOf(detail));
  if (batchCount === 2) return `its ${changed} changed, with that of 1 other`;
  const others = batchCount === undefined || batchCount < 2 ? 'many' : formatCount(batchCount - 1);
  return `its ${changed} changed, with those of ${others} others`;
}
