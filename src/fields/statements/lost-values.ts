import type { SelectQueryBuilder } from 'kysely';
import { MAY_BE_LOST, NEVER_OFFERED } from '../../database/tables/fields.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';

/**
 * Marks records that have lost donor-sync's values, because a deleted contact can return without them. The profiles of
 * these records are then offered as new, and the records' status fields are read again.
 */
export async function deliverAsLost(
  trx: Trx,
  integrationId: string,
  contacts: readonly string[] | SelectQueryBuilder<Tables, 'contacts', { crm_id: string }>,
): Promise<void> {
  await trx
    .updateTable('kept_profiles')
    .set({ field_map: NEVER_OFFERED })
    .where('integration_id', '=', integrationId)
    .where('field_map', '<>', NEVER_OFFERED)
    .where('crm_id', 'in', contacts)
    .execute();
  await trx
    .updateTable('contact_statuses')
    .set({ seen: MAY_BE_LOST })
    .where('integration_id', '=', integrationId)
    .where('seen', '<>', MAY_BE_LOST)
    .where('crm_id', 'in', contacts)
    .execute();
}
