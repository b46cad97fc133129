/**
 * Lists and withdraws answers that have not taken effect yet. Users gave the withdrawable answers on a page or with
 * `withdrawable`.
 */
import { z } from 'zod';
import { ACTOR_KINDS } from '../core/actor.ts';
import { isoTime } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { describeCount } from '../core/quantities.ts';
import {
  findWithdrawableAnswer,
  listGivenAnswers,
  recordWithdrawal,
  type WithdrawableAnswer,
} from '../decisions/statements/withdrawable-answers.ts';
import { actorText } from '../privacy/audit-view.ts';
import { answerSchema } from './decide.ts';
import { hasAccess } from './find-decision.ts';
import { changing, reading } from './kit/operation.ts';

const givenSchema = answerSchema
  .extend({
    by: z.object({
      kind: z.enum(ACTOR_KINDS),
      name: z.string().nullable(),
      from: z.string().nullable(),
    }),
  })
  .meta({ id: 'GivenAnswer' });

export const listAnswers = reading({
  name: 'holds answers',
  summary: 'List the answers that can still be withdrawn, the oldest first',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  result: z.object({ answers: z.array(givenSchema) }),
  async run(world) {
    const answers = await listGivenAnswers(world);
    return {
      answers: answers
        .filter(({ integrationId }) => hasAccess(world, integrationId))
        .map((answer) => ({ ...describeAnswer(answer), by: answer.by })),
    };
  },
  say: ({ answers }) => `${describeCount(answers.length, 'answer')}.`,
  table: ({ answers }) => ({
    empty: 'No answer can be withdrawn, because all of them have taken effect.',
    headers: ['Client', 'Decision', 'Answer', 'By', 'Takes effect', 'ID'],
    rows: answers.map(({ integration, about, subject, decision, by, countsFrom, id }) => [
      integration,
      about === 'reason' ? `all with ${subject}` : { id: subject },
      ...[decision, actorText(by)],
      { on: countsFrom },
      id,
    ]),
  }),
});

export const withdrawAnswer = changing({
  name: 'holds withdraw',
  summary: 'Withdraw an answer that has not taken effect yet, as if it had never been given',
  role: 'decider',
  reach: 'some',
  by: 'person+token',
  input: z.object({ answer: z.string().describe('The ID of the answer') }),
  subjects: ['answer'],
  result: z.object({ withdrawn: answerSchema }),
  async run(world, { answer: id }) {
    const answer = await findWithdrawableAnswer(world.reader, id);
    if (answer === undefined || !hasAccess(world, answer.integrationId)) throw tooLate(id);
    if (!(await recordWithdrawal(world.trx, answer))) throw tooLate(id);
    return { withdrawn: describeAnswer(answer) };
  },
  say: () => 'The answer was withdrawn. The decision is open again.',
});

function describeAnswer({
  id,
  integrationId: integration,
  about,
  subject,
  decision,
  inForceFrom,
}: WithdrawableAnswer): z.output<typeof answerSchema> {
  return { id, integration, about, subject, decision, countsFrom: isoTime(inForceFrom) };
}

/**
 * Creates the error for an answer that can no longer be withdrawn. An answer is deleted when it takes effect, so the
 * error is the same for an answer that never existed.
 */
function tooLate(id: string): ConfigurationError {
  return new ConfigurationError(
    `No answer "${id}" can be withdrawn: it has already taken effect, was withdrawn, or never existed. Nothing was changed. List the answers that can be withdrawn: donor-sync holds answers`,
    { code: 'answer_unknown', refusal: 'unknown', details: { answer: id } },
  );
}
