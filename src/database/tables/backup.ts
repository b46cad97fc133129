/** Databases that were restored from a backup. */
import { bigint, integer, nullable, table, text } from './table.ts';

export const BACKUP_TABLES = {
  /** Spending is blocked, because more may have been spent than the database shows. A user must agree first. */
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
       * Why spending is blocked. Usually, a backup was restored or all data was erased. `networks`: the members of a
       * network are unknown, because its group could not be read.
       */
      why: text<'restored' | 'networks' | 'erased'>(),
      /** Null if the time of the backup is unknown. */
      made_at: nullable(bigint()),
      /** Later erasures are unknown, so no run may start (epoch ms). Null if the erasure log was found. */
      erasures_unknown_after: nullable(bigint()),
      /** The time at which the hold started. */
      held_at: bigint(),
      /** 1 if the spending journal is complete since the backup, 0 if payments may be missing. */
      is_journaled: integer(),
      /**
       * Null until a user agrees to spend again. The row stays until a run has sorted the contacts that may have been
       * paid for since the backup.
       */
      agreed_at: nullable(bigint()),
    },
  ),
};
