/** Shows a contact's status on a CRM's card. Linked users also see the values. */
import { z } from 'zod';
import { isoTime } from '../../core/clock.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { outcomeText } from '../../core/outcome.ts';
import { mayActAs, type Role } from '../../core/role.ts';
import { readShownNames, shownNamesSchema } from '../../decisions/shown-names.ts';
import { listQuestionsOfContact, type Question } from '../../decisions/statements/questions.ts';
import { describeQuestion, listChoices } from '../../decisions/views/question.ts';
import { noteEntries } from '../../privacy/audit/record.ts';
import { findWaitingFor } from '../../sync/statements/run-requests.ts';
import { readContact } from '../contact/read-contact.ts';
import { toTime } from '../contact/to-time.ts';
import { showContact } from '../contacts.ts';
import { decideHold } from '../decide.ts';
import type { Caller } from '../kit/caller.ts';
import { findClient } from '../kit/clients.ts';
import { type ActingWorld, acting } from '../kit/operation.ts';
import { startRun } from '../start-run.ts';
import { isAnsweredHere } from './answer.ts';
import { findOwnContact, type OwnContact } from './own-contact.ts';

/** The input that identifies a contact in a CRM. */
export const contactInput = {
  integration: z.string().describe('The ID of the client'),
  contact: z.string().min(1).max(255).describe('The ID of the contact in the CRM'),
};

const time = z.iso.datetime().nullable();

const questionSchema = z.object({
  id: z.string(),
  reason: z.string().describe('Why the contact waits, without names'),
  since: z.iso.datetime(),
  names: shownNamesSchema.nullable().describe('Null if the question is not about names'),
  answers: z
    .array(z.object({ decision: z.string(), label: z.string() }))
    .describe('The answers that this caller may give here; the others are given in donor-sync'),
});

const valuesSchema = z.object({
  name: z.string().nullable(),
  problem: z.string().nullable().describe('Why the CRM could not be read'),
  keptBack: z.string().nullable().describe('Why no values are shown'),
  profile: z
    .array(z.object({ name: z.string(), lines: z.array(z.string()), isLink: z.boolean() }))
    .describe('The values of the kept profile'),
  introductions: z.array(z.object({ sentence: z.string(), strength: z.number().nullable() })),
  question: questionSchema.nullable(),
});

/** A contact in the form that a CRM's card shows. */
export const doorContactSchema = z.object({
  integration: z.string(),
  contact: z.string().describe('The ID of the contact in its canonical form'),
  state: z.enum(['known', 'new', 'gone']).describe('`new`: no run has read the contact yet'),
  status: z.string().nullable().describe('What the last run did with it, as text'),
  statusAt: time,
  paidAt: time.describe('When a credit was last spent on it'),
  wanted: z
    .object({ run: z.string(), since: z.iso.datetime(), isRunning: z.boolean() })
    .nullable()
    .describe('The mark as wanted; null once the run has decided'),
  hasQuestion: z.boolean().describe('True if the contact waits for a decision'),
  mayEnhance: z.boolean().describe('True if this caller may mark the contact as wanted'),
  values: valuesSchema.nullable().describe('Null for callers who may see only the status'),
});

export type DoorContact = z.output<typeof doorContactSchema>;

/**
 * Shows a contact. If the caller lacks the reader role, the card shows only the status, which contains no data about
 * the person.
 */
export const showAtDoor = acting({
  name: 'doors contact',
  summary: 'Show the status of a contact and, to readers, its values',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object(contactInput),
  subjects: ['integration', 'contact'],
  result: doorContactSchema,
  async run(world, { integration, contact }) {
    const client = findClient(world, integration);
    const own = await findOwnContact(world, client, contact);
    return {
      ...(await readStatus(world, client, own)),
      mayEnhance: mayMark(world.caller) && !own.isOutside,
      values: maySee(world.caller) ? await readValues(world, client, own) : null,
    };
  },
  say: ({ status }) => status ?? 'No run has read this contact yet.',
});

/**
 * True if the caller may mark contacts to be enhanced. A CRM that calls without a user needs no role, because its door
 * token decides.
 */
export function mayMark(caller: Caller): boolean {
  return caller.kind === 'token' || hasRole(caller, startRun.role);
}

function maySee(caller: Caller): boolean {
  return caller.kind === 'person' && hasRole(caller, showContact.role);
}

function hasRole({ role }: Caller, needed: Role): boolean {
  return role !== null && mayActAs(role, needed);
}

async function readStatus(
  { reader }: Pick<ActingWorld, 'reader'>,
  client: Integration,
  { crmId, record }: OwnContact,
) {
  const waiting = await findWaitingFor(reader, client.id, crmId);
  const isGone = record?.state === 'removed';
  return {
    integration: client.id,
    contact: crmId,
    state: record === null ? ('new' as const) : isGone ? ('gone' as const) : ('known' as const),
    status: record === null ? null : outcomeText(record.outcomeReason),
    statusAt: toTime(record?.outcomeAt ?? null),
    paidAt: toTime(record?.askedAt ?? null),
    hasQuestion: record?.state === 'held',
    wanted:
      waiting === null
        ? null
        : {
            run: waiting.runId,
            since: isoTime(waiting.requestedAt),
            isRunning: waiting.leftAt !== null,
          },
  };
}

async function readValues(
  world: ActingWorld,
  client: Integration,
  { crmId, isErased }: OwnContact,
): Promise<z.output<typeof valuesSchema> | null> {
  if (isErased) return null;
  const shown = await readContact(world, client, crmId);
  const [question] = await listQuestionsOfContact(world.reader, client.id, crmId);
  const asked = question === undefined ? null : await describeAsked(world, question);
  const names = [shown.name, ...shown.introductions.map(({ name }) => name), asked?.names?.profile];
  const details = { names: new Set(names.filter((name) => name != null)).size };
  await noteEntries(world.store.act, [
    { action: 'contact.shown', integrationId: client.id, crmId, details },
  ]);
  return {
    name: shown.name,
    problem: shown.problem,
    keptBack: shown.keptBack?.text ?? null,
    profile: (shown.profile?.values ?? []).map(({ name, lines, isLink }) => ({
      name,
      lines: [...lines],
      isLink,
    })),
    introductions: shown.introductions.map(({ sentence, strength }) => ({ sentence, strength })),
    question: asked,
  };
}

async function describeAsked(
  world: ActingWorld,
  question: Question,
): Promise<z.output<typeof questionSchema>> {
  const { id, reason, since } = describeQuestion(question);
  const names = await readShownNames(world.application, [question], world.signal);
  const mayAnswer = hasRole(world.caller, decideHold.role) && isAnsweredHere(question);
  const choices = mayAnswer ? listChoices(question) : [];
  return {
    id,
    reason,
    since,
    names: names.get(id) ?? null,
    answers: choices.map(({ decision, label }) => ({ decision, label })),
  };
}
