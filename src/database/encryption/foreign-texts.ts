/**
 * Stores messages from CRMs, which users who may decide can read. The messages are deleted after
 * `FOREIGN_TEXT_LIFE_MS`.
 */

import type { Selectable } from 'kysely';
import { FOREIGN_TEXT_LIFE_MS } from '../../core/foreign-text.ts';
import { type FromRow, fromRows } from '../from-row.ts';
import type { RunTransaction } from '../leases.ts';
import { prepared, type Slots } from '../prepared.ts';
import type { TimedConnection, TimedReader } from '../reader.ts';
import { inBatches, inFilledBatches } from '../rows.ts';
import type { Tables, Trx } from '../tables/tables.ts';

export type ForeignTextRecord = FromRow<Selectable<Tables['foreign_texts']>>;

export interface SealedWords {
  id: string;
  /** The ID of the contact in the message. Empty for a message about the whole run. */
  crmId: string;
  sealed: string;
}

/** The maximum number of stored messages per run. If a CRM rule rejects every contact, all messages are the same. */
export const MAX_TEXTS_OF_RUN = 1_000;

/** Lists a run's messages. Messages about the whole run come first. Old messages are left out. */
export function listForeignTexts(
  reader: TimedReader,
  runId: string,
  limit = MAX_TEXTS_OF_RUN,
): Promise<ForeignTextRecord[]> {
  return reader
    .selectFrom('foreign_texts')
    .selectAll()
    .where('run_id', '=', runId)
    .where('kept_at', '>', reader.clock.now() - FOREIGN_TEXT_LIFE_MS)
    .orderBy('crm_id')
    .orderBy('id')
    .limit(limit)
    .execute()
    .then(fromRows);
}

/** Deletes old messages of all integrations. Resolves with the number of deleted messages. */
export async function dropOldTexts(connection: TimedConnection | RunTransaction): Promise<number> {
  const until = connection.clock.now() - FOREIGN_TEXT_LIFE_MS;
  const { numAffectedRows = 0n } = await dropKept(connection, { until });
  return Number(numAffectedRows);
}

const dropKept = prepared((db, { until }: Slots<{ until: number }>) =>
  db.deleteFrom('foreign_texts').where('kept_at', '<=', until).compile(),
);

/** Stores the latest message about each contact, up to the maximum number. */
export async function keepWords(
  trx: Trx,
  integrationId: string,
  run: { id: string; now: number },
  words: readonly SealedWords[],
): Promise<void> {
  if (words.length === 0) return;
  const kept = await trx
    .selectFrom('foreign_texts')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('run_id', '=', run.id)
    .executeTakeFirst();
  const contacts = words.map(({ crmId }) => crmId).filter((crmId) => crmId !== WHOLE_RUN);
  for (const batch of inFilledBatches(contacts)) {
    await trx
      .deleteFrom('foreign_texts')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', batch)
      .execute();
  }
  const room = Math.max(0, MAX_TEXTS_OF_RUN - Number(kept?.count ?? 0));
  for (const batch of inBatches(words.slice(0, room))) {
    await trx
      .insertInto('foreign_texts')
      .values(
        batch.map(({ id, crmId, sealed }) => ({
          id,
          sealed,
          integration_id: integrationId,
          run_id: run.id,
          crm_id: crmId,
          kept_at: run.now,
        })),
      )
      .execute();
  }
}

/** Replaces the contact's ID in a message about the whole run. */
export const WHOLE_RUN = '';
