/**
 * Remembers values that donor-sync wrote and that may still be in the CRM after an erasure. The database no longer
 * contains the erased contacts' IDs. The database stores the fingerprint of each value as a write to the fingerprint of
 * the contact's ID. A write of this kind has no run, no donor and no previous values, so only erasures use it.
 */
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { Trx } from '../../database/tables/tables.ts';
import { VALUES_PURGED } from './retention.ts';

/** The states of a write to a contact whose ID is no longer in the database. */
export const LEFT_STATES = ['left', 'unseen'] as const;

/** Returns the fingerprint that replaces the contact's ID. */
export function leftContact(fingerprint: Fingerprint, crmId: string): string {
  return fingerprint('forgotten', crmId);
}

/**
 * Keeps only fingerprints of the values that may still be in these contacts' CRM fields. Resolves with the number of
 * writes that it keeps.
 */
export async function leaveValues(
  trx: Trx,
  fingerprint: Fingerprint,
  integrationId: string,
  crmIds: readonly string[],
): Promise<number> {
  let left = 0;
  for (const crmId of crmIds) {
    const contact = leftContact(fingerprint, crmId);
    const row = await trx
      .selectFrom('contacts')
      .select('owned_values')
      .where('integration_id', '=', integrationId)
      .where('crm_id', '=', crmId)
      .executeTakeFirst();
    const { numUpdatedRows } = await trx
      .updateTable('writes')
      .set({
        crm_id: contact,
        run_id: '',
        state: 'left',
        before: VALUES_PURGED,
        donor: null,
        donor_before: null,
        called: null,
      })
      .where('integration_id', '=', integrationId)
      .where('crm_id', '=', crmId)
      .where('state', 'in', ['written', 'intended'])
      .executeTakeFirst();
    left += Number(numUpdatedRows);
    if (row === undefined || row.owned_values === '{}') continue;
    const owned = {
      id: `${integrationId}/${contact}`,
      integration_id: integrationId,
      crm_id: contact,
      run_id: '',
      state: 'left' as const,
      before: VALUES_PURGED,
      owned_before: '{}',
      donor: null,
      donor_before: null,
      introducer: '',
      introduced: null,
      written_at: 0,
      named: null,
      called: null,
    };
    await trx
      .insertInto('writes')
      .values({ ...owned, after: row.owned_values })
      .onConflict((c) => c.column('id').doUpdateSet({ after: row.owned_values }))
      .execute();
  }
  return left;
}

/** Deletes the fingerprints of values whose CRM fields are empty now. */
export async function dropLeftValues(
  trx: Trx,
  fingerprint: Fingerprint,
  integrationId: string,
  crmIds: readonly string[],
): Promise<void> {
  await trx
    .deleteFrom('writes')
    .where('integration_id', '=', integrationId)
    .where(
      'crm_id',
      'in',
      crmIds.map((id) => leftContact(fingerprint, id)),
    )
    .where('state', 'in', LEFT_STATES)
    .execute();
}
