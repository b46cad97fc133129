/** Defines the answers that a user can give. Every other list of answers is derived from this file. */

/** The words that users type to decide, in the order in which the interfaces show them. */
export const HOLD_DECISIONS = ['approve', 'reject', 'resubmit'] as const;
export type DecisionWord = (typeof HOLD_DECISIONS)[number];

/** The stored decision for each word. */
export const DECIDED = {
  approve: 'approved',
  reject: 'rejected',
  resubmit: 'resubmitted',
} as const satisfies Record<DecisionWord, string>;

export type QuestionDecision = (typeof DECIDED)[DecisionWord];

/** The decisions that a user makes, as they are stored. */
export const QUESTION_DECISIONS = [
  DECIDED.approve,
  DECIDED.reject,
  DECIDED.resubmit,
] as const satisfies readonly QuestionDecision[];

/**
 * The ways in which a question is closed. No user answers a superseded question, because its contact or network changed
 * first.
 */
export const CLOSINGS = [...QUESTION_DECISIONS, 'superseded'] as const;
export type Closing = (typeof CLOSINGS)[number];

/** The decisions that a user can make about a batch. */
export const BATCH_DECISIONS = ['approve', 'reject'] as const satisfies readonly DecisionWord[];
export type BatchDecisionWord = (typeof BATCH_DECISIONS)[number];
export type BatchDecision = (typeof DECIDED)[BatchDecisionWord];

/** The decisions that can wait for a second user, because these decisions have a result outside of donor-sync. */
export const APPROVABLE = [DECIDED.approve, DECIDED.resubmit] as const;

export function toDecisionWord(decision: QuestionDecision): DecisionWord {
  return HOLD_DECISIONS.find((word) => DECIDED[word] === decision) ?? 'reject';
}
