/** Decides about all contacts of a client that wait for the same reason. */
import { z } from 'zod';
import type { ConfigurationError } from '../core/errors.ts';
import { describeCount } from '../core/quantities.ts';
import { DECIDED, type DecisionWord, HOLD_DECISIONS } from '../core/questions/decisions.ts';
import { decisionsAtOnce, requireReason } from '../core/questions/question-kinds.ts';
import { holdDecided, refuseAnswered } from '../decisions/decided-by.ts';
import { approvalOfReason } from '../decisions/second-person/ask.ts';
import { listQuestionsOfReason } from '../decisions/statements/batches.ts';
import { applyDueAnswers, insertAnswer } from '../decisions/statements/withdrawable-answers.ts';
import { approvalSchema } from '../decisions/views/approval.ts';
import {
  answerSchema,
  describeGiven,
  give,
  openedUntil,
  undecidable,
  withdrawable,
} from './decide.ts';
import { findClient } from './kit/clients.ts';
import { type ActingWorld, acting, type World } from './kit/operation.ts';
import { describeWaiting, waitForSecond } from './second-person.ts';

const inputSchema = z.object({
  integration: z.string().describe('The ID of the client'),
  reason: z.string().describe('The reason from the list of decisions, for example name_mismatch'),
  decision: z
    .enum(HOLD_DECISIONS, { error: `Choose ${HOLD_DECISIONS.join(', ')}.` })
    .describe('The answer for all of them'),
  openedUntil,
  withdrawable,
});

type Input = z.output<typeof inputSchema>;

const resultSchema = z.object({
  integration: z.string(),
  reason: z.string(),
  decision: z.enum(HOLD_DECISIONS),
  contacts: z.int().describe('How many contacts were decided'),
  credits: z.int().describe('The most credits that the next run spends on the contacts'),
  approval: approvalSchema
    .nullable()
    .describe('The request that waits for a second user; null if none is needed'),
  answer: answerSchema
    .optional()
    .describe('The answer, if it can be withdrawn and has not taken effect yet'),
});

export const decideAll = acting({
  name: 'holds all',
  summary: 'Decide all contacts of a client that are waiting for the same reason',
  role: 'decider',
  reach: 'some',
  by: 'person+token',
  input: inputSchema,
  subjects: ['integration', 'reason', 'decision'],
  result: resultSchema,
  async question(world, input) {
    const { contacts, credits } = await countWaiting(world, input);
    const [who, price] = [describeCount(contacts, 'contact'), describeCount(credits, 'credit')];
    const texts: Readonly<Record<DecisionWord, string>> = {
      approve: `Write the profiles of ${who} of "${input.integration}"? It costs no credit.`,
      reject: `Leave ${who} of "${input.integration}" as they are? It costs no credit.`,
      resubmit: `Submit ${who} of "${input.integration}" again? The next run spends at most ${price}.`,
    };
    return { text: texts[input.decision], counts: { contacts, credits } };
  },
  async run(world, input) {
    const { integration, reason, decision } = input;
    const { contacts, credits } = await countWaiting(world, input);
    const subject = {
      subject: reason,
      integrationId: integration,
      openedUntil: latest(world, input),
    };
    const outcome = { integration, reason, decision, contacts, credits };
    const request = approvalOfReason(decision, subject);
    const approval = await waitForSecond(world, request, integration);
    if (approval !== null) return { ...outcome, contacts: 0, approval };
    const answer = { ...subject, about: 'reason', decision: DECIDED[decision] } as const;
    if (input.withdrawable) {
      const given = await give(world, answer);
      if (given === null) throw await decidedFirst(world, input);
      return { ...outcome, approval, answer: given };
    }
    const now = world.clock.now();
    const id = await world.store.act((trx) => insertAnswer(trx, answer, now));
    if (id === null) throw await decidedFirst(world, input);
    await applyDueAnswers(world.store);
    return { ...outcome, approval };
  },
  say({ contacts, approval, answer }) {
    if (approval !== null) return describeWaiting(approval);
    if (answer !== undefined) return describeGiven(answer);
    return `Decided: ${describeCount(contacts, 'contact')}. The next run carries it out.`;
  },
  ending: ({ approval }) => (approval === null ? 'done' : 'stopped'),
});

/**
 * Counts the waiting contacts. Throws a ConfigurationError: `unknown` without access, and `conflict` if no contact
 * waits or the answer is impossible.
 */
async function countWaiting(
  world: Pick<World, 'clients' | 'clock' | 'reader'>,
  input: Input,
): Promise<{ contacts: number; credits: number }> {
  const { integration, reason, decision } = input;
  findClient(world, integration);
  requireReason(reason);
  const possible = decisionsAtOnce(reason);
  if (!possible.includes(decision)) {
    throw undecidable(
      possible.length === 0
        ? `Contacts that are waiting because of "${reason}" can only be decided individually. Nothing was changed. List them: donor-sync holds`
        : `Contacts that are waiting because of "${reason}" cannot all be decided with "${decision}". Nothing was changed. Possible: ${possible.join(', ')}`,
    );
  }
  let contacts = 0;
  const until = latest(world, input);
  for await (const _ of listQuestionsOfReason(world.reader, integration, reason, until))
    contacts += 1;
  if (contacts === 0) {
    throw holdDecided(
      `No contact of "${integration}" is waiting because of "${reason}". Nothing was changed. List the open decisions: donor-sync holds`,
    );
  }
  return { contacts, credits: decision === 'resubmit' ? contacts : 0 };
}

/** Returns the time limit for the decisions to answer. Decisions that were opened later are excluded. */
function latest({ clock }: Pick<World, 'clock'>, { openedUntil }: Input): number {
  const now = clock.now();
  return openedUntil === undefined ? now : Math.min(Date.parse(openedUntil), now);
}

/** Returns the name of the user who decided first, if the answers can still be withdrawn. */
async function decidedFirst(
  world: ActingWorld,
  { integration: integrationId, reason: id }: Input,
): Promise<ConfigurationError> {
  await refuseAnswered(world, { about: 'reason', id, integrationId });
  return holdDecided(
    'Another user has just decided about these contacts, and that decision takes effect first. Nothing was changed. List the open decisions: donor-sync holds',
  );
}
