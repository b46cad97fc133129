/** Records changes of a contact's currency. Earlier amounts may then be in another currency. */

import { findRows } from '../../contacts/contacts.ts';
import { putCurrencies } from '../../contacts/life/apply-events.ts';
import { currenciesDiffer } from '../../core/money.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { inFilledBatches } from '../../database/rows.ts';
import { findNotes, putNotes, REMOVED_STATES, type ValueNote } from './value-states.ts';

export interface ReadCurrency {
  crmId: string;
  currency: string;
}

/**
 * Records the currencies of known contacts. This comes before the decisions about the page, because after an
 * interruption the run reads the page again. After a change, the next delivery checks the amounts. Skips fields that a
 * user has emptied or whose value was undone. A new contact's currency is stored with its row.
 */
export async function recordCurrencies(
  trx: RunTransaction,
  contacts: readonly ReadCurrency[],
  fields: readonly string[],
): Promise<void> {
  const { integrationId } = trx.lease;
  const ids = contacts.map(({ crmId }) => crmId);
  const rows = await findRows(trx, integrationId, ids);
  const changed = contacts.flatMap(({ crmId, currency }) => {
    const row = rows.get(crmId);
    if (row === undefined || row.currency === currency) return [];
    return [{ crmId, currency, differs: currenciesDiffer(row.currency, currency) }];
  });
  for (const [currency, some] of Map.groupBy(changed, (each) => each.currency)) {
    const known = some.map(({ crmId }) => crmId);
    await putCurrencies(trx, integrationId, currency, known);
  }
  const moved = changed.flatMap(({ crmId, differs }) => (differs ? crmId : []));
  if (fields.length > 0) {
    await noteMoved(trx, integrationId, moved, { fields, now: trx.clock.now() });
  }
}

const CHANGED = { state: 'currency_changed', code: '', description: '' } as const;

async function noteMoved(
  trx: RunTransaction,
  integrationId: string,
  crmIds: readonly string[],
  { fields, now }: { fields: readonly string[]; now: number },
): Promise<void> {
  const kept = await findDelivered(trx, integrationId, crmIds);
  const known = await findNotes(trx, integrationId, kept);
  const notes = kept.flatMap((crmId) => {
    const removed = (known.get(crmId) ?? []).filter(isRemoved).map(({ field }) => field);
    return fields
      .filter((field) => !removed.includes(field))
      .map((field) => ({ crmId, note: { ...CHANGED, field } }));
  });
  await putNotes(trx, integrationId, notes, { now });
}

function isRemoved({ state }: ValueNote): boolean {
  return REMOVED_STATES.some((each) => each === state);
}

async function findDelivered(
  trx: RunTransaction,
  integrationId: string,
  crmIds: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const portion of inFilledBatches(crmIds)) {
    const rows = await trx
      .selectFrom('kept_profiles')
      .select('crm_id')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', portion)
      .where('is_delivered', '=', 1)
      .execute();
    found.push(...rows.map(({ crm_id }) => crm_id));
  }
  return found;
}
