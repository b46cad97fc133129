/** Compares the service's answers with the truth, and counts right and wrong answers. */

import type { Case } from './case.ts';
import type { Answer } from './service.ts';

export type Outcome = 'right' | 'wrong' | 'none';

export interface Verdict {
  case: Case;
  answer: Answer;
  outcome: Outcome;
}

export function judge(cases: Case[], answers: Answer[]): Verdict[] {
  return cases.map((one, index) => {
    const answer = answers[index];
    if (!answer) throw new Error(`The service has no answer to case ${index}.`);
    return { case: one, answer, outcome: compare(one, answer.matched) };
  });
}

function compare({ right }: Case, matched: string[]): Outcome {
  if (matched.length === 0) return 'none';
  return matched.some((key) => right.includes(key)) ? 'right' : 'wrong';
}

export interface Count {
  cases: number;
  right: number;
  wrong: number;
  /** The number of cases whose person is in the donor list. */
  inList: number;
}

export function count(verdicts: Verdict[]): Count {
  return {
    cases: verdicts.length,
    right: verdicts.filter(({ outcome }) => outcome === 'right').length,
    wrong: verdicts.filter(({ outcome }) => outcome === 'wrong').length,
    inList: verdicts.filter((verdict) => verdict.case.right.length > 0).length,
  };
}

export function groupByKind(verdicts: Verdict[]): Map<string, Verdict[]> {
  return Map.groupBy(verdicts, (verdict) => verdict.case.kind);
}

/** Returns the share of people in the donor list that the service has found. */
export function measureRecall(verdicts: Verdict[]): number {
  const { right, inList } = count(verdicts);
  return right / inList;
}

/** Returns the share of matches that are right. */
export function measurePrecision(verdicts: Verdict[]): number {
  const { right, wrong } = count(verdicts);
  return right / (right + wrong);
}

export interface Bin {
  /** The average probability that the service has reported. */
  said: number;
  /** The share of answers in which the reported donor was the right person. */
  true: number;
  answers: number;
}

const BINS = 20;

/**
 * Sorts the reported probabilities into 20 bins of equal width. A match counts with its own probability. A contact
 * without a match counts only if `withRejected` is true, with the probability of the most likely donor.
 */
export function calibrate(verdicts: Verdict[], withRejected: boolean): Bin[] {
  const bins = new Map<number, { said: number; right: number; answers: number }>();
  for (const verdict of verdicts) {
    const stated = readStated(verdict, withRejected);
    if (!stated) continue;
    const index = Math.min(BINS - 1, Math.floor(stated.probability * BINS));
    const bin = bins.get(index) ?? { said: 0, right: 0, answers: 0 };
    bin.said += stated.probability;
    bin.right += stated.isRight ? 1 : 0;
    bin.answers += 1;
    bins.set(index, bin);
  }
  return [...bins.entries()]
    .sort(([one], [other]) => one - other)
    .map(([, { said, right, answers }]) => ({
      said: said / answers,
      true: right / answers,
      answers,
    }));
}

function readStated({ case: { right }, answer, outcome }: Verdict, withRejected: boolean) {
  if (answer.probability !== null) {
    return { probability: answer.probability, isRight: outcome === 'right' };
  }
  if (!withRejected || !answer.runnerUp) return null;
  const isRight = answer.runnerUp.keys.some((key) => right.includes(key));
  return { probability: answer.runnerUp.probability, isRight };
}

/**
 * Returns the expected calibration error. The error is the average difference between the reported probability and the
 * true share, weighted by the number of answers.
 */
export function measureCalibrationError(bins: Bin[]): number {
  const answers = bins.reduce((sum, bin) => sum + bin.answers, 0);
  return bins.reduce(
    (sum, bin) => sum + (bin.answers / answers) * Math.abs(bin.said - bin.true),
    0,
  );
}
