import type { Clock } from '../core/clock.ts';
import type { OutcomeReason } from '../core/outcome.ts';
import type { ContactRow } from './contacts.ts';
import { type Decision, decidedRow, upsertDecided } from './decisions.ts';
import type { Checkpoint, Lease } from './leases.ts';
import { ROWS_PER_TRANSACTION } from './rows.ts';
import type { Trx } from './tables.ts';

/** Every priority there is. */
const PRIORITIES = [0, 1, 2];

/** Decisions about contacts that the CRM has not reported: they grew old, or turned out otherwise. */
export function reconsideringQueries(checkpoint: Checkpoint, clock: Clock) {
  return {
    /**
     * Puts the question again for settled contacts whose last credit was spent before
     * `askedBefore` (epoch ms), in portions by CRM id; resolves with how many became due.
     */
    async reconsider(
      lease: Lease,
      runId: string,
      askedBefore: number,
      decide: (row: ContactRow) => Decision,
    ): Promise<number> {
      let chosen = 0;
      let after = '';
      for (;;) {
        const last = after;
        const { rows, count } = await checkpoint(lease, async (trx) => {
          const found = await trx
            .selectFrom('contacts')
            .selectAll()
            .where('integration_id', '=', lease.integrationId)
            .where('state', '=', 'settled')
            .where('eligible', '=', 1)
            // Named one by one, the priorities let the index lead straight to the old ones.
            .where('priority', 'in', PRIORITIES)
            .where('asked_at', '<', askedBefore)
            .where('crm_id', '>', last)
            .orderBy('crm_id')
            .limit(ROWS_PER_TRANSACTION)
            .execute();
          const rechosen = found.flatMap((row) => {
            const decision = decide(row);
            return decision.kind === 'choose' ? [{ row, decision }] : [];
          });
          await upsertDecided(
            trx,
            rechosen.map(({ row, decision }) => ({
              ...decidedRow(lease, { id: runId, now: clock.now() }, row, decision),
              // Nobody has looked into the CRM: after a full read it may turn out to be gone.
              seen_run: row.seen_run,
            })),
          );
          await addChosen(trx, runId, rechosen.length);
          return { rows: found, count: rechosen.length };
        });
        chosen += count;
        const lastRow = rows.at(-1);
        if (!lastRow || rows.length < ROWS_PER_TRANSACTION) return chosen;
        after = lastRow.crm_id;
      }
    },

    /** Contacts that turned out not to be submitted after all, with the reason for each. */
    async settleDue(
      lease: Lease,
      runId: string,
      contacts: readonly { crmId: string; reason: OutcomeReason; removed: boolean }[],
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        for (const { crmId, reason, removed } of contacts) {
          await trx
            .updateTable('contacts')
            .set({
              state: removed ? 'removed' : 'settled',
              eligible: 0,
              due_reason: null,
              outcome_reason: reason,
              outcome_run: runId,
              outcome_at: clock.now(),
              outcome_detail: null,
            })
            .where('integration_id', '=', lease.integrationId)
            .where('crm_id', '=', crmId)
            .where('state', '=', 'due')
            .execute();
        }
      });
    },
  };
}

/** Counts contacts that have become due. */
async function addChosen(trx: Trx, runId: string, chosen: number): Promise<void> {
  await trx
    .updateTable('runs')
    .set((eb) => ({ chosen_count: eb('chosen_count', '+', chosen) }))
    .where('id', '=', runId)
    .execute();
}
