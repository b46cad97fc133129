import type { Checkpoint, Lease } from '../engine/leases.ts';
import type { Database, Trx } from '../engine/tables.ts';
import { type ContactRow, findRows, idPages } from './contacts.ts';

/** Tables that name a contact once for each purpose; a row of the other form gives way. */
const ONE_ROW_EACH = [
  'network_wanted',
  'warm_paths',
  'contact_statuses',
  // A kept profile opens for the id that it was encrypted for alone.
  'kept_profiles',
  'value_states',
] as const;

/** Contacts that older versions took up under two forms of one id. */
export function doubleContactQueries(db: Database, checkpoint: Checkpoint) {
  return {
    /**
     * Brings all contacts of an integration under the one form of their id and resolves with how
     * many were moved. Of two rows the one with the later payment stays. Each is one transaction.
     */
    async unite(lease: Lease, canonicalId: (text: string) => string | null): Promise<number> {
      let moved = 0;
      for await (const ids of idPages(db, lease.integrationId)) {
        for (const id of ids) {
          const canonical = canonicalId(id);
          if (canonical === null || canonical === id) continue;
          await checkpoint(lease, (trx) => uniteOne(trx, lease, id, canonical));
          moved += 1;
        }
      }
      return moved;
    },
  };
}

async function uniteOne(trx: Trx, lease: Lease, from: string, to: string): Promise<void> {
  const { integrationId } = lease;
  const rows = await findRows(trx, integrationId, [from, to]);
  const [other, present] = [rows.get(from), rows.get(to)];
  if (other === undefined) return;
  const stays = present === undefined || paidLater(other, present) ? other : present;
  const gives = stays === other ? present : other;
  if (gives !== undefined) await letGo(trx, gives);
  await trx
    .deleteFrom('contacts')
    .where('integration_id', '=', integrationId)
    .where('crm_id', 'in', [from, to])
    .execute();
  await trx
    .insertInto('contacts')
    .values({
      ...stays,
      crm_id: to,
      // Fingerprints of our values hold the id that they were written under.
      owned_values: (present ?? stays).owned_values,
    })
    .execute();
  for (const table of ['jobs', 'writes', 'holds'] as const) {
    await trx
      .updateTable(table)
      .set({ crm_id: to })
      .where('integration_id', '=', integrationId)
      .where('crm_id', '=', from)
      .execute();
  }
  for (const table of ONE_ROW_EACH) {
    // They are made anew by the next run.
    await trx
      .deleteFrom(table)
      .where('integration_id', '=', integrationId)
      .where('crm_id', '=', from)
      .execute();
  }
}

function paidLater(a: ContactRow, b: ContactRow): boolean {
  return Math.abs(a.asked_at ?? -1) > Math.abs(b.asked_at ?? -1);
}

/** What is under way for a row that gives way is over: the row that stays has the later profile. */
async function letGo(trx: Trx, row: ContactRow): Promise<void> {
  await trx
    .updateTable('holds')
    .set({ decision: 'superseded' })
    .where('integration_id', '=', row.integration_id)
    .where('crm_id', '=', row.crm_id)
    .where('decision', 'is', null)
    .execute();
  if (row.tracking_id === null) return;
  await trx
    .updateTable('jobs')
    .set({ state: 'delivered' })
    .where('integration_id', '=', row.integration_id)
    .where('tracking_id', '=', row.tracking_id)
    .where('state', 'in', ['processing', 'completed', 'held'])
    .execute();
}
