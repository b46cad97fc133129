/** The texts for a decision about all contacts with the same reason. */
import { describeCount } from '../../../core/quantities.ts';
import type { DecisionWord } from '../../../core/questions/decisions.ts';
import { decisionsAtOnce } from '../../../core/questions/question-kinds.ts';

export interface BulkWords {
  decision: DecisionWord;
  label: string;
  title: string;
  consequence: string;
  answer: string;
}

/** Returns the texts of the buttons. Each button shows the effect and the cost of its decision. */
export function bulkWords(reason: string, count: number): BulkWords[] {
  return decisionsAtOnce(reason).map((decision) => ({
    decision,
    ...WORDS[decision](describeCount(count, 'contact'), describeCount(count, 'credit')),
  }));
}

type Words = Omit<BulkWords, 'decision'>;

const WORDS: Readonly<Record<DecisionWord, (contacts: string, credits: string) => Words>> = {
  approve: (contacts) => ({
    label: 'Approve all (no credit)',
    title: `Write the profiles of ${contacts}?`,
    consequence:
      'The next sync writes each profile to its contact, without comparing their names again.',
    answer: `Approve all ${contacts}`,
  }),
  reject: (contacts) => ({
    label: 'Reject all (no credit)',
    title: `Leave ${contacts} as they are?`,
    consequence: 'Nothing is written to them, and they are not submitted again automatically.',
    answer: `Reject all ${contacts}`,
  }),
  resubmit: (contacts, credits) => ({
    label: `Ask again about all (${credits})`,
    title: `Spend ${credits}?`,
    consequence: `The next sync submits ${contacts} again and spends at most ${credits}.`,
    answer: `Ask again about all ${contacts}`,
  }),
};
