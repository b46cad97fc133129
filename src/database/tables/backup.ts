/** Databases that were restored from a backup. */
import { bigint, integer, nullable, table, text } from './table.ts';

export const BACKUP_TABLES = {
  /**
   * An integration that may have spent more than the database shows. Nothing is spent until a user agrees.
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
      /**
       * Why the row exists. Normally the database was restored from a backup, or was erased completely. `networks`: its
       * contacts are sorted after a restore, but a network's members are not known yet, because its group could not be
       * read.
       */
      why: text<'restored' | 'networks' | 'erased'>(),
      /** When the backup was made, or null if unknown. */
      made_at: nullable(bigint()),
      /**
       * The time after which erasures are unknown, so no run may start (epoch ms). Null if the erasure log was found.
       */
      erasures_unknown_after: nullable(bigint()),
      /** When the hold started. */
      held_at: bigint(),
      /**
       * 1 if the spending journal continues after the backup without damage. 0 if it does not show the payments since
       * then.
       */
      is_journaled: integer(),
      /**
       * When a user agreed to spend again. Null until then. The row stays until a run has sorted the contacts that may
       * have been paid for since the backup.
       */
      agreed_at: nullable(bigint()),
    },
  ),
};
