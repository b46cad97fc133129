/**
 * Records the start, the progress and the end of erasures. An erasure ends when the contact has been erased from the
 * database.
 */
import type { Selectable } from 'kysely';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import type { Lease, RunTransaction } from '../../database/leases.ts';
import type { Store } from '../../database/store.ts';
import type { ForgottenState } from '../../database/tables/privacy.ts';
import type { Tables } from '../../database/tables/tables.ts';
import type { PersonFingerprints } from '../../identity/person-fingerprints.ts';
import { recordEntry } from '../audit/record.ts';
import { fingerprintContacts } from './blocks.ts';
import { findIds } from './erase-again.ts';
import { type ErasedRows, eraseRows } from './erase-rows.ts';
import type { WithErasureLog } from './erasure-log.ts';
import { parseDonors, parseNames } from './mentions.ts';

export type ForgottenRecord = FromRow<Selectable<Tables['forgotten']>>;

/** The record of an erasure. The record is stored before anything is erased. */
export interface Erasure {
  crmId: string;
  state: Extract<ForgottenState, 'begun' | 'blocked'>;
  person: PersonFingerprints | null;
  everywhere: boolean;
  /** The fingerprints of the donors that belong to this person and to no other contact. */
  donors: readonly string[];
  /** The receipt as JSON, without the contact's ID. Null if the erasure has no receipt yet. */
  receipt: string | null;
}

/** An unfinished erasure. The database still contains the contact. */
export interface BegunErasure {
  crmId: string;
  /** JSON of the erasure's progress. */
  receipt: string;
  donors: readonly string[];
  /** The person's names. Each name consists of the fingerprints of its words. */
  names: readonly string[];
}

export interface EraseOptions {
  forms?: readonly string[];
  /**
   * True if the contact's CRM fields may still contain values. False if they were empty when donor-sync read them. If
   * true, the erasure keeps fingerprints of the values in these fields. Defaults to true.
   */
  mayBeLeft?: boolean;
  /** Builds the JSON of the receipt in the same transaction. */
  buildReceipt?: (erased: ErasedRows) => string;
}

/**
 * The parts of the store that record erasures. The erasure log contains each erasure before its data is erased from the
 * database.
 */
type ErasingStore = Pick<Store, 'reader' | 'fingerprint' | 'checkpoint'> & WithErasureLog;

/**
 * Blocks a contact before anything is erased. If the erasure is interrupted, no run can restore any data. This step can
 * be repeated. This step and all later steps need the lease, because a run that starts during the erasure would not
 * know the block.
 */
export async function beginErasure(
  { reader, fingerprint, checkpoint, erasures }: ErasingStore,
  lease: Lease,
  erasure: Erasure,
): Promise<void> {
  const { crmId, state, person, everywhere, donors } = erasure;
  const now = reader.clock.now();
  await erasures.append({
    what: state,
    at: now,
    integration: lease.integrationId,
    everywhere,
    contact: fingerprint('forgotten', crmId),
    person,
    donors: [...donors],
  });
  await checkpoint(lease, (trx) => block(trx, erasure, now));
}

async function block(
  trx: RunTransaction,
  { crmId, state, person, everywhere, donors, receipt }: Erasure,
  now: number,
): Promise<void> {
  const { integrationId } = trx.lease;
  await trx
    .insertInto('forgotten')
    .values({
      integration_id: integrationId,
      crm_id_fingerprint: trx.fingerprint('forgotten', crmId),
      forgotten_at: now,
      person: person === null ? null : JSON.stringify(person),
      everywhere: everywhere ? 1 : 0,
      state,
      receipt,
      donors: JSON.stringify(donors),
    })
    .onConflict((c) =>
      c.columns(['integration_id', 'crm_id_fingerprint']).doUpdateSet((eb) => ({
        state,
        receipt,
        donors: eb.ref('excluded.donors'),
        person: eb.fn.coalesce('excluded.person', 'forgotten.person'),
        everywhere: everywhere ? 1 : eb.ref('forgotten.everywhere'),
        // A contact that was only suspected to be an erased person is now blocked.
        forgotten_at: eb
          .case()
          .when('forgotten.state', '=', 'merged')
          .then(eb.ref('excluded.forgotten_at'))
          .else(eb.ref('forgotten.forgotten_at'))
          .end(),
      })),
    )
    .execute();
  await recordEntry(trx, {
    action: 'forget.begun',
    integrationId,
    details: { state, everywhere },
    changesBlocks: true,
  });
}

/**
 * Records the progress of an erasure. Once the erasure is finished, the audit contains a hash of the receipt, so the
 * audit check notices any later change.
 */
export async function noteErasureReceipt(
  trx: RunTransaction,
  crmId: string,
  receipt: string,
): Promise<void> {
  const { integrationId } = trx.lease;
  const [row] = await trx
    .updateTable('forgotten')
    .set({ receipt })
    .where('integration_id', '=', integrationId)
    .where('crm_id_fingerprint', '=', trx.fingerprint('forgotten', crmId))
    .returning(['state', 'everywhere'])
    .execute();
  if (row === undefined || row.state === 'begun') return;
  const details = { state: row.state, everywhere: row.everywhere === 1 };
  await recordEntry(trx, { action: 'forget.begun', integrationId, details, changesBlocks: true });
}

/**
 * Erases a contact from every table. Keeps only a fingerprint, so that runs never process the contact again. Charges
 * are kept, but no longer refer to the contact. `crmId` is the canonical form of the contact's ID, and `forms` are the
 * other forms that rows may contain.
 */
export async function eraseFromStore(
  { reader, fingerprint, checkpoint, erasures }: ErasingStore,
  lease: Lease,
  crmId: string,
  options: EraseOptions = {},
): Promise<ErasedRows> {
  const crmIds = [crmId, ...(options.forms ?? [])];
  const [contact = '', ...others] = fingerprintContacts(fingerprint, crmIds);
  await erasures.append({
    what: 'erased',
    at: reader.clock.now(),
    integration: lease.integrationId,
    contact,
    forms: others,
  });
  return checkpoint(lease, (trx) => erase(trx, crmId, options));
}

async function erase(
  trx: RunTransaction,
  crmId: string,
  { forms = [], mayBeLeft = true, buildReceipt }: EraseOptions,
): Promise<ErasedRows> {
  const { integrationId } = trx.lease;
  const { fingerprint } = trx;
  const now = trx.clock.now();
  const values = { fingerprint, mayBeLeft };
  const erased = await eraseRows(trx, integrationId, [crmId, ...forms], now, values);
  const end = {
    state: 'erased' as const,
    erased_at: now,
    ...(buildReceipt === undefined ? {} : { receipt: buildReceipt(erased) }),
  };
  await trx
    .insertInto('forgotten')
    .values({
      integration_id: integrationId,
      crm_id_fingerprint: fingerprint('forgotten', crmId),
      forgotten_at: now,
      everywhere: 0,
      donors: '[]',
      ...end,
    })
    .onConflict((c) => c.columns(['integration_id', 'crm_id_fingerprint']).doUpdateSet(end))
    .execute();
  const { contacts, jobs, holds, writes, keys } = erased;
  await recordEntry(trx, {
    action: 'forget.done',
    integrationId,
    details: { contacts, jobs, holds, writes, keys: keys.length },
    destroyedKeys: keys,
    changesBlocks: true,
  });
  return erased;
}

/** Returns the recorded erasures of a contact that has one of these forms of ID. */
export async function findErasures(
  { reader, fingerprint }: Pick<Store, 'reader' | 'fingerprint'>,
  integrationIds: readonly string[],
  crmIds: readonly string[],
): Promise<ForgottenRecord[]> {
  return reader
    .selectFrom('forgotten')
    .selectAll()
    .where('integration_id', 'in', integrationIds)
    .where('crm_id_fingerprint', 'in', fingerprintContacts(fingerprint, crmIds))
    .orderBy('integration_id')
    .orderBy('forgotten_at')
    .execute()
    .then(fromRows);
}

/** Returns unfinished erasures whose contact is still in the database. donor-sync tries them again. */
export async function listBegunErasures(
  { reader, fingerprint }: Pick<Store, 'reader' | 'fingerprint'>,
  integrationId: string,
): Promise<BegunErasure[]> {
  const rows = await reader
    .selectFrom('forgotten')
    .select(['crm_id_fingerprint', 'receipt', 'donors', 'person'])
    .where('integration_id', '=', integrationId)
    .where('state', '=', 'begun')
    .where('receipt', 'is not', null)
    .orderBy('forgotten_at')
    .execute();
  if (rows.length === 0) return [];
  const wanted = new Set(rows.map((row) => row.crm_id_fingerprint));
  const ids = await findIds({ reader, fingerprint }, integrationId, wanted);
  return rows.flatMap(({ crm_id_fingerprint: contact, receipt, donors, person }) => {
    const crmId = ids.get(contact);
    if (crmId === undefined || receipt === null) return [];
    return [{ crmId, receipt, donors: parseDonors(donors), names: parseNames(person) }];
  });
}
