/** After a restore, repeats all erasures that were carried out after the backup. */
import { sql } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { Reader } from '../../database/reader.ts';
import type { Store } from '../../database/store.ts';
import { canBeRecognised } from '../../identity/person-fingerprints.ts';
import { recordEntry } from '../audit/record.ts';
import { CONTACT_PLACES, idsIn } from './contact-places.ts';
import { eraseIntegration } from './erase-integration.ts';
import { eraseRows } from './erase-rows.ts';
import type { ErasureEntry as LoggedEntry } from './erasure-log.ts';
import { findDonorFingerprints, parsePerson } from './mentions.ts';

/** The repeated erasures, in numbers. */
export interface ErasedAgain {
  blocked: number;
  /** The number of blocked contacts that the backup contained. */
  erased: number;
  integrations: string[];
  /**
   * The number of blocked contacts whose values may still be in the CRM. Someone must repeat `forget` for these
   * contacts.
   */
  unfinished: number;
}

/** An erasure log entry, without the place of the log. */
type ErasureEntry = Omit<LoggedEntry, 'store' | 'folder'>;

/** The number of rows that are read at a time to find contacts. */
const IDS_PER_LOOK = 5_000;

export async function eraseAgain(
  store: Pick<Store, 'reader' | 'fingerprint' | 'act'>,
  entries: readonly ErasureEntry[],
  madeAt: number | null,
): Promise<ErasedAgain> {
  const { reader, act } = store;
  const done: ErasedAgain = { blocked: 0, erased: 0, unfinished: 0, integrations: [] };
  for (const [integrationId, own] of Map.groupBy(entries, ({ integration }) => integration)) {
    if (await hasLeftSince(reader, integrationId, own, madeAt)) {
      await act((trx) => recordEntry(trx, { action: 'integration.erasing', integrationId }));
      const { erased } = await eraseIntegration(reader, integrationId, reader.clock.now(), act);
      await act((trx) =>
        recordEntry(trx, {
          action: 'integration.erased',
          integrationId,
          details: { ...erased, again: true },
        }),
      );
      done.integrations.push(integrationId);
    }
    const last = lastOfEach(own);
    if (last.length === 0) continue;
    const wanted = new Set(last.flatMap(({ contact, forms }) => [contact, ...forms]));
    const ids = await findIds(store, integrationId, wanted);
    for (const entry of last) {
      const crmIds = [entry.contact, ...entry.forms].flatMap((each) => ids.get(each) ?? []);
      await act((trx) => apply(trx, entry, crmIds));
      done.blocked += 1;
      if (entry.what === 'begun') done.unfinished += 1;
      else if (crmIds.length > 0) done.erased += 1;
    }
  }
  return done;
}

/**
 * True if all data of an integration was erased after the backup. If the integration was added again later, it is a new
 * integration, which only a newer backup contains. If the time of the backup is unknown, the audit shows whether this
 * database recorded the erasure. If the audit does not reach back far enough, the integration's runs show it. If a
 * client was removed and added again, all of its runs started after the erasure.
 */
async function hasLeftSince(
  reader: Reader,
  integrationId: string,
  entries: readonly ErasureEntry[],
  madeAt: number | null,
): Promise<boolean> {
  const left = entries.findLast(({ what }) => what === 'left');
  if (left === undefined) return false;
  if (madeAt !== null) return left.at > madeAt;
  const known = await reader
    .selectFrom('audit_entries')
    .select('seq')
    .where('integration_id', '=', integrationId)
    .where('action', '=', 'integration.erased')
    .where('at', '>=', left.at)
    .limit(1)
    .executeTakeFirst();
  if (known !== undefined) return false;
  const { oldest } = await reader
    .selectFrom('audit_entries')
    .select((eb) => eb.fn.min('at').as('oldest'))
    .executeTakeFirstOrThrow();
  if (oldest === null || Number(oldest) <= left.at) return true;
  const older = await reader
    .selectFrom('runs')
    .select('id')
    .where('integration_id', '=', integrationId)
    .where('started_at', '<', left.at)
    .limit(1)
    .executeTakeFirst();
  return older !== undefined;
}

/** Returns each contact's final state, without contacts whose block was lifted. A pure function. */
function lastOfEach(entries: readonly ErasureEntry[]): ErasureEntry[] {
  const last = new Map<string, ErasureEntry>();
  for (const entry of entries) {
    if (['left', 'seen', 'backups'].includes(entry.what)) continue;
    if (entry.what === 'lifted') {
      for (const each of [entry.contact, ...entry.forms]) last.delete(each);
      continue;
    }
    const before = last.get(entry.contact);
    last.set(entry.contact, {
      ...entry,
      at: before?.at ?? entry.at,
      person: entry.person ?? before?.person ?? null,
      everywhere: entry.everywhere || before?.everywhere === true,
      forms: [...new Set([...(before?.forms ?? []), ...entry.forms])],
      donors: [...new Set([...(before?.donors ?? []), ...entry.donors])],
    });
  }
  return [...last.values()];
}

/** Returns the stored IDs of these contacts, by fingerprint. */
export async function findIds(
  { reader, fingerprint }: { reader: Reader; fingerprint: Fingerprint },
  integrationId: string,
  wanted: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const look = (id: string) => {
    const own = fingerprint('forgotten', id);
    if (wanted.has(own)) found.set(own, id);
  };
  for (const place of CONTACT_PLACES) {
    const ids = idsIn(place, integrationId);
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { rows }: { rows: { id: string }[] } = await sql<{ id: string }>`
        select distinct id from (${ids}) as held where id > ${after}
        order by id limit ${IDS_PER_LOOK}`.execute(reader);
      for (const { id } of rows) look(id);
      after = rows.length < IDS_PER_LOOK ? undefined : rows.at(-1)?.id;
    }
  }
  return found;
}

/**
 * Repeats an erasure. Like the original erasure, it blocks the contact first. An unfinished erasure waits for `forget`,
 * as before the restore.
 */
async function apply(
  trx: ActorTransaction,
  { what, at, integration, contact, person, everywhere, ...logged }: ErasureEntry,
  crmIds: readonly string[],
): Promise<void> {
  const { fingerprint } = trx;
  const now = trx.clock.now();
  const state = what === 'begun' || what === 'blocked' ? what : 'erased';
  const known = person === null ? null : JSON.stringify(person);
  // Reads the fingerprints before the rows are deleted. Once donor-sync starts again, it uses the fingerprints to find
  // values that name the person.
  const found =
    crmIds.length === 0 ? [] : await findDonorFingerprints(trx, fingerprint, [integration], crmIds);
  const donors = JSON.stringify([...new Set([...logged.donors, ...found])]);
  const before = await readBlock(trx, integration, contact);
  const isRecorded = canBeRecognised(parsePerson(before?.person ?? null));
  await trx
    .insertInto('forgotten')
    .values({
      integration_id: integration,
      crm_id_fingerprint: contact,
      forgotten_at: at,
      state,
      person: known,
      everywhere: everywhere ? 1 : 0,
      donors,
      erased_at: state === 'erased' ? now : null,
    })
    .onConflict((c) =>
      c.columns(['integration_id', 'crm_id_fingerprint']).doUpdateSet((eb) => ({
        state,
        erased_at:
          state === 'erased'
            ? eb.fn.coalesce('forgotten.erased_at', eb.val(now))
            : eb.ref('forgotten.erased_at'),
        person: isRecorded
          ? eb.ref('forgotten.person')
          : eb.fn.coalesce(eb.ref('excluded.person'), eb.ref('forgotten.person')),
        donors: donors === '[]' ? eb.ref('forgotten.donors') : donors,
        everywhere: everywhere ? 1 : eb.ref('forgotten.everywhere'),
      })),
    )
    .execute();
  if (state === 'begun' || crmIds.length === 0) {
    const after = await readBlock(trx, integration, contact);
    if (JSON.stringify(after) === JSON.stringify(before)) return;
    const details = { state, everywhere, again: true };
    await recordEntry(trx, {
      action: 'forget.begun',
      integrationId: integration,
      details,
      changesBlocks: true,
    });
    return;
  }
  const { contacts, jobs, holds, writes, keys } = await eraseRows(trx, integration, crmIds, now, {
    // The backup does not show which values were cleared or written after it.
    fingerprint,
    mayBeLeft: true,
  });
  const details = { contacts, jobs, holds, writes, keys: keys.length, again: true };
  await recordEntry(trx, {
    action: 'forget.done',
    integrationId: integration,
    details,
    destroyedKeys: keys,
    changesBlocks: true,
  });
}

/**
 * Returns the content of a block as text, in the form that the audit hashes. Returns null if the contact has no block.
 */
async function readBlock(reader: Reader, integration: string, contact: string) {
  return reader
    .selectFrom('forgotten')
    .select(['state', 'person', 'everywhere', 'donors', 'forgotten_at', 'erased_at'])
    .where('integration_id', '=', integration)
    .where('crm_id_fingerprint', '=', contact)
    .executeTakeFirst();
}
