/**
 * The tables of erased people and of the audit. The audit is a chain to which new entries are appended. One of the
 * tables contains the keys of the entries.
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
  /** The contact is blocked. donor-sync did not know the contact's ID before. */
  | 'blocked'
  /** The contact is not blocked. The CRM merged an erased contact into it, and a user must decide. */
  | 'merged';

export const PRIVACY_TABLES = {
  /**
   * People whom donor-sync must not enhance again, and contacts that may be such people. A row applies to all
   * integrations of a CRM account.
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
      /** The fingerprint of the contact's ID in canonical form. */
      crm_id_fingerprint: personal(text()),
      forgotten_at: bigint(),
      state: text<ForgottenState>(),
      /** JSON of `PersonFingerprints`. Null if no details were known. */
      person: personal(nullable(text())),
      /** 1 if donor-sync also recognises the person in other accounts. */
      everywhere: integer(),
      /** The time at which the erasure ended. */
      erased_at: nullable(bigint()),
      /** JSON with the completed steps of the erasure, without the contact's ID. */
      receipt: nullable(text()),
      /** JSON with the fingerprints of the donors that belong only to this person. */
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
      /** The key of the contact in the entry (`audit_keys.id`). Null if the entry has no contact. */
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
  /** A key for each contact in the audit. The contact's erasure deletes the key. */
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
  /** The last entry of the chain and its last purged entry. The table has one row. */
  audit_head: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'fingerprints' },
      retention: null,
    },
    {
      /** The key of the only row, which is always 1. */
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
  /**
   * The birth record of the chain, which is created together with the first entry. If someone empties and restarts the
   * chain, its first entry is different.
   */
  chain_births: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'fingerprints' },
      retention: null,
    },
    {
      /** The key of the only row, which is always 1. */
      id: integer(),
      /** The time of the first entry. */
      at: bigint(),
      /** The hash of the first entry. */
      hash: text(),
      /** The keyed hash of `at` and `hash`. */
      mark: text(),
    },
  ),
};
