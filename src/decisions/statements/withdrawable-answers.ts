/**
 * Answers that users have given and that are not carried out yet. Nothing of a question or a contact changes before an
 * answer is in force, so that withdrawing it is to delete it. Of two that reach for one, to withdraw it and to carry it
 * out, the first wins; if a process ended while it carried one out, the next process does the rest.
 *
 * An answer that needs a second person is not in force by itself. Its row has no time for that, no statement here
 * touches it, and the table refuses such a time without the confirmation (`approvals.ts` has the only statement).
 */
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { ACTOR_KINDS, type Actor } from '../../core/actor.ts';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/new-id.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { SealContext } from '../../database/encryption/sealed.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import type { Database, Tables, Trx } from '../../database/tables/tables.ts';
import { auditSealer } from '../../privacy/audit/chain.ts';
import { auditRecorder } from '../../privacy/audit/record.ts';
import type { ErasureLog } from '../../privacy/statements/erasure-log.ts';
import { batchQueries } from './batches.ts';
import { type QuestionDecision, questionQueries } from './questions.ts';

/** For so long an answer that is given on a page can be withdrawn. */
export const WITHDRAWABLE_MS = 10_000;

/** What is decided; who decided is kept apart. */
export interface Answer {
  integrationId: string;
  about: AnswerSubject;
  subject: string;
  decision: QuestionDecision;
  /** Of a kind or a batch: it is about the questions that were opened until then (epoch ms); null for all. */
  openedUntil: number | null;
}

/** What an answer can be about. */
export type AnswerSubject = Exclude<Tables['answers']['about'], 'request'>;

/** An answer that can still be withdrawn, as pages show it. */
export interface WithdrawableAnswer extends Answer {
  id: string;
  /** Epoch ms. */
  inForceFrom: number;
}

export interface AnswerDeps {
  db: Database;
  clock: Clock;
  fingerprint: Fingerprint;
  actor: Actor;
  erasures: ErasureLog;
}

export function answerQueries(deps: AnswerDeps) {
  const { db, clock, fingerprint } = deps;
  return {
    /** Stores an answer that can be withdrawn for ten seconds; null if there is one to the same already. */
    async give(answer: Answer): Promise<string | null> {
      return insertAnswer(db, deps, answer, clock.now() + WITHDRAWABLE_MS);
    },

    /** The answer with this id while it can be withdrawn. */
    async findWithdrawable(id: string): Promise<WithdrawableAnswer | undefined> {
      const row = await db
        .selectFrom('answers')
        .selectAll()
        .where('id', '=', id)
        .where('needs', 'is', null)
        .where('claimed_at', 'is', null)
        .executeTakeFirst();
      return row === undefined ? undefined : toWithdrawable(row);
    },

    /** Deletes an answer; false if it is in force already. */
    async withdraw(id: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('answers')
        .where('id', '=', id)
        .where('needs', 'is', null)
        .where('claimed_at', 'is', null)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    /** Carries out the answers that are in force by now; resolves with when the next one will be, null for none. */
    async applyDue(): Promise<number | null> {
      const rows = await db
        .selectFrom('answers')
        .select(['id', 'in_force_from'])
        .where('needs', 'is', null)
        .where('in_force_from', 'is not', null)
        .orderBy('in_force_from')
        .execute();
      const now = clock.now();
      // One that is far ahead was made before the clock was set back.
      const isDue = (at: number) => at <= now || at > now + WITHDRAWABLE_MS;
      const times = rows.map((row) => ({ id: row.id, at: row.in_force_from ?? 0 }));
      for (const { id, at } of times) if (isDue(at)) await apply(id);
      return times.find(({ at }) => !isDue(at))?.at ?? null;
    },

    /** Carries out all answers of an integration that can be withdrawn, whatever their age. */
    async applyAll(integrationId: string): Promise<void> {
      const { rows } = await selectWithdrawable(db, { integrationId });
      for (const { id } of rows) await apply(id);
    },
  };

  async function apply(id: string): Promise<void> {
    const row = await db
      .updateTable('answers')
      .set((eb) => ({ claimed_at: eb.fn.coalesce('claimed_at', eb.val(clock.now())) }))
      .where('id', '=', id)
      .where('needs', 'is', null)
      .returningAll()
      .executeTakeFirst();
    // Withdrawn, or another process was here first.
    if (row === undefined) return;
    const by = actorSchema.parse(
      JSON.parse(auditSealer(fingerprint).open(row.given, answerSealContext('given', row))),
    );
    await decide(createDeciders(deps, by), toAnswer(row));
    await db.deleteFrom('answers').where('id', '=', id).execute();
  }
}

const selectWithdrawable = prepared((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('answers')
    .select('id')
    .where('integration_id', '=', integrationId)
    .where('needs', 'is', null)
    .where('in_force_from', 'is not', null)
    .orderBy('in_force_from')
    .orderBy('id')
    .compile(),
);

/** Stores an answer that needs nobody else; resolves with its id, or null if there is one to the same already. */
export async function insertAnswer(
  db: Database | Trx,
  { clock, fingerprint, actor }: Pick<AnswerDeps, 'clock' | 'fingerprint' | 'actor'>,
  { integrationId, about, subject, decision, openedUntil }: Answer,
  inForceFrom: number,
): Promise<string | null> {
  const now = clock.now();
  const id = newId(now);
  const place = { id, integration_id: integrationId, crm_id: null };
  const { numInsertedOrUpdatedRows } = await db
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

function toWithdrawable(row: AnswerRow): WithdrawableAnswer {
  return { ...toAnswer(row), id: row.id, inForceFrom: row.in_force_from ?? 0 };
}

type Deciders = ReturnType<typeof createDeciders>;

/** What decides for the one who said so, whose name the audit has. */
function createDeciders({ db, clock, fingerprint, erasures }: AnswerDeps, by: Actor) {
  const record = auditRecorder({ clock, fingerprint, actor: by });
  return {
    ...questionQueries(db, clock, fingerprint, record, erasures),
    ...batchQueries(db, clock, record),
  };
}

/** What was decided meanwhile by another way stays as it is. */
async function decide(
  questions: Deciders,
  { integrationId, about, subject, decision, openedUntil }: Answer,
): Promise<void> {
  if (about === 'batch') {
    if (decision !== 'resubmitted') await questions.decideBatch(subject, decision, openedUntil);
  } else if (about === 'reason') {
    const until = openedUntil ?? 0;
    for await (const question of questions.listOfReason(integrationId, subject, until)) {
      await questions.decide(question, decision);
    }
  } else {
    const question = await questions.find(subject);
    if (question) await questions.decide(question, decision);
  }
}

/** Bound to the contact as well: with its id exchanged, a row would erase another one. */
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
