/** Stores keys' balances and spending. */

import { findOpenSubmissions } from '../../contacts/open-submissions.ts';
import type { LeasedTransaction } from '../../database/leases.ts';
import { prepared, preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader, TimedConnection } from '../../database/reader.ts';
import { LEASE_MS, transact, transactionId } from '../../database/transact.ts';
import { spentSince } from './spending.ts';

export async function findKeyBalance(
  reader: Reader,
  partnerKey: string,
): Promise<{ balance: number | null; readAt: number; sequence: number }> {
  const { rows } = await selectBalance(reader, { partnerKey });
  const [row] = rows;
  return {
    balance: row?.balance ?? null,
    readAt: row?.balance_read_at ?? 0,
    sequence: row?.spend_sequence ?? 0,
  };
}

/** Stores a key's balance. Does nothing if a submission is open or has ended since `sequence`. */
export async function recordKeyBalance(
  connection: TimedConnection,
  partnerKey: string,
  sequence: number,
  balance: number,
): Promise<boolean> {
  return transact(connection, LEASE_MS, async (trx, name) => {
    await insertKey(trx, { partnerKey });
    if ((await findOpenSubmissions(trx, partnerKey)).length > 0) return false;
    const { rows } = await noteBalance(trx, {
      partnerKey,
      sequence,
      balance,
      now: connection.clock.now(),
    });
    const [noted] = rows;
    name(noted?.transaction_id ?? null);
    return noted !== undefined;
  });
}

/**
 * Returns the enhancement credits that an integration has spent since `since` (epoch ms). Open submissions count as
 * spent.
 */
export function getSpentSince(reader: Reader, integrationId: string, since: number) {
  return spentSince(reader, 'submissions', integrationId, since);
}

export async function getSpentByRun(reader: Reader, runId: string): Promise<number> {
  const { rows } = await selectSpent(reader, { runId });
  return rows[0]?.spent_enhancements ?? 0;
}

const selectBalance = preparedRead((db, { partnerKey }: Slots<{ partnerKey: string }>) =>
  db
    .selectFrom('partner_keys')
    .select(['balance', 'balance_read_at', 'spend_sequence'])
    .where('id', '=', partnerKey)
    .compile(),
);

const selectSpent = preparedRead((db, { runId }: Slots<{ runId: string }>) =>
  db.selectFrom('runs').select('spent_enhancements').where('id', '=', runId).compile(),
);

const insertKey = prepared((db, { partnerKey }: Slots<{ partnerKey: string }>) =>
  db
    .insertInto('partner_keys')
    .values({ id: partnerKey, spend_sequence: 0 })
    .onConflict((c) => c.doNothing())
    .compile(),
);

const noteBalance = prepared(
  (db, slots: Slots<{ partnerKey: string; sequence: number; balance: number; now: number }>) =>
    db
      .updateTable('partner_keys')
      .set({ balance: slots.balance, balance_read_at: slots.now })
      .where('id', '=', slots.partnerKey)
      .where('spend_sequence', '=', slots.sequence)
      .returning(transactionId(db).as('transaction_id'))
      .compile(),
);

/** Stores a balance after two equal readings. */
export async function setBalance(
  trx: LeasedTransaction,
  partnerKey: string,
  balance: number,
): Promise<void> {
  await trx.updateTable('partner_keys').set({ balance }).where('id', '=', partnerKey).execute();
}

/** Blocks other transactions about this key until this transaction ends. */
export async function waitForPartnerKey(trx: LeasedTransaction, partnerKey: string): Promise<void> {
  await trx
    .insertInto('partner_keys')
    .values({ id: partnerKey, spend_sequence: 0 })
    .onConflict((c) => c.column('id').doUpdateSet({ id: partnerKey }))
    .execute();
}
