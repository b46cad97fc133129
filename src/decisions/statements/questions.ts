import type { NotNull, Selectable } from 'kysely';
import { reopenHolds } from '../../contacts/erased-holds.ts';
import { moveAndList } from '../../contacts/life/apply-events.ts';
import { removeConfirmed } from '../../contacts/many-at-once/missing.ts';
import { FatalError } from '../../core/errors.ts';
import { type Closing, DECIDED, type QuestionDecision } from '../../core/questions/decisions.ts';
import { ON_HOLD } from '../../core/questions/erasure-requested.ts';
import type { AnswerEvent } from '../../core/questions/kind.ts';
import {
  CONTACT_KINDS,
  type ContactQuestionKind,
  findContactAnswer,
  isNetworkKind,
  listDecisions,
  type NetworkQuestionKind,
} from '../../core/questions/question-kinds.ts';
import type { Act, ActorTransaction } from '../../database/actor-transaction.ts';
import { waitForCheckpoint } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';
import { blockErased } from '../../privacy/statements/block-erased.ts';
import type { ErasureLog } from '../../privacy/statements/erasure-log.ts';

interface AnyQuestion {
  id: string;
  integrationId: string;
  /** A word, a number or a CRM message that explains the question. Null if the question has no details. */
  detail: string | null;
  /** When the question was opened (epoch ms). */
  openedAt: number;
  /** The user's decision. Null while the question is open. */
  decision: Closing | null;
  decidedAt: number | null;
  /** The batch of questions that have the same cause and that a user answers together. Null for a single question. */
  batch: string | null;
}

export interface ContactQuestion extends AnyQuestion {
  about: 'contact';
  crmId: string;
  kind: ContactQuestionKind;
  /** The ID of the contact's job. A question without a job has its own ID here. */
  trackingId: string;
}

export interface NetworkQuestion extends AnyQuestion {
  about: 'network';
  network: string;
  /** The network's name. */
  name: string;
  kind: NetworkQuestionKind;
}

export type Question = ContactQuestion | NetworkQuestion;

export interface Decider {
  readonly act: Act;
  readonly erasures: ErasureLog;
}

/** Lists the open questions, oldest first. `about` limits the list to questions about contacts or about networks. */
export async function listOpenQuestions(
  reader: Reader,
  integrationId?: string,
  about?: Question['about'],
): Promise<Question[]> {
  const rows = await selectQuestions(reader)
    .where('decision', 'is', null)
    .$if(about === 'contact', (query) => query.where('crm_id', 'is not', null))
    .$if(about === 'network', (query) => query.where('network', 'is not', null))
    .$if(integrationId !== undefined, (query) =>
      query.where('questions.integration_id', '=', integrationId ?? ''),
    )
    .orderBy('opened_at')
    .orderBy((eb) => eb('crm_id', 'is', null))
    .orderBy('questions.id')
    .execute();
  return rows.map(toQuestion);
}

/** Returns the open questions that a user decides individually, oldest first. */
export async function listSingleQuestions(reader: Reader): Promise<Question[]> {
  const rows = await selectQuestions(reader)
    .where('decision', 'is', null)
    .where('batch', 'is', null)
    .orderBy('opened_at')
    .orderBy((eb) => eb('crm_id', 'is', null))
    .orderBy('questions.id')
    .execute();
  return rows.map(toQuestion);
}

/** Counts the open questions of each integration. */
export async function countOpenQuestions(
  reader: Reader,
  about: Question['about'],
): Promise<Map<string, number>> {
  const rows = await reader
    .selectFrom('questions')
    .select((eb) => ['integration_id', eb.fn.countAll().as('count')])
    .where('decision', 'is', null)
    .where(about === 'contact' ? 'crm_id' : 'network', 'is not', null)
    .groupBy('integration_id')
    .execute();
  return new Map(rows.map((row) => [row.integration_id, Number(row.count)]));
}

/** Finds an open or closed question by ID. */
export async function findQuestion(reader: Reader, id: string): Promise<Question | undefined> {
  const row = await selectQuestions(reader).where('questions.id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : toQuestion(row);
}

/** Returns the open questions about this contact, oldest first. */
export async function listQuestionsOfContact(
  reader: Reader,
  integrationId: string,
  crmId: string,
): Promise<Question[]> {
  const rows = await selectQuestions(reader)
    .where('decision', 'is', null)
    .where('questions.integration_id', '=', integrationId)
    .where('crm_id', '=', crmId)
    .orderBy('opened_at')
    .orderBy('questions.id')
    .execute();
  return rows.map(toQuestion);
}

export async function listDistinguished(
  reader: Reader,
  integrationId: string,
): Promise<Map<string, number>> {
  const rows = await reader
    .selectFrom('questions')
    .select(['crm_id', 'decided_at'])
    .$narrowType<{ crm_id: NotNull; decided_at: NotNull }>()
    .where('integration_id', '=', integrationId)
    .where('kind', '=', 'forgotten_person')
    .where('decision', '=', 'approved')
    .orderBy('decided_at')
    .execute();
  return new Map(rows.map((row) => [row.crm_id, row.decided_at]));
}

/**
 * Records a user's decision about a question. Returns false if the question is closed or does not allow the decision.
 * For example, a user cannot approve a profile whose response was lost.
 */
export function recordDecision(
  decider: Decider,
  question: Question,
  decision: QuestionDecision,
): Promise<boolean> {
  return question.about === 'contact'
    ? decideContact(decider, question, decision)
    : decideNetwork(decider, question, decision);
}

async function decideContact(
  { act, erasures }: Decider,
  question: ContactQuestion,
  decision: QuestionDecision,
): Promise<boolean> {
  const { id, integrationId, crmId, kind } = question;
  const answer = findContactAnswer(kind, decision);
  if (answer === null) return false;
  if (decision === 'approved' && isForbidden(question)) return false;
  return act(async (trx) => {
    if (CONTACT_KINDS[kind].waitsForRun) await waitForCheckpoint(trx, integrationId);
    if (!(await close(trx, id, decision))) return false;
    const keys = await moveContact(trx, erasures, question, decision, answer.event);
    const details = { hold: id, kind, decision, ...(keys.length > 0 && { keys: keys.length }) };
    const changesBlocks = kind === 'forgotten_person';
    await recordEntry(trx, {
      action: 'hold.decided',
      integrationId,
      crmId,
      details,
      destroyedKeys: keys,
      changesBlocks,
    });
    return true;
  });
}

/**
 * Records a decision about a network. If a user decides to create a network again, the deleted network's memberships
 * are dropped.
 */
async function decideNetwork(
  { act }: Decider,
  { id, integrationId, kind, network }: NetworkQuestion,
  decision: QuestionDecision,
): Promise<boolean> {
  if (!listDecisions(kind).some((word) => DECIDED[word] === decision)) return false;
  return act(async (trx) => {
    if (!(await close(trx, id, decision))) return false;
    if (kind === 'network_deleted' && decision === 'approved') await forgetNetwork(trx, network);
    const details = { hold: id, kind, network, decision };
    await recordEntry(trx, { action: 'network.decided', integrationId, details });
    return true;
  });
}

/** Closes a question. Returns false if the question is already closed. */
async function close(
  trx: ActorTransaction,
  id: string,
  decision: QuestionDecision,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('questions')
    .set({ decision, decided_at: trx.clock.now() })
    .where('id', '=', id)
    .where('decision', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Moves the contact to the state that follows from the decision. Resolves with the IDs of destroyed audit keys. */
async function moveContact(
  trx: ActorTransaction,
  erasures: ErasureLog,
  hold: ContactQuestion,
  decision: QuestionDecision,
  event: AnswerEvent | null,
): Promise<readonly string[]> {
  const moment = { now: trx.clock.now() };
  if (event === null) return [];
  if (event === 'confirmedGone') {
    await removeConfirmed(trx, hold.integrationId, moment.now, [hold.crmId]);
    return [];
  }
  if (event === 'confirmedErased') {
    return blockErased(trx, hold, { fingerprint: trx.fingerprint, erasures }, moment.now);
  }
  const job = trx.updateTable('jobs').where('tracking_id', '=', hold.trackingId);
  await (decision === 'approved'
    ? // The user's decision shows that the service recognised this contact.
      job.set({ state: 'completed', known: 1 }).where('state', '=', 'held')
    : // The job is complete, even if the question was opened again after an approval.
      job
        .set({ state: 'delivered', closed_at: moment.now })
        .where('state', 'in', ['held', 'completed'])
  ).execute();
  const moved = await moveAndList(trx, hold, event, [hold.crmId], moment);
  if (event === 'distinguished') await reopenHolds(trx, hold, moved, moment);
  return [];
}

/** True if the CRM requested the erasure but forbids it for now. */
export function isForbidden({ kind, detail }: Pick<ContactQuestion, 'kind' | 'detail'>): boolean {
  return kind === 'erasure_requested' && detail === ON_HOLD;
}

/** Selects questions with the names of their networks. */
export function selectQuestions(reader: Reader) {
  return (
    reader
      .selectFrom('questions')
      .leftJoin('networks', 'networks.id', 'questions.network')
      // A network that no longer exists needs no decision.
      .where((eb) => eb.or([eb('crm_id', 'is not', null), eb('networks.id', 'is not', null)]))
      .selectAll('questions')
      .select('networks.name')
  );
}

/** Returns the questions about contacts. */
export function listContactQuestions(rows: readonly QuestionRow[]): ContactQuestion[] {
  return rows.map(toQuestion).filter((question) => question.about === 'contact');
}

type QuestionRow = Selectable<Tables['questions']> & { name: string | null };

export function toQuestion({ crm_id, network, kind, name, ...row }: QuestionRow): Question {
  const question = {
    id: row.id,
    integrationId: row.integration_id,
    detail: row.detail,
    openedAt: row.opened_at,
    decision: row.decision,
    decidedAt: row.decided_at,
    batch: row.batch,
  };
  if (crm_id !== null && !isNetworkKind(kind)) {
    const trackingId = row.tracking_id ?? row.id;
    return { ...question, about: 'contact', crmId: crm_id, kind, trackingId };
  }
  if (network !== null && isNetworkKind(kind)) {
    return { ...question, about: 'network', network, kind, name: name ?? network };
  }
  throw new FatalError(`The question ${row.id} is about nothing.`, { code: 'question_unreadable' });
}

async function forgetNetwork(trx: Trx, network: string): Promise<void> {
  await trx.deleteFrom('network_members').where('network', '=', network).execute();
  await trx.updateTable('networks').set({ network_id: null }).where('id', '=', network).execute();
}
