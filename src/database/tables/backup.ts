/** Databases that were put back from a backup. */
import { bigint, nullable, table, text } from './table.ts';

export const BACKUP_TABLES = {
  /** An integration of which less is known than was paid for: nothing is spent until a person agrees. */
  restore_holds: table(
    {
      key: ['integration_id'],
      whenClientErased: 'cleared',
      exported: { not: 'kept until a user agrees' },
      retention: null,
    },
    {
      integration_id: text(),
      /** Its database was put back from a backup, or all of it was erased. */
      why: text<'restored' | 'erased'>(),
      /** When the backup was made; null if that is not known. */
      made_at: nullable(bigint()),
      /** After when erasures are not known, so that nothing runs (epoch ms); null if the log of erasures was found. */
      erasures_unknown_after: nullable(bigint()),
      /** Since when. */
      held_at: bigint(),
    },
  ),
};
