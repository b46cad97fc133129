/** The contacts that donor-sync must not process again because a user erased the person. */
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import type { Store } from '../../database/store.ts';
import type { ForgottenState } from '../../database/tables/privacy.ts';
import { canBeRecognised, type PersonFingerprints } from '../../identity/person-fingerprints.ts';
import { recordEntry } from '../audit/record.ts';
import type { WithErasureLog } from './erasure-log.ts';
import { LEFT_STATES } from './left-values.ts';
import { parsePerson } from './mentions.ts';

/** A contact that donor-sync must not process again. */
export interface Block {
  /** The fingerprint of the CRM ID. */
  fingerprint: string;
  since: number;
  state: ForgottenState | null;
  /** JSON of `PersonFingerprints`, or null if no data about the person was available. */
  person: string | null;
  /**
   * True if the block is about an erasure in this account. False if it is about a different account, in which the same
   * ID means someone else.
   */
  isOwn: boolean;
}

/**
 * True if the block prevents the contact's processing. False for people of other accounts, and for contacts that are
 * only suspected.
 */
export function isBlocking({ isOwn, state }: Block): boolean {
  return isOwn && state !== 'merged';
}

/** Returns the fingerprints under which blocks are stored for these contacts. */
export function fingerprintContacts(fingerprint: Fingerprint, crmIds: readonly string[]): string[] {
  return crmIds.map((id) => fingerprint('forgotten', id));
}

/**
 * Returns the blocks that apply to an integration. The blocks can come from any integration of the same account.
 * `account` is the account's fingerprint. If `account` is null, the account that the database has stored is used.
 */
export async function listBlocks(
  reader: Reader,
  integrationId: string,
  account: string | null,
): Promise<Block[]> {
  const { rows: own } =
    account === null
      ? await ofPinnedAccount(reader, { integrationId })
      : await ofAccount(reader, { account });
  const ids = new Set([integrationId, ...own.map(({ id }) => id)]);
  const { rows } = await forgottenIn(reader, { integrationIds: [...ids] });
  return rows.map((row) => ({
    fingerprint: row.crm_id_fingerprint,
    since: row.forgotten_at,
    state: row.state,
    person: row.person,
    isOwn: ids.has(row.integration_id),
  }));
}

/** Returns the fingerprints of an integration's contacts that donor-sync must not process again. */
export async function listBlockedContacts(
  reader: Reader,
  integrationId: string,
): Promise<Set<string>> {
  const blocks = await listBlocks(reader, integrationId, null);
  return new Set(blocks.flatMap((block) => (isBlocking(block) ? block.fingerprint : [])));
}

/**
 * Adds the data that identifies the person to a block. Also records whether the block applies to all accounts. Does
 * nothing if the block already contains this data. If the block contains only names that help to find values, `person`
 * replaces them. The data is first written to the erasure log, so a restored database also recognises the person.
 */
export async function notePersonOfBlock(
  { reader, act, erasures }: Pick<Store, 'reader' | 'act'> & WithErasureLog,
  { integrationId, crmIdFingerprint: contact, state, ...block }: BlockOfPerson,
  { person, everywhere }: { person: PersonFingerprints | null; everywhere: boolean },
): Promise<void> {
  const isNew = canBeRecognised(person) && !canBeRecognised(parsePerson(block.person));
  if (!isNew && (!everywhere || block.everywhere === 1)) return;
  const isEverywhere = everywhere || block.everywhere === 1;
  await erasures.append({
    what: state === 'blocked' ? state : 'erased',
    at: reader.clock.now(),
    integration: integrationId,
    everywhere: isEverywhere,
    contact,
    person: isNew ? person : null,
  });
  await act(async (trx) => {
    await trx
      .updateTable('forgotten')
      .set({
        everywhere: isEverywhere ? 1 : 0,
        ...(isNew ? { person: JSON.stringify(person) } : {}),
      })
      .where('integration_id', '=', integrationId)
      .where('crm_id_fingerprint', '=', contact)
      .execute();
    const details = { state: 'erased', everywhere };
    await recordEntry(trx, { action: 'forget.begun', integrationId, details, changesBlocks: true });
  });
}

/** A block that may still lack the data that identifies its person. */
interface BlockOfPerson {
  integrationId: string;
  crmIdFingerprint: string;
  state: ForgottenState | null;
  /** JSON of `PersonFingerprints`, or null if no data about the person was available. */
  person: string | null;
  everywhere: number;
}

/** Lifts blocks. Resolves with the integrations in which the ID was blocked. */
export async function dropBlocks(
  {
    reader,
    fingerprint,
    act,
    erasures,
  }: Pick<Store, 'reader' | 'fingerprint' | 'act'> & WithErasureLog,
  integrationIds: readonly string[],
  crmIds: readonly string[],
): Promise<string[]> {
  const all = await act((trx) => dropIn(trx, integrationIds, crmIds));
  const [contact = '', ...forms] = fingerprintContacts(fingerprint, crmIds);
  for (const integration of all) {
    await erasures.append({
      what: 'lifted',
      at: reader.clock.now(),
      integration,
      contact,
      forms,
    });
  }
  return all;
}

async function dropIn(
  trx: ActorTransaction,
  integrationIds: readonly string[],
  crmIds: readonly string[],
): Promise<string[]> {
  const fingerprints = fingerprintContacts(trx.fingerprint, crmIds);
  const lifted = await trx
    .deleteFrom('forgotten')
    .where('integration_id', 'in', integrationIds)
    .where('crm_id_fingerprint', 'in', fingerprints)
    .returning('integration_id')
    .execute();
  // While the contact was blocked, runs counted it under its fingerprint.
  await trx
    .deleteFrom('contacts')
    .where('integration_id', 'in', integrationIds)
    .where('crm_id', 'in', fingerprints)
    .execute();
  // donor-sync knows the contact's ID again, so the contact's writes can be stored under this ID again.
  for (const [at, crm_id] of crmIds.entries()) {
    await trx
      .updateTable('writes')
      .set({ crm_id, state: 'written' })
      .where('integration_id', 'in', integrationIds)
      .where('crm_id', '=', fingerprints[at] ?? '')
      .where('state', 'in', LEFT_STATES)
      .execute();
  }
  const ids = [...new Set(lifted.map((row) => row.integration_id))].sort();
  for (const integrationId of ids) {
    await recordEntry(trx, { action: 'forget.lifted', integrationId, changesBlocks: true });
  }
  return ids;
}

const ofPinnedAccount = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('integrations')
    .select('id')
    .where('crm_account', '=', (eb) =>
      eb
        .selectFrom('integrations as self')
        .select('self.crm_account')
        .where('self.id', '=', integrationId),
    )
    .compile(),
);

const ofAccount = preparedRead((db, { account }: Slots<{ account: string }>) =>
  db.selectFrom('integrations').select('id').where('crm_account', '=', account).compile(),
);

const forgottenIn = preparedRead(
  (db, { integrationIds }: Slots<{ integrationIds: readonly string[] }>) =>
    db
      .selectFrom('forgotten')
      .selectAll()
      .where((eb) => eb.or([eb('integration_id', 'in', integrationIds), eb('everywhere', '=', 1)]))
      .compile(),
);
