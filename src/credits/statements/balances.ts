import { findOpenSubmissions } from '../../contacts/open-submissions.ts';
import type { Clock } from '../../core/clock.ts';
import { LEASE_MS, type RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import type { Database } from '../../database/tables/tables.ts';
import { transact, transactionId } from '../../database/transact.ts';
import { spentSince } from './spending.ts';

/** What a key has left, and what was spent of it. */
export function balanceQueries(db: Database, clock: Clock) {
  return {
    /**
     * The enhancements balance of a key as carried forward, when it was last read (epoch ms; 0 for
     * never), and its place in the sequence.
     */
    async findBalance(
      partnerKey: string,
    ): Promise<{ balance: number | null; readAt: number; sequence: number }> {
      const { rows } = await selectBalance(db, { partnerKey });
      const [row] = rows;
      return {
        balance: row?.balance ?? null,
        readAt: row?.balance_read_at ?? 0,
        sequence: row?.spend_sequence ?? 0,
      };
    },

    /** Notes a reading, unless a submission of the key was open or closed since `sequence`. */
    recordBalance(partnerKey: string, sequence: number, balance: number): Promise<boolean> {
      return transact(db, LEASE_MS, async (trx, name) => {
        await insertKey(trx, { partnerKey });
        if ((await findOpenSubmissions(trx, partnerKey)).length > 0) return false;
        const { rows } = await recordBalance(trx, {
          partnerKey,
          sequence,
          balance,
          now: clock.now(),
        });
        const [noted] = rows;
        name(noted?.transaction_id ?? null);
        return noted !== undefined;
      });
    },

    /**
     * Credits of the enhancements bucket that an integration has spent since `since` (epoch ms);
     * open submissions count as spent.
     */
    spentSince: (integrationId: string, since: number) =>
      spentSince(db, 'submissions', integrationId, since),

    /** Credits that a run has spent so far. */
    async spentByRun(runId: string): Promise<number> {
      const { rows } = await selectSpent(db, { runId });
      return rows[0]?.spent_enhancements ?? 0;
    },
  };
}

const selectBalance = prepared((db, { partnerKey }: Slots<{ partnerKey: string }>) =>
  db
    .selectFrom('partner_keys')
    .select(['balance', 'balance_read_at', 'spend_sequence'])
    .where('id', '=', partnerKey)
    .compile(),
);

const selectSpent = prepared((db, { runId }: Slots<{ runId: string }>) =>
  db.selectFrom('runs').select('spent_enhancements').where('id', '=', runId).compile(),
);

const insertKey = prepared((db, { partnerKey }: Slots<{ partnerKey: string }>) =>
  db
    .insertInto('partner_keys')
    .values({ id: partnerKey, spend_sequence: 0 })
    .onConflict((c) => c.doNothing())
    .compile(),
);

const recordBalance = prepared(
  (db, slots: Slots<{ partnerKey: string; sequence: number; balance: number; now: number }>) =>
    db
      .updateTable('partner_keys')
      .set({ balance: slots.balance, balance_read_at: slots.now })
      .where('id', '=', slots.partnerKey)
      .where('spend_sequence', '=', slots.sequence)
      .returning(transactionId(db).as('transaction_id'))
      .compile(),
);

/** The balance that two readings agreed on. */
export async function setBalance(
  trx: RunTransaction,
  partnerKey: string,
  balance: number,
): Promise<void> {
  await trx.updateTable('partner_keys').set({ balance }).where('id', '=', partnerKey).execute();
}

/** Of two transactions of one key the second goes on when the first has ended. */
export async function waitForPartnerKey(trx: RunTransaction, partnerKey: string): Promise<void> {
  await trx
    .insertInto('partner_keys')
    .values({ id: partnerKey, spend_sequence: 0 })
    .onConflict((c) => c.column('id').doUpdateSet({ id: partnerKey }))
    .execute();
}
