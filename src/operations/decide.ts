import { z } from 'zod';
import { isoTime } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { describeCount, formatTimestamp } from '../core/quantities.ts';
import {
  BATCH_DECISIONS,
  DECIDED,
  type DecisionWord,
  HOLD_DECISIONS,
  QUESTION_DECISIONS,
  toDecisionWord,
} from '../core/questions/decisions.ts';
import { CONTACT_KINDS, isKind } from '../core/questions/question-kinds.ts';
import { personNeeded } from '../core/shared-errors.ts';
import { decideBatch, decideQuestion, requireBatchDecision } from '../decisions/decide.ts';
import { decidedAlready, refuseAnswered } from '../decisions/decided-by.ts';
import { approvalOfBatch, toApprovalRequest } from '../decisions/second-person/ask.ts';
import type { QuestionBatch } from '../decisions/statements/batches.ts';
import { ERASURE_KIND } from '../decisions/statements/erasure-requests.ts';
import { findQuestion, type Question } from '../decisions/statements/questions.ts';
import {
  type Answer,
  giveAnswer,
  WITHDRAWABLE_MS,
} from '../decisions/statements/withdrawable-answers.ts';
import { approvalSchema } from '../decisions/views/approval.ts';
import {
  decisionsFor,
  describeQuestion,
  listChoices,
  listDecidedTexts,
  refusalText,
} from '../decisions/views/question.ts';
import { findHold, findOpenBatch } from './find-decision.ts';
import { holdSchema } from './holds.ts';
import { type ActingWorld, acting } from './kit/operation.ts';
import { describeWaiting, waitForSecond } from './second-person.ts';

export const openedUntil = z.iso
  .datetime({ error: 'Enter the time in ISO 8601, such as 2026-11-29T02:00:00Z' })
  .optional()
  .describe('Only decisions that were open at this time (ISO 8601); all if left out');

export const withdrawable = z
  .boolean()
  .default(false)
  .describe(
    'Delay the answer: it can be withdrawn for ten seconds, or until the next run starts, and it takes effect only after that',
  );

export const answerSchema = z
  .object({
    id: z.string(),
    integration: z.string(),
    about: z.enum(['contact', 'network', 'batch', 'reason']),
    subject: z.string().describe('The ID of the decision or the batch, or the reason'),
    decision: z.enum(QUESTION_DECISIONS),
    countsFrom: z.iso
      .datetime()
      .describe('The answer can be withdrawn until then, unless the next run starts earlier'),
  })
  .meta({ id: 'Answer' });

const waiting = z.object({ approval: approvalSchema });
const given = z.object({ answer: answerSchema });

const DECISION = z.enum(HOLD_DECISIONS, {
  error: `Choose ${HOLD_DECISIONS.join(', ')}.`,
});

export const decideHold = acting({
  name: 'holds decide',
  summary: 'Decide about one contact or network',
  details:
    "The possible answers are in the decision's `decisions`. `approve`: the profile belongs to this contact, or the network may change; the next run acts on it. `reject`: the contact or the network stays as it is. `resubmit`: the next run submits the contact again, for another credit.",
  role: 'decider',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    id: z.string().describe('The ID of the decision'),
    decision: DECISION.describe('The answer'),
    withdrawable,
  }),
  subjects: ['id', 'decision'],
  result: z.union([z.object({ hold: holdSchema }), waiting, given]),
  async run(world, { id, decision, withdrawable: isWithdrawable }) {
    const question = await findDecidable(world, id, decision);
    const request = toApprovalRequest(decision, [question]);
    const approval = await waitForSecond(world, request, question.integrationId);
    if (approval !== null) return { approval };
    if (isWithdrawable) {
      const { about, integrationId } = question;
      const open = { openedUntil: null, decision: DECIDED[decision] };
      const answer = await give(world, { about, subject: id, integrationId, ...open });
      if (answer === null) throw await decidedMeanwhile(world, question);
      return { answer };
    }
    if (!(await decideQuestion(world.store, question, decision))) {
      throw await decidedMeanwhile(world, question);
    }
    return { hold: { ...describeQuestion(question), decision: DECIDED[decision] } };
  },
  say(result) {
    if ('approval' in result) return describeWaiting(result.approval);
    if ('answer' in result) return describeGiven(result.answer);
    return describeDecided([result.hold]);
  },
  ending: (result) => ('approval' in result ? 'stopped' : 'done'),
});

const SUMMARIES: Readonly<Record<DecisionWord, string>> = {
  approve:
    'Approve: the profile belongs to this contact, or the network may change; the next run acts on it',
  reject: 'Reject: the contacts or networks stay as they are',
  resubmit: 'Submit the contacts again, for another credit each',
};

/** Answers several decisions in one step. Either all answers are stored or none. */
function decideSeveral(word: DecisionWord) {
  return acting({
    name: `holds ${word}`,
    summary: SUMMARIES[word],
    role: 'decider',
    reach: 'some',
    by: 'person+token',
    input: z.object({
      holds: z
        .array(z.string())
        .min(1, 'Name at least one decision.')
        .max(500, 'Name at most 500 decisions at once.')
        .describe('The IDs of the decisions'),
    }),
    subjects: [],
    arguments: ['holds'],
    result: z.union([
      z.object({
        holds: z.array(holdSchema),
        late: z
          .array(z.object({ id: z.string(), message: z.string() }))
          .optional()
          .describe('The decisions that another user made first, if any'),
      }),
      waiting,
    ]),
    async run(world, { holds: ids }) {
      const questions: Question[] = [];
      for (const id of new Set(ids)) questions.push(await findDecidable(world, id, word));
      const [first] = questions;
      if (first === undefined) throw new Error('The input has at least one decision.');
      const request = toApprovalRequest(word, questions);
      const approval = await waitForSecond(world, request, first.integrationId);
      if (approval !== null) return { approval };
      const decided: Question[] = [];
      const late: ConfigurationError[] = [];
      for (const question of questions) {
        if (await decideQuestion(world.store, question, word)) decided.push(question);
        else late.push(await decidedMeanwhile(world, question));
      }
      if (decided.length === 0 && late[0] !== undefined) throw late[0];
      return {
        holds: decided.map((one) => ({ ...describeQuestion(one), decision: DECIDED[word] })),
        ...(late.length > 0 && {
          late: late.map(({ message, details }) => ({ id: String(details['hold']), message })),
        }),
      };
    },
    say: (result) =>
      'approval' in result ? describeWaiting(result.approval) : describeDecided(result.holds),
    remarks: (result) =>
      'late' in result ? (result.late ?? []).map(({ message }) => message) : [],
    ending: (result) => ('approval' in result ? 'stopped' : 'done'),
  });
}

export const approveHolds = decideSeveral('approve');
export const rejectHolds = decideSeveral('reject');
export const resubmitHolds = decideSeveral('resubmit');

const decidedBatchSchema = z
  .object({
    id: z.string(),
    integration: z.string(),
    decision: z.enum(['approved', 'rejected']),
    count: z
      .int()
      .describe('Number of contacts decided by this request, excluding contacts decided earlier'),
    credits: z.int().describe('The most credits that the next run spends because of the decision'),
  })
  .meta({ id: 'DecidedHoldBatch' });

const batchResult = z.union([z.object({ batch: decidedBatchSchema }), waiting, given]);

export const decideHoldBatch = acting({
  name: 'holds batch',
  summary: 'Decide about all contacts of a batch',
  details:
    'A batch contains, for example, contacts whose details changed at the same time. `approve`: the next run submits them again, for a credit each. `reject`: they are still the same people, and no credit is spent. You can repeat a request that was cut off: it continues with the contacts that are still open.',
  role: 'decider',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    id: z.string().describe('The ID of the batch'),
    decision: z
      .enum(BATCH_DECISIONS, { error: `Choose ${BATCH_DECISIONS.join(' or ')} for a batch.` })
      .describe('The answer'),
    openedUntil,
    withdrawable,
  }),
  subjects: ['id', 'decision'],
  result: batchResult,
  async run(world, { id, decision, openedUntil: seen, withdrawable: isWithdrawable }) {
    const batch = await findOpenBatch(world, id);
    const until = seen === undefined ? batch.until : Math.min(Date.parse(seen), batch.until);
    requireBatchDecision(batch, decision);
    requirePersonToErase(world, batch.kind, decision, `holds batch ${id} ${decision}`);
    const { integrationId } = batch;
    await refuseAnswered(world, { about: 'batch', id, integrationId });
    const request = approvalOfBatch(decision, batch);
    const approval = await waitForSecond(world, request, integrationId);
    if (approval !== null) return { approval };
    if (isWithdrawable) {
      const open = { openedUntil: until, decision: DECIDED[decision] };
      const answer = await give(world, { about: 'batch', subject: id, integrationId, ...open });
      if (answer !== null) return { answer };
      await refuseAnswered(world, { about: 'batch', id, integrationId });
      throw new Error('The answer that was first is gone.');
    }
    const decided = await decideBatch(world.store.act, { ...batch, until }, decision);
    return { batch: { ...decided, decision: DECIDED[decision] } };
  },
  say: (result) => describeBatchDecision(result, null),
  ending: (result) => ('approval' in result ? 'stopped' : 'done'),
});

/** Describes the answer to a batch. The kind of the batch adds its own consequences to the answer. */
export function describeBatchDecision(
  result: z.output<typeof batchResult>,
  kind: QuestionBatch['kind'] | null,
): string | string[] {
  if ('approval' in result) return describeWaiting(result.approval);
  if ('answer' in result) return describeGiven(result.answer);
  const { decision, count, credits } = result.batch;
  if (kind !== null) {
    return CONTACT_KINDS[kind].decided(toDecisionWord(decision), count);
  }
  return `Decided: ${describeCount(count, 'contact')}. The next run spends at most ${describeCount(credits, 'credit')} on this.`;
}

/**
 * Finds the open decision for an answer. Throws a ConfigurationError: `unknown` if the decision does not exist, and
 * `conflict` if it is already answered or does not allow the answer.
 */
async function findDecidable(
  world: ActingWorld,
  id: string,
  word: DecisionWord,
): Promise<Question> {
  const question = await findHold(world, id);
  const { about, integrationId } = question;
  if (question.decision !== null) throw await decidedAlready(world, question);
  await refuseAnswered(world, { about, id, integrationId });
  if (!decisionsFor(question).includes(word)) throw notDecidable(question);
  requirePersonToErase(world, question.kind, word, `holds ${word} ${id}`);
  return question;
}

/**
 * Throws a ConfigurationError for an access token, because tokens cannot erase contacts. Therefore, tokens cannot
 * approve the CRM's erasure requests either.
 */
function requirePersonToErase(
  { caller }: Pick<ActingWorld, 'caller'>,
  kind: Question['kind'] | QuestionBatch['kind'],
  word: DecisionWord,
  command: string,
): void {
  if (caller.kind !== 'token' || kind !== ERASURE_KIND || word !== 'approve') return;
  throw personNeeded('approve that contacts are erased', command);
}

async function decidedMeanwhile(
  world: ActingWorld,
  question: Question,
): Promise<ConfigurationError> {
  const { id, about, integrationId } = question;
  await refuseAnswered(world, { about, id, integrationId });
  const now = (await findQuestion(world.reader, id)) ?? question;
  return now.decision === null ? notDecidable(now) : decidedAlready(world, now);
}

/** Creates the error for an answer that the decision does not allow. The message lists the possible answers. */
function notDecidable(question: Question): ConfigurationError {
  const { id, kind } = question;
  const choices = listChoices(question).map(
    ({ decision, label }) => `donor-sync holds ${decision} ${id} (${label})`,
  );
  const why = `${refusalText(question)} Nothing was changed. Possible: ${choices.join('; ')}`;
  if (kind !== 'lost_answer') return undecidable(why, { hold: id });
  return new ConfigurationError(why, {
    code: 'hold_without_profile',
    refusal: 'conflict',
    details: { hold: id },
  });
}

/** Creates the error for an impossible answer. `why` lists the possible answers. */
export function undecidable(
  why: string,
  details: Readonly<Record<string, string>> = {},
): ConfigurationError {
  return new ConfigurationError(why, { code: 'hold_not_decidable', refusal: 'conflict', details });
}

/** Stores an answer. Returns null if the decision already has an answer. */
export async function give(
  { store, carryOn }: Pick<ActingWorld, 'store' | 'carryOn'>,
  answer: Answer,
): Promise<z.output<typeof answerSchema> | null> {
  const { id, countsFrom } = await store.act(async (trx) => ({
    id: await giveAnswer(trx, answer),
    countsFrom: trx.clock.now() + WITHDRAWABLE_MS,
  }));
  if (id === null) return null;
  carryOn();
  const { integrationId: integration, about, subject, decision } = answer;
  return { id, integration, about, subject, decision, countsFrom: isoTime(countsFrom) };
}

export function describeGiven({ id, countsFrom }: z.output<typeof answerSchema>): string[] {
  return [
    `It takes effect at ${formatTimestamp(countsFrom)}, or earlier if the next run starts.`,
    `To withdraw it until then: donor-sync holds withdraw ${id}`,
  ];
}

/** Describes the answered decisions and their consequences. */
function describeDecided(holds: readonly z.output<typeof holdSchema>[]): string[] {
  return HOLD_DECISIONS.flatMap((word) =>
    listDecidedTexts(
      word,
      holds
        .filter(({ decision }) => decision === DECIDED[word])
        .flatMap(({ kind }) => (isKind(kind) ? [{ kind }] : [])),
    ),
  );
}
