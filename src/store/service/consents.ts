import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { ConsentsTable } from '../engine/service-tables.ts';
import type { Database } from '../engine/tables.ts';

export type ConsentRow = Selectable<ConsentsTable>;

/** How long the outcome of a consent can be asked for. */
const OUTCOME_KEPT_MS = 3_600_000;

/** People who are away at the consent page of a CRM. */
export function consentQueries(db: Database, clock: Clock) {
  return {
    async begin(consent: Omit<ConsentRow, 'outcome'>): Promise<void> {
      await db
        .deleteFrom('consents')
        .where('expires_at', '<', clock.now() - OUTCOME_KEPT_MS)
        .execute();
      await db
        .insertInto('consents')
        .values({ ...consent, outcome: null })
        .execute();
    },

    /**
     * The consent that this state belongs to, taken: a state is good for one return and only
     * before it expires.
     */
    take(stateHash: string): Promise<ConsentRow | undefined> {
      return db
        .updateTable('consents')
        .set({ outcome: 'taken' })
        .where('state_hash', '=', stateHash)
        .where('outcome', 'is', null)
        .where('expires_at', '>', clock.now())
        .returningAll()
        .executeTakeFirst();
    },

    async conclude(stateHash: string, outcome: string): Promise<void> {
      await db
        .updateTable('consents')
        .set({ outcome })
        .where('state_hash', '=', stateHash)
        .execute();
    },

    find(stateHash: string): Promise<ConsentRow | undefined> {
      return db
        .selectFrom('consents')
        .selectAll()
        .where('state_hash', '=', stateHash)
        .executeTakeFirst();
    },
  };
}
