/**
 * A kind of question: why a contact or a network waits, what users read, which answers exist, and what each answer
 * does. Statements, pages, the terminal and the API read these definitions.
 */
import type { ReasonExplanation } from '../codes/reason-explanation.ts';
import { describeCount } from '../quantities.ts';
import type { BatchFacts } from './batch-facts.ts';
import type { BatchDecisionWord, DecisionWord } from './decisions.ts';

export interface Answer {
  /** The label of a button, or of a command option. */
  label: string;
  /** The consequences, in whole sentences. */
  effect: string;
}

/** The changes that an answer can make to a contact. All but `confirmedGone` are events of the contact's life. */
export type AnswerEvent =
  | 'changeApproved'
  | 'changeRejected'
  | 'maybePaidApproved'
  | 'maybePaidRejected'
  | 'distinguished'
  | 'confirmedErased'
  | 'blankingDecided'
  | 'profileApproved'
  | 'profileRejected'
  | 'askedForAgain'
  | 'confirmedGone';

export interface ContactAnswer extends Answer {
  /** Null if the answer does not change the contact. It is then read where it is needed. */
  event: AnswerEvent | null;
  /** The most credits that the next run spends because of the answer. */
  credits: 0 | 1;
}

/** The texts of a question that both contacts and networks have. */
interface Words {
  /** The kind's name, in two words. */
  name: string;
  /** Starts in lower case and has no full stop. Contains no names. */
  why(detail: string | null, batchCount: number | undefined): string;
  /** What the decision does, in whole sentences. */
  decided(word: DecisionWord, count: number): string;
  /** Why other decisions are impossible, in a whole sentence. If omitted, `why` explains it. */
  refusal?: string;
  /** Decisions that are possible for all questions of this kind together. Omitted if there are none. */
  atOnce?: readonly DecisionWord[];
}

/** The outcome in a sentence, with its explanation for the reference. */
export interface WaitingOutcome extends ReasonExplanation {
  text: string;
}

export interface ContactKind extends Words {
  /** The outcome of a contact that waits for this decision. Null if no contact waits. */
  outcome: WaitingOutcome | null;
  /** The answers that exist. No interface and no statement accepts another answer. */
  answers: Readonly<Partial<Record<DecisionWord, ContactAnswer>>>;
  /** The texts for contacts that are decided together. Omitted if each contact needs its own decision. */
  batch?: BatchWords;
  /** True if a credit was spent, so a merge must not cost another. */
  hasSpentCredit: boolean;
  /** True if a profile waits for the answer. Readers can see the profile. */
  hasProfile: boolean;
  /** True if the profile belongs to this person. */
  isOfKnownPerson: boolean;
  /** True if the answer is not needed after it is carried out. */
  endsWithAnswer: boolean;
  /** True if the decision must not be made while a run writes what it has read. */
  waitsForRun: boolean;
  /** True if a card in the CRM can show the question and take its answer. */
  isAnsweredInCrm: boolean;
}

export interface NetworkKind extends Words {
  answers: Readonly<Partial<Record<BatchDecisionWord, Answer>>>;
}

/** An answer to a question about many contacts. */
export interface BatchAnswer {
  label: string;
  title: string;
  confirm: string;
  effect: string;
  /** When this answer is right. */
  hint: string;
}

/** The alert about a waiting batch. */
export interface BatchAlert {
  /** A word that identifies the alert and never changes. It does not contain the batch's ID. */
  subject: string;
  /** The start of a sentence whose end is added elsewhere. */
  problem: string;
  steps: readonly string[];
}

export interface BatchWords {
  /** What the contacts have in common, for the description of the API. The end of a sentence. */
  means: string;
  /** What the answers mean, in whole sentences. Empty if the terminal explains all such batches together. */
  hint: string;
  /** Returns a few words for a table column. */
  inShort(parts: BatchFacts['parts']): string;
  /** Whole sentences about why the contacts wait. */
  why(batch: BatchFacts): string;
  /** The answers with the texts of buttons and dialogs. */
  answers(count: number): Readonly<Record<BatchDecisionWord, BatchAnswer>>;
  alert(batch: BatchFacts): BatchAlert;
}

export const WRITE = 'The next sync writes the profile into the CRM.';

export const ASK_AGAIN: ContactAnswer = {
  label: 'Ask again (1 credit)',
  effect: 'The next sync submits it to the service again.',
  event: 'askedForAgain',
  credits: 1,
};

export const KEEP_FORMER: ContactAnswer = {
  label: 'Keep the former values',
  effect: 'The contact is left as it is.',
  event: 'profileRejected',
  credits: 0,
};

/** Whether the contact is the person whose profile was bought. */
export const SAME_OR_ANOTHER: ContactKind['answers'] = {
  approve: { label: 'It is the same person', effect: WRITE, event: 'profileApproved', credits: 0 },
  reject: {
    label: 'It is another person',
    effect: 'The contact is left alone.',
    event: 'profileRejected',
    credits: 0,
  },
  resubmit: ASK_AGAIN,
};

/** Describes the result of decisions that only concern the profile. */
export function describeDecided(word: DecisionWord, count: number): string {
  const holds = describeCount(count, 'hold');
  switch (word) {
    case 'approve':
      return `${holds} approved. The next sync writes the profiles.`;
    case 'reject':
      return `${holds} rejected. The contacts are left alone.`;
    case 'resubmit':
      return `${holds} to be submitted again. The next sync spends ${describeCount(count, 'credit')} on that.`;
  }
}
