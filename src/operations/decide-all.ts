/** Deciding all contacts of a client that wait for the same reason. */
import { z } from 'zod';
import { ConfigurationError } from '../core/errors.ts';
import { describeCount } from '../core/quantities.ts';
import type { Reader } from '../database/reader.ts';
import { DECIDED } from '../decisions/decide.ts';
import { approvalOfReason, askSecondPerson } from '../decisions/second-person/ask.ts';
import { listQuestionsOfReason } from '../decisions/statements/batches.ts';
import { applyDueAnswers, insertAnswer } from '../decisions/statements/withdrawable-answers.ts';
import { approvalSchema, describeApproval } from '../decisions/views/approval.ts';
import { type DecisionWord, decisionsAtOnce, HOLD_DECISIONS } from '../decisions/views/kinds.ts';
import { findClient } from './kit/clients.ts';
import { acting, type World } from './kit/operation.ts';

const inputSchema = z.object({
  integration: z.string().describe('The ID of the client'),
  reason: z.string().describe('Why they wait, as the list of decisions shows it: name_mismatch'),
  decision: z.enum(HOLD_DECISIONS).describe('The answer for all of them'),
});

type Input = z.output<typeof inputSchema>;

const resultSchema = z.object({
  integration: z.string(),
  reason: z.string(),
  decision: z.enum(HOLD_DECISIONS),
  contacts: z.int().describe('How many contacts were decided'),
  credits: z.int().describe('What the next run spends on them at most'),
  approval: approvalSchema.nullable().describe('Not null: it waits for a second user first'),
});

export const decideAll = acting({
  name: 'holds all',
  summary: 'Decide all contacts of a client that wait for the same reason',
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
      resubmit: `Submit ${who} of "${input.integration}" again? The next run spends ${price} at most.`,
    };
    return { text: texts[input.decision], counts: { contacts, credits } };
  },
  async run({ store, caller, application, clock, ...world }, input) {
    const { integration, reason, decision } = input;
    const { contacts, credits } = await countWaiting(
      { ...world, clock, reader: store.reader },
      input,
    );
    const openedUntil = clock.now();
    const subject = { subject: reason, integrationId: integration, openedUntil };
    const request = approvalOfReason(decision, subject);
    const about = request && { request, integrationId: integration };
    const deps = { application: { ...application, store } };
    const waiting = about && (await askSecondPerson(deps, caller, about));
    const outcome = { integration, reason, decision, contacts, credits };
    if (waiting !== null) return { ...outcome, contacts: 0, approval: describeApproval(waiting) };
    const answer = { ...subject, about: 'reason', decision: DECIDED[decision] } as const;
    const id = await store.act((trx) => insertAnswer(trx, answer, openedUntil));
    if (id === null) throw decidedAlready();
    await applyDueAnswers(store);
    return { ...outcome, approval: null };
  },
  say: ({ contacts, approval }) =>
    approval === null
      ? `Decided: ${describeCount(contacts, 'contact')}. The next run acts on it.`
      : `Nothing has been decided yet: this waits for a second user. ${approval.text}`,
  ending: ({ approval }) => (approval === null ? 'done' : 'stopped'),
});

/** Throws a ConfigurationError: `unknown` for a client out of reach, `conflict` where nothing waits or may be decided so. */
async function countWaiting(
  world: Pick<World, 'clients' | 'clock'> & { reader: Reader },
  { integration, reason, decision }: Input,
): Promise<{ contacts: number; credits: number }> {
  findClient(world, integration);
  const possible = decisionsAtOnce(reason);
  if (!possible.includes(decision)) {
    throw new ConfigurationError(
      possible.length === 0
        ? `Contacts that wait because of "${reason}" can only be decided one by one. Nothing was changed. List them: donor-sync holds`
        : `Contacts that wait because of "${reason}" cannot all be decided with "${decision}". Nothing was changed. Possible: ${possible.join(', ')}`,
      { code: 'hold_not_decidable', refusal: 'conflict' },
    );
  }
  let contacts = 0;
  const until = world.clock.now();
  for await (const _ of listQuestionsOfReason(world.reader, integration, reason, until))
    contacts += 1;
  if (contacts === 0) {
    throw new ConfigurationError(
      `No contact of "${integration}" waits because of "${reason}". Nothing was changed. List what waits: donor-sync holds`,
      { code: 'hold_decided', refusal: 'conflict' },
    );
  }
  return { contacts, credits: decision === 'resubmit' ? contacts : 0 };
}

function decidedAlready(): ConfigurationError {
  return new ConfigurationError(
    'Another user has just decided these contacts, and that decision takes effect first. Nothing was changed. Look at what still waits: donor-sync holds',
    { code: 'hold_decided', refusal: 'conflict' },
  );
}
