/** What keeps a run from being started twice, and what makes it start again. */
import { bigint, integer, table, text } from './table.ts';

export const JOB_TABLES = {
  /** What an Idempotency-Key led to. */
  idempotency_keys: table(
    {
      key: ['fingerprint'],
      whenClientErased: 'not of a client',
      exported: { not: 'fingerprints, for a day' },
      retention: null,
    },
    {
      /** Of integration and key. */
      fingerprint: text(),
      /** Fingerprint of what was asked with it. */
      request: text(),
      run_id: text(),
      used_at: bigint(),
    },
  ),
  /**
   * An integration whose CRM finds changes only after a while: what was called for is read again. The
   * row is gone once that is done.
   */
  rereads: table(
    {
      key: ['integration_id'],
      whenClientErased: 'deleted first',
      exported: { not: 'kept for two minutes' },
      retention: null,
    },
    {
      integration_id: text(),
      /** The last call that left open who has changed. */
      called_at: bigint(),
      /** How often it was read again since. */
      times: integer(),
    },
  ),
};
