/** Finds questions about many contacts. Each is a batch of holds of one kind. */

import type { ContactQuestionKind } from '../../core/question-kinds.ts';
import type { Reader } from '../../database/reader.ts';

/** Returns when a user last confirmed such a question (epoch ms), or 0 if never. */
export async function findLastConfirmation(
  reader: Reader,
  integrationId: string,
  kind: ContactQuestionKind,
): Promise<number> {
  const row = await reader
    .selectFrom('questions')
    .select((eb) => eb.fn.max('decided_at').as('at'))
    .where('integration_id', '=', integrationId)
    .where('kind', '=', kind)
    .where('decision', '=', 'approved')
    .executeTakeFirst();
  return Number(row?.at ?? 0);
}

/**
 * Returns the batch of the open question, or null if there is none. If a detail is given, only questions with this
 * detail count.
 */
export async function findOpenBatch(
  reader: Reader,
  integrationId: string,
  kind: ContactQuestionKind,
  detail?: string | null,
): Promise<string | null> {
  const row = await reader
    .selectFrom('questions')
    .select('batch')
    .where('integration_id', '=', integrationId)
    .where('kind', '=', kind)
    .where('decision', 'is', null)
    .$if(detail !== undefined, (query) =>
      query.where('detail', 'is not distinct from', detail ?? null),
    )
    .limit(1)
    .executeTakeFirst();
  return row?.batch ?? null;
}
