/** Reads the names of contacts and networks to show them to users. donor-sync does not store or log these names. */

import { z } from 'zod';
import type { Application } from '../application.ts';
import { CONTACT_KINDS } from '../core/questions/question-kinds.ts';
import { nameText } from './contact-name.ts';
import { type HoldEvidence, readHoldEvidence } from './evidence.ts';
import type { Question } from './statements/questions.ts';

export const shownNamesSchema = z.object({
  contact: z.string().nullable().describe('The name in the CRM'),
  profile: z.string().nullable().describe('The name in the profile'),
  problem: z.string().nullable().describe('Why a name is missing'),
});
export type ShownNames = z.output<typeof shownNamesSchema>;

export async function readShownNames(
  application: Pick<Application, 'integrations' | 'open'>,
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<Map<string, ShownNames>> {
  const withProfile = questions.flatMap((question) =>
    question.about === 'contact' && CONTACT_KINDS[question.kind].hasProfile ? question : [],
  );
  const evidence = await readHoldEvidence(application, withProfile, signal);
  return new Map([...evidence].map(([id, one]) => [id, toShownNames(one)]));
}

function toShownNames({ contact, profile, problems }: HoldEvidence): ShownNames {
  const { first = null, middle = null, last = null } = profile?.name ?? {};
  return {
    contact: contact && nameText([contact.firstName, contact.lastName]),
    profile: profile && nameText([first, middle, last]),
    problem: problems.join('; ') || null,
  };
}

export function toTableTexts({ contact, profile }: ShownNames): { crm: string; profile: string } {
  return { crm: contact ?? '', profile: profile ?? '' };
}
