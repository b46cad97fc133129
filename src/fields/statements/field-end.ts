import type { OwnedValues } from '../../contacts/owned-values.ts';
import type { OutcomeReason } from '../../core/outcome.ts';
import type { SealedWords } from '../../database/encryption/foreign-texts.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import { inFilledBatches } from '../../database/rows.ts';

/** How a write ended. `writeId` is null if nothing had to be written. */
export interface WriteEnd {
  writeId: string | null;
  /** False if the CRM refused it. */
  isDone: boolean;
  /** The values that were written, if the CRM refused some fields. Omitted if it accepted all fields. */
  after?: OwnedValues;
}

/** How the write of one contact's fields ended, and which of the values are ours. */
export interface FieldEnd extends WriteEnd {
  /** The outcome. `values_of_two_people` means that nothing was written, and a user decides. */
  reason: OutcomeReason;
  /** Details of the reason, without personal data. */
  detail: string | null;
  /** The CRM's message when it refused the write, encrypted. */
  words: SealedWords | null;
  /** The values that are ours afterwards, or null if they are unchanged. */
  owned: OwnedValues | null;
}

/** Records which writes are in the CRM, and which writes the CRM refused. */
export async function closeWrites(trx: RunTransaction, ends: readonly WriteEnd[]): Promise<void> {
  for (const [isDone, rows] of Map.groupBy(ends, (row) => row.isDone)) {
    for (const batch of inFilledBatches(rows.flatMap((row) => row.writeId ?? []))) {
      await close(trx, { state: isDone ? 'written' : 'refused', ids: batch });
    }
  }
  // A refused value is not in the CRM, so undo must not change it.
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
