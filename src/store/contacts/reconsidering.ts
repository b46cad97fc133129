import type { Clock } from '../../core/clock.ts';
import type { OutcomeReason } from '../../core/outcome.ts';
import { fromRow } from '../engine/from-row.ts';
import type { Checkpoint, Lease } from '../engine/leases.ts';
import { portions, ROWS_PER_TRANSACTION } from '../engine/rows.ts';
import type { Trx } from '../engine/tables.ts';
import type { ContactRecord } from './contacts.ts';
import {
  type AdoptedContact,
  type Decision,
  decidedRow,
  upsertDecided,
  WAITS_FOR_ACCESS,
} from './decisions.ts';
import { holdErased } from './erased-holds.ts';

/** Every priority there is. */
const PRIORITIES = [0, 1, 2];

/** Contacts that wait for access come after those that were never enhanced and could be read. */
const RETRIED_PRIORITY = 2;

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
      decide: (known: ContactRecord) => Decision,
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
            const decision = decide(fromRow(row));
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

    /** Puts contacts whose identity could not be read in line again: this run looks whether it can. */
    async retryUnreadable(lease: Lease, only: string | null): Promise<void> {
      await checkpoint(lease, (trx) =>
        trx
          .updateTable('contacts')
          .set({ priority: RETRIED_PRIORITY })
          .where('integration_id', '=', lease.integrationId)
          .where('state', '=', 'due')
          .where('priority', '=', WAITS_FOR_ACCESS)
          .$if(only !== null, (query) => query.where('crm_id', '=', only))
          .execute(),
      );
    },

    /** Due contacts whose identity cannot be read now: a later run tries again. */
    async postponeUnreadable(
      lease: Lease,
      runId: string,
      crmIds: readonly string[],
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        for (const portion of portions(crmIds)) {
          await trx
            .updateTable('contacts')
            .set({
              priority: WAITS_FOR_ACCESS,
              outcome_reason: 'identity_unreadable',
              outcome_run: runId,
              outcome_at: clock.now(),
              outcome_detail: null,
            })
            .where('integration_id', '=', lease.integrationId)
            .where('state', '=', 'due')
            .where('crm_id', 'in', portion)
            .execute();
        }
      });
    },

    /** Due contacts that another database enhanced: they count as enhanced, with nothing of ours. */
    async adopt(lease: Lease, runId: string, contacts: readonly AdoptedContact[]): Promise<void> {
      await checkpoint(lease, async (trx) => {
        for (const { crmId, donorId, identity, enhancedAt } of contacts) {
          await trx
            .updateTable('contacts')
            .set({
              state: 'settled',
              due_reason: null,
              identity,
              asked_identity: identity,
              asked_at: enhancedAt,
              donor_id: donorId,
              enhanced_at: enhancedAt,
              outcome_reason: 'profile_adopted',
              outcome_run: runId,
              outcome_at: clock.now(),
              outcome_detail: null,
            })
            .where('integration_id', '=', lease.integrationId)
            .where('crm_id', '=', crmId)
            .where('state', '=', 'due')
            .where('asked_at', 'is', null)
            .execute();
        }
      });
    },

    /** Due contacts that may be a person who was erased: a person decides. */
    async holdErased(lease: Lease, runId: string, crmIds: readonly string[]): Promise<void> {
      const run = { id: runId, now: clock.now() };
      await checkpoint(lease, (trx) => holdErased(trx, lease, run, crmIds));
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
