/** Reads the decrypted audit entries, and the end of their chain. */
import { type Actor, PRODUCT } from '../../core/actor.ts';
import { isDonorSyncError } from '../../core/errors.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { Sealer } from '../../database/encryption/sealed.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';
import {
  auditSealer,
  contactSealContext,
  contactSealer,
  keySealContext,
  placeMark,
} from './chain.ts';
import { openEntryBody, toTime } from './entry-body.ts';
import type { AuditAction, AuditDetails } from './record.ts';

/** The database and the fingerprint key. The key decrypts and verifies the entries. */
export interface AuditSource {
  readonly reader: Reader;
  readonly fingerprint: Fingerprint;
}

/** A decrypted entry. */
export interface AuditRecord {
  seq: number;
  /** The time of the action (epoch ms). */
  at: number;
  action: string;
  integrationId: string | null;
  actor: Actor;
  /** The contact's ID in the CRM. Null if the entry has no contact, or if the contact was erased. */
  crmId: string | null;
  /** True if the entry had a contact, and this contact has been erased. */
  isContactErased: boolean;
  /**
   * True if the entry can be read. False if someone changed the entry in the database. The actor, the contact and the
   * details are then unknown.
   */
  isReadable: boolean;
  details: AuditDetails;
}

/** The conditions for audit entries. An omitted property is not a condition. */
export interface AuditFilter {
  /** Limits the result to entries from this time on (epoch ms). */
  since?: number | undefined;
  /** Limits the result to entries before this time (epoch ms). */
  until?: number | undefined;
  integrationId?: string | undefined;
  /** Limits the result to entries about some integrations. */
  integrationIds?: readonly string[] | undefined;
  action?: string | undefined;
  /** Limits the result to entries before this sequence number. */
  before?: number | undefined;
  limit: number;
}

/** A position in the chain. */
export interface AuditPlace {
  seq: number;
  hash: string;
}

/** The end of the chain, as stored in the database. */
export interface AuditEnd extends AuditPlace {
  /** True if the signature of this end is valid. A different program must then have changed the end. */
  isSigned: boolean;
}

/** An entry with the key of its contact. An erasure of the contact deletes the key. */
type ListedRow = Tables['audit_entries'] & {
  key: string | null;
  crm_id: string | null;
  key_integration: string | null;
};

function selectEntries(reader: Reader) {
  return reader
    .selectFrom('audit_entries as entry')
    .leftJoin('audit_keys as key', 'key.id', 'entry.key_id')
    .selectAll('entry')
    .select(['key.sealed as key', 'key.crm_id', 'key.integration_id as key_integration']);
}

const selectLast = preparedRead((reader, { action }: Slots<{ action: AuditAction }>) =>
  selectEntries(reader)
    .where('entry.seq', 'in', (eb) =>
      eb
        .selectFrom('audit_entries')
        .select((inner) => inner.fn.max('seq').as('seq'))
        .where('action', '=', action)
        .groupBy('integration_id'),
    )
    .compile(),
);

/** Returns audit entries, newest first. */
export async function listAuditEntries(
  { reader, fingerprint }: AuditSource,
  { since, until, integrationId, integrationIds, action, before, limit }: AuditFilter,
): Promise<AuditRecord[]> {
  if (integrationIds?.length === 0) return [];
  const rows = await selectEntries(reader)
    .$if(integrationIds !== undefined, (query) =>
      query.where('entry.integration_id', 'in', integrationIds ?? []),
    )
    .$if(since !== undefined, (query) => query.where('entry.at', '>=', since ?? 0))
    .$if(until !== undefined, (query) => query.where('entry.at', '<', until ?? 0))
    .$if(action !== undefined, (query) => query.where('entry.action', '=', action ?? ''))
    .$if(before !== undefined, (query) => query.where('entry.seq', '<', before ?? 0))
    .$if(integrationId !== undefined, (query) =>
      query.where('entry.integration_id', '=', integrationId ?? ''),
    )
    .orderBy('entry.seq', 'desc')
    .limit(limit)
    .execute();
  const sealer = auditSealer(fingerprint);
  return rows.map((row) => openEntry(sealer, row));
}

export async function listLastEntries(
  { reader, fingerprint }: AuditSource,
  action: AuditAction,
): Promise<AuditRecord[]> {
  const sealer = auditSealer(fingerprint);
  const { rows } = await selectLast(reader, { action });
  return rows.map((row) => openEntry(sealer, row));
}

/** Returns the stored end of the chain, and does not check the entries. Returns null if the audit has no entries. */
export async function readAuditEnd(source: AuditSource): Promise<AuditEnd | null> {
  const head = await readHead(source);
  if (head === null) {
    const isGone = (await readBirth(source)) !== null;
    return isGone ? { seq: 0, hash: 'none', isSigned: false } : null;
  }
  const end = { seq: head.seq, hash: head.hash };
  return { ...end, isSigned: head.mark === placeMark(source.fingerprint, 'audit_end', end) };
}

function openEntry(sealer: Sealer, row: ListedRow): AuditRecord {
  const { seq, action, integration_id: integrationId } = row;
  const known = { seq, at: toTime(row.at), action, integrationId };
  try {
    return { ...known, ...openParts(sealer, row), isReadable: true };
  } catch (error) {
    if (!isDonorSyncError(error)) throw error;
    const nothing = { actor: PRODUCT, crmId: null, isContactErased: false, details: {} };
    return { ...known, ...nothing, isReadable: false };
  }
}

function openParts(
  sealer: Sealer,
  { seq, sealed, key_id: id, key, crm_id, key_integration }: ListedRow,
) {
  const { actor, details, contact } = openEntryBody(sealer, { seq, sealed });
  if (contact === null) return { actor, details, crmId: null, isContactErased: false };
  if (id === null || key === null || crm_id === null || key_integration === null) {
    return { actor, details, crmId: null, isContactErased: true };
  }
  const place = keySealContext({ id, integrationId: key_integration, crmId: crm_id });
  const crmId = contactSealer(sealer.open(key, place)).open(contact, contactSealContext(seq));
  return { actor, details, crmId, isContactErased: false };
}

/** Returns the birth record that was created with the first entry, or null if there is none. */
export async function readBirth({ reader }: Pick<AuditSource, 'reader'>) {
  const birth = await reader
    .selectFrom('chain_births')
    .selectAll()
    .where('id', '=', 1)
    .executeTakeFirst();
  return birth ?? null;
}

/** Returns the row that stores the end of the chain. Returns null if the audit has no entries. */
export async function readHead({ reader }: Pick<AuditSource, 'reader'>) {
  const head = await reader
    .selectFrom('audit_head')
    .selectAll()
    .where('id', '=', 1)
    .executeTakeFirst();
  return head ?? null;
}
