import type { OwnedValues } from '../../contacts/owned-values.ts';
import type { OutcomeReason } from '../../core/outcome.ts';
import type { SealedWords } from '../../database/encryption/foreign-texts.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import { inFilledBatches } from '../../database/rows.ts';

/** `writeId` is null if nothing was written. */
export interface WriteEnd {
  writeId: string | null;
  isDone: boolean;
  /** The written values, if the CRM refused some fields. Omitted if it accepted all. */
  after?: OwnedValues;
}

/** The result of writing a contact's fields. */
export interface FieldEnd extends WriteEnd {
  /** `values_of_two_people` means that nothing was written and a user must decide. */
  reason: OutcomeReason;
  /** Details of the reason. They contain no personal data. */
  detail: string | null;
  /** The CRM's message when it refused the write, encrypted. */
  words: SealedWords | null;
  /** Our values after the write, or null if unchanged. */
  owned: OwnedValues | null;
}

/** Records which writes are in the CRM, and which writes the CRM refused. */
export async function closeWrites(trx: RunTransaction, ends: readonly WriteEnd[]): Promise<void> {
  for (const [isDone, rows] of Map.groupBy(ends, (row) => row.isDone)) {
    for (const batch of inFilledBatches(rows.flatMap((row) => row.writeId ?? []))) {
      await close(trx, { state: isDone ? 'written' : 'refused', ids: batch });
    }
  }
  // The refused value is not in the CRM, so undo must not change it.
  for (const { writeId, after } of ends) {
    if (writeId === null || after === undefined) continue;
    await trx
      .updateTable('writes')
      .set({ after: JSON.stringify(after) })
      .where('id', '=', writeId)
      .execute();
  }
}

const close = prepared(
  (db, { state, ids }: Slots<{ state: 'written' | 'refused'; ids: readonly string[] }>) =>
    db.updateTable('writes').set({ state }).where('id', 'in', ids).compile(),
);
