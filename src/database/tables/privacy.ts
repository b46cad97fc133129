/**
 * Erased people and the audit. New entries are only appended to the audit's chain. The keys of the entries are stored
 * here too.
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
  /** The contact is blocked, and its erasure is in progress. */
  | 'begun'
  | 'erased'
  /** The contact is blocked, and its ID was not known before. */
  | 'blocked'
  /** The contact is not blocked. The CRM merged an erased contact into it, and a user must decide. */
  | 'merged';

export const PRIVACY_TABLES = {
  /**
   * People who must not be enhanced again, and contacts that may be such people. A row applies to all integrations of
   * one CRM account.
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
      /** Null if no details were known. */
      person: personal(nullable(text())),
      /** 1 if the person is also recognised in other accounts. */
      everywhere: integer(),
      /** When the erasure ended. */
      erased_at: nullable(bigint()),
      /** JSON with the actions that were taken. It does not contain the contact's ID. */
      receipt: nullable(text()),
      /** JSON with keyed fingerprints of the donors that only this person has. */
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
      /** 1, 2, 3 and so on, without gaps. */
      seq: bigint(),
      at: bigint(),
      integration_id: nullable(text()),
      action: text(),
      /** The key of the entry's contact (`audit_keys.id`). Null if the entry has no contact. */
      key_id: nullable(text()),
      /**
       * Encrypted JSON: the actor, the source, the details and the contact. The contact is also encrypted with its own
       * key.
       */
      sealed: sealed({ with: 'key of the audit', boundTo: ['seq'] }),
      /** A keyed hash of these columns and of the previous hash. */
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
  /** The chain's last entry and its last purged entry. The table has one row. */
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
      /** The last purged entry, its hash, and a keyed hash of both. 0 and null before the first purge. */
      purged_seq: bigint(),
      purged_hash: nullable(text()),
      purged_mark: nullable(text()),
    },
  ),
  /** Created together with the first entry. A chain that was emptied and restarted has another first entry. */
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
