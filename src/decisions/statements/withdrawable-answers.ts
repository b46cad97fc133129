/**
 * Stores answers that are not carried out yet. Until an answer takes effect, nothing else changes, so withdrawing it
 * only deletes it. If one process withdraws it while another carries it out, the first one wins. The next process
 * continues interrupted work.
 *
 * An answer that needs a second user does not take effect automatically. Its row has no effective time, and no
 * statement here sets one. The table refuses an effective time without a confirmation. Only `approvals.ts` sets it.
 */
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { ACTOR_KINDS, type Actor } from '../../core/actor.ts';
import { newId } from '../../core/new-id.ts';
import type { QuestionDecision } from '../../core/questions/decisions.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { SealContext } from '../../database/encryption/sealed.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader, TimedConnection } from '../../database/reader.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';
import { auditSealer } from '../../privacy/audit/chain.ts';
import { recordEntry } from '../../privacy/audit/record.ts';
import { listQuestionsOfReason, recordBatchDecision } from './batches.ts';
import { type Decider, findQuestion, recordDecision } from './questions.ts';

/** The time in which a user can withdraw an answer from a page. */
export const WITHDRAWABLE_MS = 10_000;

/** An answer without the user who gave it. The user is stored in a separate column. */
export interface Answer {
  integrationId: string;
  about: AnswerSubject;
  subject: string;
  decision: QuestionDecision;
  /**
   * The last opening time of the questions that the answer applies to (epoch ms), for a batch or a reason. Null for a
   * single question.
   */
  openedUntil: number | null;
}

/** The kinds of subject that an answer can be about. */
export type AnswerSubject = Exclude<Tables['answers']['about'], 'request'>;

export interface WithdrawableAnswer extends Answer {
  id: string;
  inForceFrom: number;
}

export interface AnswerStore extends Decider {
  readonly connection: TimedConnection;
  readonly fingerprint: Fingerprint;
  actingAs(actor: Actor): Decider;
}

/** Records an answer that the user can withdraw for ten seconds. Returns null if the subject already has an answer. */
export function giveAnswer(trx: ActorTransaction, answer: Answer): Promise<string | null> {
  return insertAnswer(trx, answer, trx.clock.now() + WITHDRAWABLE_MS);
}

export async function findWithdrawableAnswer(
  reader: Reader,
  id: string,
): Promise<WithdrawableAnswer | undefined> {
  const row = await selectUnclaimed(reader).where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : toWithdrawable(row);
}

/** Selects answers that need no confirmation and are not in progress. */
function selectUnclaimed(reader: Reader) {
  return reader
    .selectFrom('answers')
    .selectAll()
    .where('needs', 'is', null)
    .where('claimed_at', 'is', null);
}

/** An answer with its user. */
export interface GivenAnswer extends WithdrawableAnswer {
  by: Actor;
}

export interface AnswerSource {
  readonly reader: Reader;
  readonly fingerprint: Fingerprint;
}

/** Lists the answers that users have given, oldest answer first. */
export async function listGivenAnswers({
  reader,
  fingerprint,
}: AnswerSource): Promise<GivenAnswer[]> {
  const rows = await selectUnclaimed(reader)
    .where('in_force_from', 'is not', null)
    .orderBy('given_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...toWithdrawable(row), by: openGiver(fingerprint, row) }));
}

/**
 * Finds the answer that a user can still withdraw. Returns null if the subject has no answer, or if it is too late to
 * withdraw the answer.
 */
export async function findGivenAnswer(
  { reader, fingerprint }: AnswerSource,
  { about, id, integrationId }: Pick<Answer, 'about' | 'integrationId'> & { id: string },
): Promise<GivenAnswer | null> {
  const row = await selectUnclaimed(reader)
    .where('integration_id', '=', integrationId)
    .where('about', '=', about)
    .where('subject', '=', id)
    .executeTakeFirst();
  return row === undefined ? null : { ...toWithdrawable(row), by: openGiver(fingerprint, row) };
}

/**
 * Withdraws an answer and records the withdrawal in the audit. Returns false if the answer has already taken effect.
 */
export async function recordWithdrawal(
  trx: ActorTransaction,
  { id, integrationId, about, subject, decision }: WithdrawableAnswer,
): Promise<boolean> {
  if (!(await withdrawAnswer(trx, id))) return false;
  const of = about === 'contact' || about === 'network' ? 'hold' : about;
  const details = { [of]: subject, decision };
  await recordEntry(trx, { action: 'answer.withdrawn', integrationId, details });
  return true;
}

/** Deletes an answer. Returns false if the answer has already taken effect. */
export async function withdrawAnswer(
  connection: Pick<TimedConnection, 'deleteFrom'>,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await connection
    .deleteFrom('answers')
    .where('id', '=', id)
    .where('needs', 'is', null)
    .where('claimed_at', 'is', null)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Deletes all answers that users can still withdraw, and leaves the questions open. A user may have withdrawn an answer
 * after the backup, so after a restore this answer must not take effect.
 */
export async function dropWithdrawable(trx: Trx): Promise<void> {
  await trx
    .deleteFrom('answers')
    .where('needs', 'is', null)
    .where('claimed_at', 'is', null)
    .execute();
}

/**
 * Carries out answers that users can no longer withdraw. Returns the time at which the next answer takes effect, or
 * null.
 */
export async function applyDueAnswers(store: AnswerStore): Promise<number | null> {
  const rows = await store.connection
    .selectFrom('answers')
    .select(['id', 'in_force_from'])
    .where('needs', 'is', null)
    .where('in_force_from', 'is not', null)
    .orderBy('in_force_from')
    .execute();
  const now = store.connection.clock.now();
  // An answer from the future was given before the clock was set back.
  const isDue = (at: number) => at <= now || at > now + WITHDRAWABLE_MS;
  const times = rows.map((row) => ({ id: row.id, at: row.in_force_from ?? 0 }));
  for (const { id, at } of times) if (isDue(at)) await apply(store, id);
  return times.find(({ at }) => !isDue(at))?.at ?? null;
}

/** Carries out all answers of an integration, including answers that a user could still withdraw. */
export async function applyAllAnswers(store: AnswerStore, integrationId: string): Promise<void> {
  const { rows } = await selectWithdrawable(store.connection, { integrationId });
  for (const { id } of rows) await apply(store, id);
}

async function apply(store: AnswerStore, id: string): Promise<void> {
  const { connection, fingerprint } = store;
  const row = await connection
    .updateTable('answers')
    .set((eb) => ({ claimed_at: eb.fn.coalesce('claimed_at', eb.val(connection.clock.now())) }))
    .where('id', '=', id)
    .where('needs', 'is', null)
    .returningAll()
    .executeTakeFirst();
  // A user has withdrawn the answer, or another process has carried it out.
  if (row === undefined) return;
  await decide(connection, store.actingAs(openGiver(fingerprint, row)), toAnswer(row));
  await connection.deleteFrom('answers').where('id', '=', id).execute();
}

const selectWithdrawable = preparedRead(
  (reader, { integrationId }: Slots<{ integrationId: string }>) =>
    reader
      .selectFrom('answers')
      .select('id')
      .where('integration_id', '=', integrationId)
      .where('needs', 'is', null)
      .where('in_force_from', 'is not', null)
      .orderBy('in_force_from')
      .orderBy('id')
      .compile(),
);

/** Stores an answer that needs no second user. Returns null if the subject already has an answer. */
export async function insertAnswer(
  trx: ActorTransaction,
  { integrationId, about, subject, decision, openedUntil }: Answer,
  inForceFrom: number,
): Promise<string | null> {
  const { clock, fingerprint, actor } = trx;
  const now = clock.now();
  const id = newId(now);
  const place = { id, integration_id: integrationId, crm_id: null };
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('answers')
    .values({
      ...place,
      about,
      subject,
      decision,
      opened_until: openedUntil,
      given: auditSealer(fingerprint).seal(
        JSON.stringify(actor),
        answerSealContext('given', place),
      ),
      given_at: now,
      in_force_from: inForceFrom,
    })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows ? id : null;
}

type AnswerRow = Selectable<Tables['answers']>;

function toAnswer({ about, decision, ...row }: AnswerRow): Answer {
  if (about === 'request' || decision === null) {
    throw new Error('An answer that needs nobody else has no subject.');
  }
  const { subject, integration_id: integrationId, opened_until: openedUntil } = row;
  return { integrationId, about, subject, decision, openedUntil };
}

function openGiver(fingerprint: Fingerprint, row: AnswerRow): Actor {
  const given = auditSealer(fingerprint).open(row.given, answerSealContext('given', row));
  return actorSchema.parse(JSON.parse(given));
}

function toWithdrawable(row: AnswerRow): WithdrawableAnswer {
  return { ...toAnswer(row), id: row.id, inForceFrom: row.in_force_from ?? 0 };
}

/** Applies an answer to its question. A question that already has another decision does not change. */
async function decide(
  reader: Reader,
  decider: Decider,
  { integrationId, about, subject, decision, openedUntil }: Answer,
): Promise<void> {
  if (about === 'batch') {
    if (decision !== 'resubmitted') {
      await recordBatchDecision(decider.act, subject, decision, openedUntil ?? 0);
    }
  } else if (about === 'reason') {
    const until = openedUntil ?? 0;
    for await (const question of listQuestionsOfReason(reader, integrationId, subject, until)) {
      await recordDecision(decider, question, decision);
    }
  } else {
    const question = await findQuestion(reader, subject);
    if (question) await recordDecision(decider, question, decision);
  }
}

/**
 * Binds the encrypted answer to its contact. Otherwise, someone could exchange the ID and have another contact erased.
 */
export function answerSealContext(
  column: 'given' | 'confirmed_by',
  row: Pick<AnswerRow, 'id' | 'integration_id' | 'crm_id'>,
): SealContext {
  return { table: 'answers', column, row: [row.id, row.integration_id, row.crm_id ?? ''] };
}

export const actorSchema = z.object({
  kind: z.enum(ACTOR_KINDS),
  name: z.string().nullable(),
  from: z.string().nullable(),
});
