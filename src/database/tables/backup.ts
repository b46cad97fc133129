/** Databases that were restored from a backup. */
import { bigint, integer, nullable, table, text } from './table.ts';

export const BACKUP_TABLES = {
  /**
   * An integration that may have spent more than the database knows: nothing is spent until a user
   * agrees.
   */
  restore_holds: table(
    {
      key: ['integration_id'],
      whenClientErased: 'cleared',
      exported: { not: 'kept until a user agrees' },
      retention: null,
    },
    {
      integration_id: text(),
      /** Its database was restored from a backup, or all of it was erased. */
      why: text<'restored' | 'erased'>(),
      /** When the backup was made; null if unknown. */
      made_at: nullable(bigint()),
      /**
       * Erasures after this instant are unknown, so nothing runs (epoch ms); null if the erasure
       * log was found.
       */
      erasures_unknown_after: nullable(bigint()),
      /** When the hold started. */
      held_at: bigint(),
      /**
       * 1 if the spending journal continues after the backup without damage; 0 if it does not show what was paid for
       * since.
       */
      is_journaled: integer(),
      /**
       * When a user agreed to spend again; null before. The row stays until a run has sorted out what
       * may have been paid for since the backup.
       */
      agreed_at: nullable(bigint()),
    },
  ),
};
