/**
 * Opens questions about contacts. No other file inserts these questions, so a new kind of question needs no other
 * statement.
 */
import type { Closing } from '../../core/questions/decisions.ts';
import type { ContactQuestionKind } from '../../core/questions/question-kinds.ts';
import { inBatches } from '../../database/rows.ts';
import type { Trx } from '../../database/tables/tables.ts';

export interface NewQuestion {
  id: string;
  crmId: string;
  kind: ContactQuestionKind;
  /** The contact's job. Defaults to the question's own ID, for a question without a job. */
  trackingId?: string | undefined;
  /** The ID that questions with the same cause share. By default, a question has no such ID. */
  batch?: string | null;
  /**
   * A word, a number or a CRM message whose meaning depends on the kind of question. By default, a question has no
   * detail.
   */
  detail?: string | null;
  /** When the question is opened (epoch ms). */
  openedAt: number;
  /**
   * The decision with which the question is closed immediately, because no user has to answer. By default, the question
   * is open.
   */
  closed?: { decision: Closing; at: number } | null;
}

/**
 * Opens questions. If a question already exists, `fail` throws, `keep` leaves the question unchanged, and `reopen`
 * opens it again as the new question.
 */
export async function openQuestions(
  trx: Trx,
  integrationId: string,
  questions: readonly NewQuestion[],
  ifThere: 'fail' | 'keep' | 'reopen' = 'fail',
): Promise<void> {
  for (const batch of inBatches(questions)) {
    await trx
      .insertInto('questions')
      .values(batch.map((question) => toRow(integrationId, question)))
      .$if(ifThere === 'keep', (query) => query.onConflict((c) => c.doNothing()))
      .$if(ifThere === 'reopen', (query) =>
        query.onConflict((c) =>
          c.column('id').doUpdateSet((eb) => ({
            crm_id: eb.ref('excluded.crm_id'),
            kind: eb.ref('excluded.kind'),
            detail: eb.ref('excluded.detail'),
            opened_at: eb.ref('excluded.opened_at'),
            decision: null,
            decided_at: null,
          })),
        ),
      )
      .execute();
  }
}

function toRow(
  integrationId: string,
  { id, crmId, kind, trackingId, batch, detail, openedAt, closed }: NewQuestion,
) {
  return {
    id,
    integration_id: integrationId,
    crm_id: crmId,
    kind,
    tracking_id: trackingId ?? id,
    batch: batch ?? null,
    detail: detail ?? null,
    opened_at: openedAt,
    decision: closed?.decision ?? null,
    decided_at: closed?.at ?? null,
  };
}
