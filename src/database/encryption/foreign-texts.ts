/** Stores texts from CRMs. They are shown to users who decide, and deleted after `FOREIGN_TEXT_LIFE_MS`. */

import type { Selectable } from 'kysely';
import { FOREIGN_TEXT_LIFE_MS } from '../../core/foreign-text.ts';
import { type FromRow, fromRows } from '../from-row.ts';
import type { RunTransaction } from '../leases.ts';
import { prepared, type Slots } from '../prepared.ts';
import type { TimedConnection, TimedReader } from '../reader.ts';
import { inBatches, inFilledBatches } from '../rows.ts';
import type { Tables, Trx } from '../tables/tables.ts';

export type ForeignTextRecord = FromRow<Selectable<Tables['foreign_texts']>>;

/** An encrypted text, before it is stored. */
export interface SealedWords {
  id: string;
  /** The contact that the text is about. Empty for the whole run. */
  crmId: string;
  sealed: string;
}

/**
 * How many texts are kept for one run. If a rule rejects every contact, its text is always the same, so more would not
 * help.
 */
export const MAX_TEXTS_OF_RUN = 1_000;

/** Returns the texts of a run that are not too old. Texts about the whole run come first. */
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

/** Deletes the texts of all integrations that are too old. Resolves with the number of deleted texts. */
export async function dropOldTexts(connection: TimedConnection | RunTransaction): Promise<number> {
  const until = connection.clock.now() - FOREIGN_TEXT_LIFE_MS;
  const { numAffectedRows = 0n } = await dropKept(connection, { until });
  return Number(numAffectedRows);
}

const dropKept = prepared((db, { until }: Slots<{ until: number }>) =>
  db.deleteFrom('foreign_texts').where('kept_at', '<=', until).compile(),
);

/** Keeps a run's texts: only the latest text for each contact, and not more than the limit. */
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

/** Used in place of a contact if a text is about the whole run. */
export const WHOLE_RUN = '';
