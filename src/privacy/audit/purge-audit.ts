/** Deletes old audit entries. */
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { placeMark } from './chain.ts';
import { recordEntry } from './record.ts';

/**
 * Deletes the entries before this time (epoch ms), and the keys that only these entries need. Signs the chain's new
 * start. Resolves with the number of deleted entries.
 */
export async function purgeAudit(trx: ActorTransaction, before: number): Promise<number> {
  // If a second purge runs at the same time, it waits here.
  await trx.updateTable('audit_head').set({ id: 1 }).where('id', '=', 1).execute();
  const kept = await trx
    .selectFrom('audit_entries')
    .select((eb) => eb.fn.min('seq').as('seq'))
    .where('at', '>=', before)
    .executeTakeFirst();
  const last = await trx
    .selectFrom('audit_entries')
    .select(['seq', 'hash'])
    .$if(typeof kept?.seq === 'number', (query) => query.where('seq', '<', kept?.seq ?? 0))
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return 0;
  const { numDeletedRows } = await trx
    .deleteFrom('audit_entries')
    .where('seq', '<=', last.seq)
    .executeTakeFirst();
  await trx
    .deleteFrom('audit_keys')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('audit_entries')
            .select('seq')
            .whereRef('audit_entries.key_id', '=', 'audit_keys.id'),
        ),
      ),
    )
    .execute();
  await trx
    .updateTable('audit_head')
    .set({
      purged_seq: last.seq,
      purged_hash: last.hash,
      purged_mark: placeMark(trx.fingerprint, 'audit_purged', last),
    })
    .where('id', '=', 1)
    .execute();
  const entries = Number(numDeletedRows);
  await recordEntry(trx, {
    action: 'audit.purged',
    details: { entries, through: last.seq },
    changesBlocks: true,
  });
  return entries;
}
