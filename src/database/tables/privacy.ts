/**
 * Erased people, and the audit. The audit is a chain of entries that are only added, with the keys that decrypt them.
 */
import {
  bigint,
  contactId,
  donorFingerprint,
  integer,
  nullable,
  personal,
  sealed,
  table,
  text,
} from './table.ts';

export type ForgottenState =
  /** The contact is blocked, and its erasure has not finished. */
  | 'begun'
  | 'erased'
  /** Blocked although it was not known before. */
  | 'blocked'
  /** Not blocked. The CRM merged an erased contact into it, and a user has to decide. */
  | 'merged';

export const PRIVACY_TABLES = {
  /**
   * People who must not be enhanced again, and contacts about which a user has to decide whether they are such a
   * person. A row applies to every integration of the same CRM account.
   */
  forgotten: table(
    {
      key: ['integration_id', 'crm_id_fingerprint'],
      whenClientErased: 'counted',
      exported: { not: 'fingerprints of who was erased' },
      retention: null,
    },
    {
      integration_id: text(),
      /** The fingerprint of the ID in its canonical form. */
      crm_id_fingerprint: personal(text()),
      forgotten_at: bigint(),
      state: text<ForgottenState>(),
      /** JSON with fingerprints of the name, addresses and employers. Null if none of them was known. */
      person: personal(nullable(text())),
      /** 1 if the person is also recognised in the integrations of other accounts. */
      everywhere: integer(),
      /** When the erasure finished. */
      erased_at: nullable(bigint()),
      /** JSON with the actions that were taken. It contains no ID of the contact. */
      receipt: nullable(text()),
      /** JSON with keyed fingerprints of the donors that only this person was matched to. */
      donors: donorFingerprint('erased'),
    },
  ),
  audit_entries: table(
    {
      key: ['seq'],
      whenClientErased: 'counted',
      exported: { not: 'exported opened, as the audit' },
      retention: 'audit',
    },
    {
      /** The entry's number: 1, 2, 3 and so on, without gaps. */
      seq: bigint(),
      at: bigint(),
      integration_id: nullable(text()),
      action: text(),
      /** The key that decrypts the entry's contact (`audit_keys.id`). Null if the entry has no contact. */
      key_id: nullable(text()),
      /**
       * Encrypted JSON: the actor, the source, the details and the contact. The contact is also encrypted with its own
       * key.
       */
      sealed: sealed({ with: 'key of the audit', boundTo: ['seq'] }),
      /** The keyed hash of all these columns and of the previous entry's hash. */
      hash: text(),
    },
  ),
  /** A key for each contact that the audit names. It is deleted with the contact. */
  audit_keys: table(
    {
      key: ['id'],
      whenClientErased: 'deleted with its contact',
      exported: { not: 'keys; the audit itself is exported' },
      retention: null,
    },
    {
      id: text(),
      integration_id: text(),
      crm_id: contactId({
        forget: 'row',
        about: 'auditEntries',
        whenRemoved: { kept: '`retention.audit`' },
      }),
      /** The key, encrypted. */
      sealed: sealed({ with: 'key of the audit', boundTo: ['id', 'integration_id', 'crm_id'] }),
    },
  ),
  /** The end of the chain, and its start since the last purge. There is one row. */
  audit_head: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'fingerprints' },
      retention: null,
    },
    {
      /** Always 1. */
      id: integer(),
      seq: bigint(),
      hash: text(),
      /** The keyed hash of `seq` and `hash`. */
      mark: text(),
      /** The last entry that was purged, its hash, and a keyed hash of both. 0 and null before any purge. */
      purged_seq: bigint(),
      purged_hash: nullable(text()),
      purged_mark: nullable(text()),
    },
  ),
  /**
   * A row that is created together with the first entry. If the chain is emptied and started again, the first entry is
   * different.
   */
  chain_births: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'fingerprints' },
      retention: null,
    },
    {
      /** Always 1. */
      id: integer(),
      /** When the first entry was made. */
      at: bigint(),
      /** The hash of the first entry. */
      hash: text(),
      /** The keyed hash of `at` and `hash`. */
      mark: text(),
    },
  ),
};
