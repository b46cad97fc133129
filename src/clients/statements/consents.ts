import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { type FromRow, maybeFromRow } from '../../database/from-row.ts';
import type { Database, Tables } from '../../database/tables/tables.ts';

export type ConsentRecord = FromRow<Selectable<Tables['consents']>>;

/** How long the outcome of a consent can be asked for. */
const OUTCOME_KEPT_MS = 3_600_000;

/** People who are away at the consent page of a CRM. */
export function consentQueries(db: Database, clock: Clock) {
  return {
    async begin({
      stateHash,
      integrationId,
      expiresAt,
      verifier,
    }: Omit<ConsentRecord, 'outcome'>): Promise<void> {
      await db
        .deleteFrom('consents')
        .where('expires_at', '<', clock.now() - OUTCOME_KEPT_MS)
        .execute();
      await db
        .insertInto('consents')
        .values({
          state_hash: stateHash,
          integration_id: integrationId,
          verifier,
          expires_at: expiresAt,
          outcome: null,
        })
        .execute();
    },

    /**
     * The consent that this state belongs to, taken: a state is good for one return and only
     * before it expires.
     */
    take(stateHash: string): Promise<ConsentRecord | undefined> {
      return db
        .updateTable('consents')
        .set({ outcome: 'taken' })
        .where('state_hash', '=', stateHash)
        .where('outcome', 'is', null)
        .where('expires_at', '>', clock.now())
        .returningAll()
        .executeTakeFirst()
        .then(maybeFromRow);
    },

    async conclude(stateHash: string, outcome: string): Promise<void> {
      await db
        .updateTable('consents')
        .set({ outcome })
        .where('state_hash', '=', stateHash)
        .execute();
    },

    find(stateHash: string): Promise<ConsentRecord | undefined> {
      return db
        .selectFrom('consents')
        .selectAll()
        .where('state_hash', '=', stateHash)
        .executeTakeFirst()
        .then(maybeFromRow);
    },
  };
}
