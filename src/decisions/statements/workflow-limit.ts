/** Asks users whether workflows may mark more contacts in a day. Each client has at most one question per day. */

import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { waitForCheckpoint } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { openQuestions } from './open-questions.ts';

export const WORKFLOW_LIMIT_KIND = 'workflow_limit' as const;

/** True if a user has allowed workflows to mark more contacts since `since` (epoch ms). */
export async function isLimitLifted(
  reader: Reader,
  integrationId: string,
  since: number,
): Promise<boolean> {
  const row = await findOfDay(reader, integrationId, since);
  return row?.decision === 'approved';
}

/**
 * Adds marks above the limit to the client's question of the day. The first mark opens the question for contact
 * `crmId`. If a user has already answered today's question, it stays closed.
 */
export async function askAboutLimit(
  trx: ActorTransaction,
  { id, integrationId, crmId }: { id: string; integrationId: string; crmId: string },
  { since, count }: { since: number; count: number },
): Promise<void> {
  await waitForCheckpoint(trx, integrationId);
  const before = await findOfDay(trx, integrationId, since);
  if (before === undefined) {
    const openedAt = trx.clock.now();
    const question = { id, crmId, kind: WORKFLOW_LIMIT_KIND, detail: String(count), openedAt };
    // The contact may have a question from an earlier day.
    await openQuestions(trx, integrationId, [question], 'keep');
    return;
  }
  if (before.decision !== null) return;
  await trx
    .updateTable('questions')
    .set({ detail: String(Number(before.detail ?? 0) + count) })
    .where('id', '=', before.id)
    .where('decision', 'is', null)
    .execute();
}

function findOfDay(reader: Reader, integrationId: string, since: number) {
  return reader
    .selectFrom('questions')
    .select(['id', 'detail', 'decision'])
    .where('integration_id', '=', integrationId)
    .where('kind', '=', WORKFLOW_LIMIT_KIND)
    .where('opened_at', '>=', since)
    .executeTakeFirst();
}
