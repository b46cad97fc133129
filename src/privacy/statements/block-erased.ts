import { move } from '../../contacts/life/apply-events.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { Trx } from '../../database/tables/tables.ts';
import { eraseRows } from './erase-rows.ts';
import type { ErasureLog } from './erasure-log.ts';

/** The part of a decision that identifies the contact. */
interface HeldContact {
  integrationId: string;
  crmId: string;
}

/**
 * Blocks a contact's ID, because the contact is an erased person. If donor-sync never wrote into the CRM, the contact's
 * data is erased immediately. If donor-sync wrote into the CRM, `forget` completes the erasure, because it can find the
 * written values. Resolves with the IDs of destroyed audit keys.
 */
export async function blockErased(
  trx: Trx,
  hold: HeldContact,
  { fingerprint, erasures }: { fingerprint: Fingerprint; erasures: ErasureLog },
  now: number,
): Promise<readonly string[]> {
  const { integrationId, crmId } = hold;
  const isKnownInCrm = await hasWritten(trx, hold);
  const block = isKnownInCrm
    ? { state: 'begun' as const, erased_at: null }
    : { state: 'erased' as const, erased_at: now };
  const contact = fingerprint('forgotten', crmId);
  await erasures.append({ what: block.state, at: now, integration: integrationId, contact });
  await trx
    .insertInto('forgotten')
    .values({
      integration_id: integrationId,
      crm_id_fingerprint: contact,
      forgotten_at: now,
      everywhere: 0,
      donors: '[]',
      ...block,
    })
    .onConflict((c) =>
      c
        .columns(['integration_id', 'crm_id_fingerprint'])
        .doUpdateSet({ ...block, forgotten_at: now }),
    )
    .execute();
  if (!isKnownInCrm) {
    const { keys } = await eraseRows(trx, integrationId, [crmId], now);
    return keys;
  }
  await move(trx, { integrationId }, 'confirmedErased', [crmId], { now });
  return [];
}

async function hasWritten(trx: Trx, hold: HeldContact): Promise<boolean> {
  const contact = await trx
    .selectFrom('contacts')
    .select('owned_values')
    .where('integration_id', '=', hold.integrationId)
    .where('crm_id', '=', hold.crmId)
    .executeTakeFirst();
  if (contact !== undefined && contact.owned_values !== '{}') return true;
  const write = await trx
    .selectFrom('writes')
    .select('id')
    .where('integration_id', '=', hold.integrationId)
    .where('crm_id', '=', hold.crmId)
    .limit(1)
    .executeTakeFirst();
  return write !== undefined;
}
