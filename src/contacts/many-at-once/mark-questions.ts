import type { Clock } from '../../core/clock.ts';
import type { Checkpoint, Lease } from '../../database/leases.ts';
import type { Database } from '../../database/tables/tables.ts';
import type { RecordEntry } from '../../privacy/audit/record.ts';

/**
 * Values of marks that leave out most contacts of an integration, by their fingerprints: which of them users were
 * asked about, and which of them a user has confirmed.
 */
export function markQuestionQueries(
  db: Database,
  checkpoint: Checkpoint,
  clock: Clock,
  record: RecordEntry,
) {
  return {
    /** Returns the marks among these that a user has confirmed. */
    async listConfirmed(integrationId: string, marks: readonly string[]): Promise<Set<string>> {
      if (marks.length === 0) return new Set();
      const rows = await db
        .selectFrom('mark_questions')
        .select('mark')
        .where('integration_id', '=', integrationId)
        .where('mark', 'in', marks)
        .where('confirmed_at', 'is not', null)
        .execute();
      return new Set(rows.map(({ mark }) => mark));
    },

    /** Records that users are asked about exactly these marks; what was confirmed stays confirmed. */
    async ask(lease: Lease, marks: readonly string[]): Promise<void> {
      if (marks.length === 0) return;
      const rows = marks.map((mark) => ({
        integration_id: lease.integrationId,
        mark,
        asked_at: clock.now(),
        confirmed_at: null,
      }));
      await checkpoint(lease, async (trx) => {
        await trx
          .deleteFrom('mark_questions')
          .where('integration_id', '=', lease.integrationId)
          .where('confirmed_at', 'is', null)
          .execute();
        await trx
          .insertInto('mark_questions')
          .values(rows)
          .onConflict((c) => c.doNothing())
          .execute();
      });
    },

    /**
     * Confirms every mark that users were asked about, and no other; returns how many there were. Needs no lease: a
     * run in progress has stopped spending, and the next run starts again.
     */
    async confirmAsked(integrationId: string): Promise<number> {
      return db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('mark_questions')
          .set({ confirmed_at: clock.now() })
          .where('integration_id', '=', integrationId)
          .where('confirmed_at', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows > 0n) await record(trx, { action: 'marks.confirmed', integrationId });
        return Number(numUpdatedRows);
      });
    },
  };
}
