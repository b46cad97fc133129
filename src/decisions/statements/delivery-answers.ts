/** Reads and withdraws users' approvals of paid profiles. No other file knows which answers approve a delivery. */

import type { ExpressionBuilder, NotNull } from 'kysely';
import type { ContactQuestionKind } from '../../core/questions/question-kinds.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';

/**
 * Lists the kinds of question that a user has approved for a contact. An approval for a merged contact does not apply
 * to the contact that remains.
 */
export async function listApprovedKinds(
  reader: Reader,
  trackingIds: readonly string[],
): Promise<Map<string, ContactQuestionKind>> {
  const approved = new Map<string, ContactQuestionKind>();
  for (const batch of inFilledBatches(trackingIds)) {
    const { rows } = await selectApproved(reader, { trackingIds: batch });
    for (const row of rows) approved.set(row.tracking_id, row.kind);
  }
  return approved;
}

export function selectApprovals(reader: Reader) {
  return reader.selectFrom('questions').where(isApproval);
}

/**
 * Closes approvals of profiles whose contacts have a new name or address. donor-sync then checks these profiles again.
 */
export async function withdrawApprovals(
  trx: Trx,
  now: number,
  trackingIds: readonly string[],
): Promise<void> {
  for (const batch of inFilledBatches(trackingIds)) {
    await trx
      .updateTable('questions')
      .set({ decision: 'superseded', decided_at: now })
      // A hold about a profile has its job's ID.
      .where('id', 'in', batch)
      .where(isApproval)
      .execute();
  }
}

function isApproval(eb: ExpressionBuilder<Tables, 'questions'>) {
  return eb('questions.decision', '=', 'approved');
}

const selectApproved = preparedRead(
  (reader, { trackingIds }: Slots<{ trackingIds: readonly string[] }>) =>
    selectApprovals(reader)
      // A hold about a profile has its job's ID.
      .innerJoin('jobs', (join) =>
        join
          .onRef('jobs.tracking_id', '=', 'questions.id')
          .onRef('jobs.crm_id', '=', 'questions.crm_id'),
      )
      .select(['questions.tracking_id', 'questions.kind'])
      .$narrowType<{ tracking_id: NotNull; kind: ContactQuestionKind }>()
      .where('questions.id', 'in', trackingIds)
      .compile(),
);
