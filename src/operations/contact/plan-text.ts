/** Describes in words what a run would do with a contact. All functions are pure. */
import type { z } from 'zod';
import { outcomeText } from '../../core/outcome.ts';
import { dueText } from '../../sync/views/due-text.ts';
import type { planClient } from '../plan.ts';

type Plan = z.output<typeof planClient.result>;

export interface ContactPlan {
  credits: 0 | 1 | null;
  text: string;
}

export function describeContactPlan({ enhance, leave, credits, heldSince }: Plan): ContactPlan {
  const [reason] = Object.keys(enhance);
  if (reason === undefined) {
    const [why] = Object.keys(leave);
    const because =
      why === undefined ? 'the CRM does not currently have this contact' : outcomeText(why);
    return { credits: null, text: `A run would not enhance this contact, because ${because}.` };
  }
  if (reason === 'profile_shared') {
    return { credits: 0, text: `Costs nothing: ${dueText(reason)}.` };
  }
  if (heldSince !== null) {
    const text = `A run would not enhance this contact: since ${heldSince.slice(0, 10)} no credits are spent until a user agrees.`;
    return { credits: null, text };
  }
  const { allowed, limit } = credits.enhancements;
  if (allowed === 0) {
    const because = limit ?? 'no credit may currently be spent';
    return { credits: null, text: `A run would not enhance this contact, because ${because}.` };
  }
  return { credits: 1, text: `Costs 1 credit: this contact ${toSentencePart(dueText(reason))}.` };
}

/** Converts a reason into the last part of a sentence about the contact. */
function toSentencePart(text: string): string {
  return text.startsWith('was ') ? text : `is due, because ${text}`;
}
