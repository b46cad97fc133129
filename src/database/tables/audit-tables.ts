/** The tables of the audit: entries that are only ever added, chained, and the keys that open them. */

export interface AuditTables {
  audit_entries: AuditEntriesTable;
  audit_keys: AuditKeysTable;
  audit_head: AuditHeadTable;
  chain_births: ChainBirthsTable;
}

export interface AuditEntriesTable {
  /** 1, 2, 3, … without a gap. */
  seq: number;
  at: number;
  integration_id: string | null;
  action: string;
  /** The key that opens the contact of the entry (`audit_keys.id`); null if it names none. */
  key_id: string | null;
  /** Sealed JSON: who, from where, details, and the contact, sealed once more by its own key. */
  sealed: string;
  /** Keyed hash of all of this and of the hash before. */
  hash: string;
}

/** A key for each contact that the audit names: gone with the contact. */
export interface AuditKeysTable {
  id: string;
  integration_id: string;
  crm_id: string;
  /** The key, sealed. */
  sealed: string;
}

/** One row: where the chain ends, and where it begins since the last purge. */
export interface AuditHeadTable {
  /** Always 1. */
  id: number;
  seq: number;
  hash: string;
  /** Keyed hash of `seq` and `hash`. */
  mark: string;
  /** The last entry that was purged, its hash, and a keyed hash of both; 0 and null before any purge. */
  purged_seq: number;
  purged_hash: string | null;
  purged_mark: string | null;
}

/** One row, made with the first entry: a chain that was emptied and begun again has another first entry. */
export interface ChainBirthsTable {
  /** Always 1. */
  id: number;
  /** When the first entry was made. */
  at: number;
  /** Hash of the first entry. */
  hash: string;
  /** Keyed hash of `at` and `hash`. */
  mark: string;
}
