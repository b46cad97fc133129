/** Answers a decision on a CRM's card, for a linked user. */
import { z } from 'zod';
import { ConfigurationError } from '../../core/errors.ts';
import { HOLD_DECISIONS } from '../../core/questions/decisions.ts';
import { CONTACT_KINDS } from '../../core/questions/question-kinds.ts';
import type { Question } from '../../decisions/statements/questions.ts';
import { decideHold } from '../decide.ts';
import { findHold, unknownHold } from '../find-decision.ts';
import { findClient } from '../kit/clients.ts';
import { acting } from '../kit/operation.ts';
import { describeWaiting } from '../second-person.ts';
import { findOwnContact } from './own-contact.ts';

export const answeredSchema = z.object({
  answered: z.boolean().describe('False if a second user has to confirm the answer in donor-sync'),
  text: z.string().describe('What happens next'),
});

/**
 * True if a card can answer the decision. A card answers only decisions about one contact. Erasures and batches need a
 * signed-in user, who sees all details.
 */
export function isAnsweredHere(question: Question): boolean {
  if (question.about !== 'contact') return false;
  return CONTACT_KINDS[question.kind].isAnsweredInCrm && question.batch === null;
}

/**
 * Answers a decision. The same rules apply as in donor-sync: the user needs the role, and a second user may be
 * required. A card never confirms another user's request.
 */
export const answerAtDoor = acting({
  name: 'doors answer',
  summary: 'Answer the question about a contact',
  role: decideHold.role,
  reach: 'some',
  by: 'person',
  input: z.object({
    integration: z.string().describe('The ID of the client'),
    contact: z.string().min(1).max(255).describe('The ID of the contact in the CRM'),
    question: z.string().describe('The ID of the question'),
    decision: z.enum(HOLD_DECISIONS),
  }),
  subjects: ['integration', 'contact', 'question'],
  result: answeredSchema,
  async run(world, { integration, contact, question: id, decision }) {
    const client = findClient(world, integration);
    const { crmId } = await findOwnContact(world, client, contact);
    const question = await findHold(world, id);
    const isOfContact = question.about === 'contact' && question.crmId === crmId;
    // A card does not know decisions about other contacts.
    if (!isOfContact || question.integrationId !== client.id) throw unknownHold(id);
    if (!isAnsweredHere(question)) throw answeredElsewhere(id);
    const result = await decideHold.run(world, { id, decision, withdrawable: false });
    if ('approval' in result) {
      return { answered: false, text: describeWaiting(result.approval).join(' ') };
    }
    return { answered: true, text: [decideHold.say(result)].flat().join(' ') };
  },
  say: ({ text }) => text,
});

function answeredElsewhere(id: string): ConfigurationError {
  return new ConfigurationError(
    `The decision "${id}" cannot be made from the CRM, because it erases data or affects many contacts. Nothing was changed. Decide in donor-sync, on the Decisions page.`,
    { code: 'hold_not_at_door', refusal: 'conflict', details: { hold: id } },
  );
}
