/**
 * Defines a kind of question: why a contact or a network waits, the texts that users read, the possible answers, and
 * the effect of each answer. Statements, pages, the terminal and the API read this definition.
 */
import type { ReasonExplanation } from '../codes/reason-explanation.ts';
import { describeCount } from '../quantities.ts';
import type { BatchFacts } from './batch-facts.ts';
import type { BatchDecisionWord, DecisionWord } from './decisions.ts';

export interface Answer {
  /** The label of a button, or of a command option. */
  label: string;
  /** The consequences of the answer, in whole sentences. */
  effect: string;
}

/**
 * The changes that an answer can make to a contact. All of these changes except `confirmedGone` are events of the
 * contact's life.
 */
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
  /**
   * The event that changes the contact. Null if the answer does not change the contact, and other code reads the answer
   * where it needs it.
   */
  event: AnswerEvent | null;
  /** The maximum number of credits that the next run spends because of the answer. */
  credits: 0 | 1;
}

/** The texts of a question about a contact or a network. */
interface Words {
  /** The kind's name, in two words. */
  name: string;
  /**
   * Explains why the contact or network waits. The text starts in lower case, has no full stop and contains no names.
   */
  why(detail: string | null, batchCount: number | undefined): string;
  /** Explains the effect of the decision, in whole sentences. */
  decided(word: DecisionWord, count: number): string;
  /** Explains in a whole sentence why other decisions are impossible. If omitted, `why` explains it. */
  refusal?: string;
  /**
   * The decisions that a user can make about all questions of this kind together. Omitted if the user must decide each
   * question.
   */
  atOnce?: readonly DecisionWord[];
}

/** The outcome in a sentence, with the explanation for the reference. */
export interface WaitingOutcome extends ReasonExplanation {
  text: string;
}

export interface ContactKind extends Words {
  /** The outcome of a contact that waits for an answer to the question. Null if no contact waits. */
  outcome: WaitingOutcome | null;
  /** The answers that this kind of question allows. No interface and no statement accepts another answer. */
  answers: Readonly<Partial<Record<DecisionWord, ContactAnswer>>>;
  /** The texts for contacts that a user decides about together. Omitted if each contact needs its own decision. */
  batch?: BatchWords;
  /** True if a credit was spent on the contact, so a merge must not cost another credit. */
  hasSpentCredit: boolean;
  /** True if a paid profile waits for the answer. Readers can see this profile. */
  hasProfile: boolean;
  /** True if the waiting profile belongs to this person. */
  isOfKnownPerson: boolean;
  /** True if the answer is not needed after it has been carried out. */
  endsWithAnswer: boolean;
  /** True if a user must not decide while a run writes the data that it has read. */
  waitsForRun: boolean;
  /** True if a card in the CRM can show the question and accept the answer. */
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
  /** A hint for the user when this answer is right. */
  hint: string;
}

/** The alert about a batch that waits for a decision. */
export interface BatchAlert {
  /** A word that identifies the alert and never changes. The word does not contain the batch's ID. */
  subject: string;
  /** The start of a sentence about the problem. The code that sends the alert adds the end. */
  problem: string;
  steps: readonly string[];
}

export interface BatchWords {
  /** Describes in the API what the contacts of a batch have in common. The text is the end of a sentence. */
  means: string;
  /** Explains the answers in whole sentences. Empty if the terminal explains all batches of this kind together. */
  hint: string;
  /** Returns a few words about the batch for a column of a table. */
  inShort(parts: BatchFacts['parts']): string;
  /** Explains in whole sentences why the contacts of a batch wait. */
  why(batch: BatchFacts): string;
  /** The possible answers, with the texts of their buttons and dialogs. */
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

/** The answers to the question whether the contact is the person whose profile was bought. */
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

/** Describes the result of a decision that concerns only the profile. */
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
