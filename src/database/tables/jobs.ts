/** Data that prevents a run from being started twice, and data that causes it to start again. */
import { bigint, integer, table, text } from './table.ts';

export const JOB_TABLES = {
  /** The run that a request with an Idempotency-Key started. */
  idempotency_keys: table(
    {
      key: ['fingerprint'],
      whenClientErased: 'not of a client',
      exported: { not: 'fingerprints, for a day' },
      retention: null,
    },
    {
      /** The fingerprint of the integration and the key. */
      fingerprint: text(),
      /** The fingerprint of the request made with it. */
      request: text(),
      run_id: text(),
      used_at: bigint(),
    },
  ),
  /**
   * An integration whose CRM finds changes only after a while, so the contacts of a call are read again later. The row
   * is then deleted.
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
      /** How often the contacts have been read again since. */
      times: integer(),
    },
  ),
};
