import { portions } from './rows.ts';
import type { Trx } from './tables.ts';

/** How an intended write ended; `writeId` is null if nothing was to be written. */
export interface WriteEnd {
  writeId: string | null;
  /** False if the CRM refused it. */
  isDone: boolean;
}

/** Notes of writes that they are in the CRM, or that it refused them. */
export async function closeWrites(trx: Trx, ends: readonly WriteEnd[]): Promise<void> {
  for (const [isDone, rows] of Map.groupBy(ends, (row) => row.isDone)) {
    for (const portion of portions(rows.flatMap((row) => row.writeId ?? []))) {
      await trx
        .updateTable('writes')
        .set({ state: isDone ? 'written' : 'refused' })
        .where('id', 'in', portion)
        .execute();
    }
  }
}
