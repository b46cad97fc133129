import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { move } from '../../contacts/life/apply-events.ts';
import { removeConfirmed } from '../../contacts/many-at-once/missing.ts';
import { PAID_SINCE_BACKUP } from '../../contacts/many-at-once/paid-since-backup.ts';
import type { BatchFacts } from '../../core/questions/batch-facts.ts';
import { LIST_CHANGED } from '../../core/questions/contacts-missing.ts';
import type { BatchDecision } from '../../core/questions/decisions.ts';
import { ON_HOLD, toErasureSource } from '../../core/questions/erasure-requested.ts';
import { parseChangedParts } from '../../core/questions/identity-mass-change.ts';
import { parsePaidBefore } from '../../core/questions/paid-since-backup.ts';
import {
  BATCH_KINDS,
  type BatchKind,
  type ContactQuestionKind,
  findContactAnswer,
  isBatchKind,
  type QuestionKind,
} from '../../core/questions/question-kinds.ts';
import type { Act } from '../../database/actor-transaction.ts';
import { waitForCheckpoint } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches, ROWS_PER_TRANSACTION } from '../../database/rows.ts';
import type { Trx } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';
import { ERASURE_KIND } from './erasure-requests.ts';
import { type ContactQuestion, listContactQuestions, selectQuestions } from './questions.ts';

export interface QuestionBatch extends BatchFacts {
  id: string;
  integrationId: string;
  /** Why the contacts are held, for example changed details or missing contacts. */
  kind: BatchKind;
  since: number;
  /**
   * When the first question of the batch was opened (epoch ms). A run in progress can add more questions to the batch.
   */
  until: number;
}

/**
 * Returns batches with open holds, oldest batch first. The database counts the holds, so large batches are not slow.
 */
export async function listBatches(
  reader: Reader,
  integrationId?: string,
): Promise<QuestionBatch[]> {
  const rows = await reader
    .selectFrom('questions')
    .where('decision', 'is', null)
    .select(['batch', 'integration_id', 'kind', 'detail'])
    .$narrowType<{ kind: ContactQuestionKind }>()
    .select((eb) => [
      eb.fn.countAll().as('count'),
      eb.fn.min('opened_at').as('since'),
      eb.fn.max('opened_at').as('until'),
    ])
    .where('batch', 'is not', null)
    .$if(integrationId !== undefined, (query) =>
      query.where('integration_id', '=', integrationId ?? ''),
    )
    .groupBy(['batch', 'integration_id', 'kind', 'detail'])
    .execute();
  const batches = new Map<string, QuestionBatch>();
  for (const { batch, integration_id, kind, detail, count, since, until } of rows) {
    if (batch === null) continue;
    const known = batches.get(batch);
    batches.set(batch, {
      id: batch,
      integrationId: integration_id,
      kind: toBatchKind(kind),
      count: (known?.count ?? 0) + Number(count),
      isListChanged: known?.isListChanged === true || isListChange(kind, detail),
      paidBefore: kind === PAID_SINCE_BACKUP ? parsePaidBefore(detail) : null,
      marks: withMark(known?.marks ?? [], kind, detail),
      source: kind === ERASURE_KIND ? toErasureSource(detail) : null,
      parts:
        toBatchKind(kind) === 'identity_mass_change'
          ? withParts(known?.parts ?? {}, detail, Number(count))
          : {},
      since: Math.min(known?.since ?? since, since),
      until: Math.max(known?.until ?? until, until),
    });
  }
  return [...batches.values()].sort(
    (one, other) => one.since - other.since || (one.id < other.id ? -1 : 1),
  );
}

/** Returns a batch's questions. Without a limit, returns all questions of the batch. */
export function listQuestionsOfBatch(
  reader: Reader,
  { id, integrationId }: BatchId,
  limit?: number,
): Promise<ContactQuestion[]> {
  return selectQuestions(reader)
    .where('decision', 'is', null)
    .where('questions.integration_id', '=', integrationId)
    .where('batch', '=', id)
    .orderBy('crm_id')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute()
    .then(listContactQuestions);
}

/** Yields single open holds of one kind up to this time, oldest first. */
export async function* listQuestionsOfReason(
  reader: Reader,
  integrationId: string,
  kind: string,
  until: number,
) {
  let after: ContactQuestion | null = null;
  for (;;) {
    const place: RawBuilder<SqlBool> = sql`(opened_at, questions.id) > (${after?.openedAt ?? -1}, ${after?.id ?? ''})`;
    const rows: ContactQuestion[] = await selectQuestions(reader)
      .where('decision', 'is', null)
      .where('questions.integration_id', '=', integrationId)
      .where('crm_id', 'is not', null)
      .where('batch', 'is', null)
      .where(sql<SqlBool>`kind = ${kind}`)
      .where('opened_at', '<=', until)
      .where(place)
      .orderBy('opened_at')
      .orderBy('questions.id')
      .limit(ROWS_PER_TRANSACTION)
      .execute()
      .then(listContactQuestions);
    yield* rows;
    after = rows.at(-1) ?? null;
    if (rows.length < ROWS_PER_TRANSACTION) return;
  }
}

/**
 * Decides all of a batch's open holds and returns the number of decided holds. Each transaction decides some holds
 * together with their contacts. After an interruption, the same call decides the holds that are still open. Holds with
 * a separate decision, and holds that were opened after `openedUntil` (epoch ms), do not change.
 */
export async function recordBatchDecision(
  act: Act,
  batchId: string,
  decision: BatchDecision,
  openedUntil = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  let decided = 0;
  for (;;) {
    const portion = await act(async (trx) => {
      const integrationId = await findBatchIntegration(trx, batchId);
      if (integrationId === null) return null;
      const count = await decideSome(
        trx,
        { id: batchId, integrationId, openedUntil },
        decision,
        trx.clock.now(),
      );
      const details = { batch: batchId, decision, contacts: count };
      if (count) await recordEntry(trx, { action: 'batch.decided', integrationId, details });
      return count;
    });
    if (portion === null) return decided;
    decided += portion;
  }
}

/** Finds the integration of an open or decided batch. Returns null if the batch never existed. */
export async function findBatchIntegration(
  reader: Reader,
  batchId: string,
): Promise<string | null> {
  const row = await reader
    .selectFrom('questions')
    .select('integration_id')
    .where('batch', '=', batchId)
    .limit(1)
    .executeTakeFirst();
  return row?.integration_id ?? null;
}

type BatchId = Pick<QuestionBatch, 'id' | 'integrationId'>;

function toBatchKind(kind: QuestionKind): BatchKind {
  return isBatchKind(kind) ? kind : 'identity_mass_change';
}

function withMark(
  marks: readonly string[],
  kind: QuestionKind,
  detail: string | null,
): readonly string[] {
  if (kind !== 'mass_opt_out' || detail === null || marks.includes(detail)) return marks;
  return [...marks, detail].sort();
}

function isAboutMissing(kind: QuestionKind): kind is 'contacts_missing' {
  return kind === 'contacts_missing';
}

function isListChange(kind: ContactQuestionKind, detail: string | null): boolean {
  return isAboutMissing(kind) && detail === LIST_CHANGED;
}

/** Adds the changed details to the batch. The holds of a mass change list the changed details in `detail`. */
function withParts(
  parts: QuestionBatch['parts'],
  detail: string | null,
  count: number,
): QuestionBatch['parts'] {
  const changed = parseChangedParts(detail);
  const added = { ...parts };
  for (const part of changed) added[part] = (added[part] ?? 0) + count;
  return added;
}

/** Decides some open questions. Returns null if no question is open. */
async function decideSome(
  trx: Trx,
  { id, integrationId, openedUntil }: BatchId & { openedUntil: number },
  decision: BatchDecision,
  now: number,
): Promise<number | null> {
  await waitForCheckpoint(trx, integrationId);
  const rows = await trx
    .selectFrom('questions')
    .select('id')
    .where('integration_id', '=', integrationId)
    .where('decision', 'is', null)
    .where('batch', '=', id)
    // The CRM may have forbidden the erasure since the question was opened.
    .$if(decision === 'approved', (query) =>
      query.where((eb) =>
        eb.or([
          eb('kind', '<>', ERASURE_KIND),
          eb('detail', 'is', null),
          eb('detail', '<>', ON_HOLD),
        ]),
      ),
    )
    .where('opened_at', '<=', openedUntil)
    .orderBy('crm_id')
    .limit(ROWS_PER_TRANSACTION)
    .execute();
  if (rows.length === 0) return null;
  let decided = 0;
  for (const portion of inFilledBatches(rows.map((row) => row.id))) {
    const closed = await trx
      .updateTable('questions')
      .set({ decision, decided_at: now })
      .where('id', 'in', portion)
      // Another user may have decided this hold.
      .where('decision', 'is', null)
      .returning(['crm_id', 'kind'])
      .execute();
    decided += closed.length;
    const missing = closed.flatMap(({ crm_id, kind }) =>
      isAboutMissing(kind) ? (crm_id ?? []) : [],
    );
    if (decision === 'approved') await removeConfirmed(trx, integrationId, now, missing);
    for (const moved of BATCH_KINDS) {
      const event = findContactAnswer(moved, decision)?.event ?? null;
      if (event === null || event === 'confirmedGone') continue;
      const ids = closed.flatMap(({ crm_id, kind }) =>
        toBatchKind(kind) === moved ? (crm_id ?? []) : [],
      );
      await move(trx, { integrationId }, event, ids, { now });
    }
  }
  return decided;
}
