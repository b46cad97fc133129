/** Data that prevents a run from being started twice, and that makes it start again. */
import { bigint, integer, table, text } from './table.ts';

export const JOB_TABLES = {
  /** The run that an Idempotency-Key led to. */
  idempotency_keys: table(
    {
      key: ['fingerprint'],
      whenClientErased: 'not of a client',
      exported: { not: 'fingerprints, for a day' },
      retention: null,
    },
    {
      /** Fingerprint of integration and key. */
      fingerprint: text(),
      /** Fingerprint of the request made with it. */
      request: text(),
      run_id: text(),
      used_at: bigint(),
    },
  ),
  /**
   * An integration whose CRM finds changes only after a while, so the contacts that a call requested are read again.
   * The row is deleted once that is done.
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
      /** The last call that did not name the changed contacts. */
      called_at: bigint(),
      /** How often it has been read again since. */
      times: integer(),
    },
  ),
};
