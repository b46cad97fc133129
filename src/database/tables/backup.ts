/** The table of databases that were restored from a backup. */
import { bigint, integer, nullable, table, text } from './table.ts';

export const BACKUP_TABLES = {
  /** Holds on spending. More credits may have been spent than the database shows, so a user must agree first. */
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
       * The reason for the hold. Usually, a backup was restored or all data was erased. `networks`: the members of a
       * network are unknown, because its group could not be read.
       */
      why: text<'restored' | 'networks' | 'erased'>(),
      /** The time of the backup (epoch ms). Null if the time is unknown. */
      made_at: nullable(bigint()),
      /**
       * The time after which erasures are unknown (epoch ms). In this case, no run may start. Null if the erasure log
       * was found.
       */
      erasures_unknown_after: nullable(bigint()),
      /** The time at which the hold started. */
      held_at: bigint(),
      /** 1 if the spending journal contains all payments since the backup, 0 if payments may be missing. */
      is_journaled: integer(),
      /**
       * The time at which a user agreed to spend again. Null until then. The row remains until a run has decided about
       * all contacts that may have been paid for since the backup.
       */
      agreed_at: nullable(bigint()),
    },
  ),
};
