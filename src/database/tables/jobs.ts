/** The tables that keep a run from starting twice, and that start a run again. */
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
      /** The fingerprint of the request that was made with the key. */
      request: text(),
      run_id: text(),
      used_at: bigint(),
    },
  ),
  /** Later readings of a webhook call's contacts, because the CRM's search finds changes only after a while. */
  rereads: table(
    {
      key: ['integration_id'],
      whenClientErased: 'deleted first',
      exported: { not: 'kept for two minutes' },
      retention: null,
    },
    {
      integration_id: text(),
      /** The time of the last call that did not name the changed contacts. */
      called_at: bigint(),
      /** The number of times that the contacts have been read again. */
      times: integer(),
    },
  ),
};
