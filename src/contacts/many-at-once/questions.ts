/** Finds questions about many contacts. Each of these questions is a batch of holds of one kind. */

import type { ContactQuestionKind } from '../../core/questions/question-kinds.ts';
import type { Reader } from '../../database/reader.ts';

/**
 * Returns the time at which a user last confirmed a question of this kind (epoch ms), or 0 if no user has confirmed
 * one.
 */
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
 * Returns the open batch of this kind, or null if no question of this kind is open. With a detail, finds only questions
 * with this detail.
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
