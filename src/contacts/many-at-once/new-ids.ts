/** Contacts of a list that continue under another ID, for example because a spreadsheet has dropped leading zeros. */
import { sql } from 'kysely';
import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';
import { recordRemoved } from '../departures.ts';
import { move } from '../life/apply-events.ts';
import type { ContactRow } from '../life/changes.ts';
import { isMarked } from './missing.ts';
import { PAID_SINCE_BACKUP } from './paid-since-backup.ts';

/** A contact that is missing, and the contact with the same details that is new. */
export interface Continuation {
  missing: string;
  newId: string;
  /** The identity that the missing contact was paid for. */
  paid: Pick<ContactRow, 'asked_at' | 'last_credit' | 'donor_id' | 'enhanced_at'>;
}

/** Returns true if a credit was spent on at least one of the integration's contacts. */
export async function hasPaidContacts(reader: Reader, integrationId: string): Promise<boolean> {
  const row = await contacts(reader, integrationId)
    .select('crm_id')
    .where('asked_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Pairs each missing contact that was paid for with a contact that is due for the first time and has the details that
 * the credit was spent on. If several contacts have the same details, each is used once, the last paid one first.
 */
export async function findContinuations(
  reader: Reader,
  integrationId: string,
): Promise<Continuation[]> {
  const missing = await contacts(reader, integrationId)
    .select(['crm_id', 'asked_identity', 'asked_at', 'last_credit', 'donor_id', 'enhanced_at'])
    .where(isMarked)
    .where('asked_at', 'is not', null)
    // While a user is asked whether it was paid for, the new contact also waits.
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('questions')
            .select('questions.id')
            .whereRef('questions.integration_id', '=', 'contacts.integration_id')
            .whereRef('questions.crm_id', '=', 'contacts.crm_id')
            .where('questions.kind', '=', sql.lit(PAID_SINCE_BACKUP))
            .where('questions.decision', 'is', null),
        ),
      ),
    )
    .orderBy('asked_at', 'desc')
    .orderBy('crm_id')
    .execute();
  const byIdentity = Map.groupBy(missing, (row) => row.asked_identity ?? '');
  byIdentity.delete('');
  const found: Continuation[] = [];
  for (const batch of inFilledBatches([...byIdentity.keys()])) {
    const rows = await contacts(reader, integrationId)
      .select(['crm_id', 'identity'])
      .where('state', '=', 'due')
      .where('asked_identity', 'is', null)
      .where('identity', 'in', batch)
      .orderBy('crm_id')
      .execute();
    for (const { crm_id: newId, identity } of rows) {
      const former = byIdentity.get(identity)?.shift();
      if (former === undefined) continue;
      const { crm_id: missing, asked_identity: _, ...paid } = former;
      found.push({ missing, newId, paid });
    }
  }
  return found;
}

/** Gives the new contacts the profiles of the missing ones. If there is none, the credit of the missing contact counts. */
export async function continueContacts(
  trx: RunTransaction,
  runId: string,
  found: readonly Continuation[],
): Promise<void> {
  const run = { id: runId, now: trx.clock.now() };
  const left = found.map(({ missing, newId }) => ({ id: missing, mergedInto: newId }));
  await recordRemoved(trx, trx.lease, run, left);
  const paid = found.map((each) => ({ crm_id: each.newId, ...each.paid }));
  await move(trx, trx.lease, 'continued', paid, run);
}

function contacts(reader: Reader, integrationId: string) {
  return reader.selectFrom('contacts').where('integration_id', '=', integrationId);
}
