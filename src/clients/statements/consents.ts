/** Stores consents in progress. A consent is in progress while its user is on the CRM's consent page. */

import type { Selectable } from 'kysely';
import { type FromRow, maybeFromRow } from '../../database/from-row.ts';
import type { Reader, TimedConnection } from '../../database/reader.ts';
import type { Database, Tables } from '../../database/tables/tables.ts';

export type ConsentRecord = FromRow<Selectable<Tables['consents']>>;

const OUTCOME_KEPT_MS = 3_600_000;

export async function insertConsent(
  connection: TimedConnection,
  { stateHash, integrationId, expiresAt, verifier }: Omit<ConsentRecord, 'outcome'>,
): Promise<void> {
  await connection
    .deleteFrom('consents')
    .where('expires_at', '<', connection.clock.now() - OUTCOME_KEPT_MS)
    .execute();
  await connection
    .insertInto('consents')
    .values({
      state_hash: stateHash,
      integration_id: integrationId,
      verifier,
      expires_at: expiresAt,
      outcome: null,
    })
    .execute();
}

/** Uses up a state. A state can be used only once, and only until it expires. */
export function takeConsent(
  connection: TimedConnection,
  stateHash: string,
): Promise<ConsentRecord | undefined> {
  return connection
    .updateTable('consents')
    .set({ outcome: 'taken' })
    .where('state_hash', '=', stateHash)
    .where('outcome', 'is', null)
    .where('expires_at', '>', connection.clock.now())
    .returningAll()
    .executeTakeFirst()
    .then(maybeFromRow);
}

export async function concludeConsent(
  connection: Database,
  stateHash: string,
  outcome: string,
): Promise<void> {
  await connection
    .updateTable('consents')
    .set({ outcome })
    .where('state_hash', '=', stateHash)
    .execute();
}

export function findConsentByState(
  reader: Reader,
  stateHash: string,
): Promise<ConsentRecord | undefined> {
  return reader
    .selectFrom('consents')
    .selectAll()
    .where('state_hash', '=', stateHash)
    .executeTakeFirst()
    .then(maybeFromRow);
}
