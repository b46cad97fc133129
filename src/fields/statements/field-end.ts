import type { OwnedValues } from '../../contacts/owned-values.ts';
import type { OutcomeReason } from '../../core/outcome.ts';
import type { SealedWords } from '../../database/encryption/foreign-texts.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import { inFilledBatches } from '../../database/rows.ts';

/** How an intended write ended; `writeId` is null if nothing was to be written. */
export interface WriteEnd {
  writeId: string | null;
  /** False if the CRM refused it. */
  isDone: boolean;
  /** What was written of it, where the CRM refused some fields; left out where it took all. */
  after?: OwnedValues;
}

/** How the fields of one contact ended, and what we own in them. */
export interface FieldEnd extends WriteEnd {
  /** `values_of_two_people`: nothing was written, and a user decides. */
  reason: OutcomeReason;
  /** More of the reason, without personal data. */
  detail: string | null;
  /** What the CRM said when it refused the write, sealed. */
  words: SealedWords | null;
  /** What we own afterwards; null if it stays as it was. */
  owned: OwnedValues | null;
}

/** Notes of writes that they are in the CRM, or that it refused them. */
export async function closeWrites(trx: RunTransaction, ends: readonly WriteEnd[]): Promise<void> {
  for (const [isDone, rows] of Map.groupBy(ends, (row) => row.isDone)) {
    for (const batch of inFilledBatches(rows.flatMap((row) => row.writeId ?? []))) {
      await close(trx, { state: isDone ? 'written' : 'refused', ids: batch });
    }
  }
  // What was refused is not there, so nothing of it is to be taken back.
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
