/** Adds writes that a restored database lacks. The write log outside the database contains their fingerprints. */
import { sql } from 'kysely';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import { inBatches, inFilledBatches } from '../../database/rows.ts';
import type { Database, Trx } from '../../database/tables/tables.ts';
import { findIds } from './erase-again.ts';
import { VALUES_PURGED } from './retention.ts';
import type { LoggedWrite } from './write-log.ts';

/**
 * Adds these writes, unless the database already has them. Stores their contacts as fingerprints until `placeWrites`
 * finds the IDs. Resolves with the number of added writes.
 */
export async function recallWrites(db: Database, lines: readonly LoggedWrite[]): Promise<number> {
  const known = new Set<string>();
  for (const batch of inFilledBatches(lines.map(({ id }) => id))) {
    const rows = await db.selectFrom('writes').select('id').where('id', 'in', batch).execute();
    for (const { id } of rows) known.add(id);
  }
  const missing = lines.filter(({ id }) => !known.has(id));
  for (const batch of inBatches(missing)) {
    await db
      .insertInto('writes')
      .values(
        batch.map(({ id, integration, contact, after, introducer, introduced, named, at }) => ({
          id,
          run_id: '',
          integration_id: integration,
          crm_id: contact,
          state: 'left' as const,
          before: VALUES_PURGED,
          after: JSON.stringify(after),
          owned_before: '{}',
          donor: null,
          donor_before: null,
          introducer,
          written_at: at,
          introduced: introduced === null ? null : JSON.stringify(introduced),
          named: named === null ? null : JSON.stringify(named),
          called: null,
        })),
      )
      .execute();
  }
  return missing.length;
}

/**
 * Adds the contact IDs to writes, if the database now contains the IDs and the contacts were not erased. donor-sync
 * then treats the writes as possibly carried out.
 */
export async function placeWrites(
  db: Database | Trx,
  fingerprint: Fingerprint,
  integrationId: string,
): Promise<void> {
  const rows = await db
    .selectFrom('writes')
    .select('crm_id')
    .distinct()
    .where('integration_id', '=', integrationId)
    .where(sql<boolean>`state = 'left'`)
    .where('crm_id', 'not in', (eb) =>
      eb
        .selectFrom('forgotten')
        .select('crm_id_fingerprint')
        .where('integration_id', '=', integrationId)
        .where('state', '<>', 'merged'),
    )
    .execute();
  if (rows.length === 0) return;
  const wanted = new Set(rows.map((row) => row.crm_id));
  for (const [contact, crm_id] of await findIds(
    { reader: db, fingerprint },
    integrationId,
    wanted,
  )) {
    await db
      .updateTable('writes')
      .set({ crm_id, state: 'intended' })
      .where('integration_id', '=', integrationId)
      .where('crm_id', '=', contact)
      .where('state', '=', 'left')
      .execute();
  }
}
