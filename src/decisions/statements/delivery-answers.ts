/**
 * Reads and withdraws the answers after which a paid profile is delivered. Other topics use these functions, because
 * only this file knows which answers these are.
 */

import type { ExpressionBuilder, NotNull } from 'kysely';
import type { ContactQuestionKind } from '../../core/question-kinds.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';

/**
 * Returns the approvals of these jobs' profiles, as kinds of hold by tracking ID. If a contact was merged into another
 * one after the approval, the approval does not apply to that contact.
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

/** Selects the approvals of profiles, for a statement that joins them to their jobs. */
export function selectApprovals(reader: Reader) {
  return reader.selectFrom('questions').where(isApproval);
}

/**
 * Closes the approvals of these jobs' profiles, because the contacts now have a different name or address. The profiles
 * are checked again.
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
      // A hold about a profile has the ID of its job.
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
      // A hold about a profile has the ID of its job.
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
