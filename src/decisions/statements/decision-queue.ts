/** Reads the queue of single questions. The database counts the questions, and a page shows only some of them. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { QuestionKind } from '../../core/questions/question-kinds.ts';
import type { Reader } from '../../database/reader.ts';
import { type Question, selectQuestions, toQuestion } from './questions.ts';

export interface QueueScope {
  /** The IDs of the integrations whose questions are selected. Null means all integrations. */
  integrationIds: readonly string[] | null;
  /** The kind of question to select. Null selects all kinds. */
  reason: string | null;
}

/** A position in the queue: the time at which a hold was opened, and the hold's ID. */
export type QueuePlace = readonly [openedAt: number, id: string];

export interface QueuePage extends QueueScope {
  order: 'oldest' | 'newest';
  /** The position of the last question on the previous page. Null for the first page. */
  after: QueuePlace | null;
  limit: number;
}

export interface QueueCount {
  integrationId: string;
  kind: QuestionKind;
  count: number;
}

/** Lists single open questions. Skips questions with an answer that can still be withdrawn. */
export async function listQueuePage(reader: Reader, page: QueuePage): Promise<Question[]> {
  const direction = page.order === 'oldest' ? 'asc' : 'desc';
  const rows = await selectQuestions(reader)
    .where('decision', 'is', null)
    .where('batch', 'is', null)
    .where(IS_UNANSWERED)
    .where(isIn(page))
    .where(comesAfter(page))
    .orderBy('opened_at', direction)
    .orderBy('questions.id', direction)
    .limit(page.limit)
    .execute();
  return rows.map(toQuestion);
}

/** Returns the number of questions for each integration and kind. Questions in batches are not counted. */
export async function countQueue(reader: Reader, scope: QueueScope): Promise<QueueCount[]> {
  const rows = await reader
    .selectFrom('questions')
    .select((eb) => ['integration_id', 'kind', eb.fn.countAll().as('count')])
    .where('decision', 'is', null)
    .where('batch', 'is', null)
    .where(IS_UNANSWERED)
    .where(isIn(scope))
    .groupBy(['integration_id', 'kind'])
    .execute();
  return rows.map(({ integration_id, kind, count }) => ({
    integrationId: integration_id,
    kind,
    count: Number(count),
  }));
}

/** Lists batches with an answer that can still be withdrawn. */
export async function listAnsweredBatches(reader: Reader): Promise<Set<string>> {
  const rows = await reader
    .selectFrom('answers')
    .select('subject')
    .where('about', '=', 'batch')
    .execute();
  return new Set(rows.map(({ subject }) => subject));
}

type Condition = RawBuilder<SqlBool>;

const IS_UNANSWERED: Condition = sql`not exists (select 1 from answers a
  where a.integration_id = questions.integration_id and (a.subject = questions.id
    or (a.about = 'reason' and questions.crm_id is not null
      and a.subject = questions.kind and a.opened_until >= questions.opened_at)))`;

function isIn({ integrationIds, reason }: QueueScope): Condition {
  const isOfReason = reason === null ? sql`1 = 1` : sql`questions.kind = ${reason}`;
  if (integrationIds === null) return sql`${isOfReason}`;
  if (integrationIds.length === 0) return sql`1 = 0`;
  return sql`${isOfReason} and questions.integration_id in (${sql.join(integrationIds)})`;
}

function comesAfter({ after, order }: QueuePage): Condition {
  if (after === null) return sql`1 = 1`;
  const [openedAt, id] = after;
  const comparison = sql.raw(order === 'oldest' ? '>' : '<');
  return sql`(questions.opened_at, questions.id) ${comparison} (${openedAt}, ${id})`;
}
