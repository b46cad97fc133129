/**
 * Erased people, and the audit: a chain of entries that are only ever added, and the keys that decrypt them.
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
  /** Blocked; its erasure has not finished. */
  | 'begun'
  | 'erased'
  /** Blocked although it was not known before. */
  | 'blocked'
  /** Not blocked. The CRM merged an erased contact into it, and a user has to decide. */
  | 'merged';

export const PRIVACY_TABLES = {
  /**
   * People who must not be enhanced again, and contacts for which a user has to decide whether they are one
   * of them. A row applies to every integration of the same CRM account.
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
      /** JSON: fingerprints of name, addresses and employers, or null if none of these was known. */
      person: personal(nullable(text())),
      /** 1 if the person is also recognised in the integrations of other accounts. */
      everywhere: integer(),
      /** When the erasure finished. */
      erased_at: nullable(bigint()),
      /** JSON: the actions that were taken, without any ID of the contact. */
      receipt: nullable(text()),
      /** JSON: keyed fingerprints of the donors that only this person was matched to. */
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
      /** 1, 2, 3, … without a gap. */
      seq: bigint(),
      at: bigint(),
      integration_id: nullable(text()),
      action: text(),
      /**
       * The key that decrypts the contact of the entry (`audit_keys.id`), or null if the entry does not name a contact.
       */
      key_id: nullable(text()),
      /**
       * Encrypted JSON: the actor, the source, details, and the contact, which is also encrypted with its own
       * key.
       */
      sealed: sealed({ with: 'key of the audit', boundTo: ['seq'] }),
      /** The keyed hash of all these columns and of the previous hash. */
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
  /** One row: the end of the chain, and its start since the last purge. */
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
      /** The last entry that was purged, its hash, and a keyed hash of both; 0 and null before any purge. */
      purged_seq: bigint(),
      purged_hash: nullable(text()),
      purged_mark: nullable(text()),
    },
  ),
  /**
   * One row, created together with the first entry. If the chain is emptied and started again, the first
   * entry is a different one.
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
