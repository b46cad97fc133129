import type { OwnedValues } from '../../contacts/owned-values.ts';
import type { OutcomeReason } from '../../core/outcome.ts';
import type { SealedWords } from '../../database/encryption/foreign-texts.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import { inFilledBatches } from '../../database/rows.ts';

/** The end of a write. `writeId` is null if nothing was written. */
export interface WriteEnd {
  writeId: string | null;
  isDone: boolean;
  /** The values that the CRM accepted, if it refused some fields. Omitted if the CRM accepted all fields. */
  after?: OwnedValues;
}

/** The result of writing a contact's fields. */
export interface FieldEnd extends WriteEnd {
  /** The reason for the result. `values_of_two_people` means that nothing was written and a user must decide. */
  reason: OutcomeReason;
  /** Details of the reason, without personal data. */
  detail: string | null;
  /** The CRM's message about the refused write, encrypted. */
  words: SealedWords | null;
  /** The values that donor-sync owns after the write, or null if they did not change. */
  owned: OwnedValues | null;
}

/** Records which writes the CRM accepted and which writes it refused. */
export async function closeWrites(trx: RunTransaction, ends: readonly WriteEnd[]): Promise<void> {
  for (const [isDone, rows] of Map.groupBy(ends, (row) => row.isDone)) {
    for (const batch of inFilledBatches(rows.flatMap((row) => row.writeId ?? []))) {
      await close(trx, { state: isDone ? 'written' : 'refused', ids: batch });
    }
  }
  // The CRM does not contain the refused value, so an undo must not change the field.
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
