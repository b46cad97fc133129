/**
 * Decides whether the service recognises the people that a mapping describes. A wrong column would waste every credit.
 * A few people are therefore sent first, and all others wait for the results. All functions are pure.
 */

/** With fewer answers than this, a trial is not conclusive. */
const MIN_ANSWERED = 10;

/** Once a mapping is accepted, this many consecutive answers are checked. */
export const ANSWERS_IN_A_ROW = 200;

/** The service must have recognised this share of those people, unless the settings require less. */
const MIN_KNOWN_LATER = 0.05;

/** A size of 0 switches it off. */
export interface TrialSettings {
  size: number;
  /** The share of people that the service has to recognise, from 0 to 1. */
  minKnown: number;
}

/**
 * The state of a mapping: accepted by a user, accepted because of its match rate, not accepted yet, or no longer
 * accepted.
 */
export type Acceptance = 'person' | 'by_rate' | 'none' | 'withdrawn';

export interface TrialFacts extends TrialSettings {
  acceptance: Acceptance;
  /** The last answers for paid contacts. There are at most `ANSWERS_IN_A_ROW`. */
  answered: number;
  known: number;
  /** Contacts whose answers can still arrive during this run. */
  open: number;
  /** Contacts whose answers can arrive only in a later run. */
  stuck: number;
}

/** The next step of the trial. */
export type TrialStep =
  /** There is no trial, or the mapping has passed it. */
  | { kind: 'over' }
  | { kind: 'passed' }
  /** Send nothing until the submissions in flight are answered. */
  | { kind: 'wait' }
  /** Send this number of contacts, and then wait until the service has returned their results. */
  | { kind: 'send'; atMost: number }
  /** Too many contacts have no answer yet, and this run will not see the answers. */
  | { kind: 'unanswered'; count: number }
  | { kind: 'failed'; verdict: Verdict };

/** The numbers that show that the service recognised too few people. */
export interface Verdict {
  answered: number;
  known: number;
  /** The required share. */
  minKnown: number;
  /** True if the mapping was accepted earlier. */
  later: boolean;
}

/** Decides the next step. Until the mapping is accepted, at most `size` contacts may be without an answer. */
export function decideTrial(facts: TrialFacts): TrialStep {
  const { size, acceptance, answered, open, stuck } = facts;
  if (size === 0 || acceptance === 'person' || acceptance === 'by_rate') return { kind: 'over' };
  if (open > 0) return { kind: 'wait' };
  if (answered >= MIN_ANSWERED) {
    const verdict = buildVerdict(facts, acceptance === 'withdrawn');
    return isTooLow(verdict) ? { kind: 'failed', verdict } : { kind: 'passed' };
  }
  if (stuck >= size) return { kind: 'unanswered', count: stuck };
  return { kind: 'send', atMost: size - stuck };
}

/** Returns the verdict on an accepted mapping if too few people are recognised by now, or null otherwise. */
export function judgeLater(
  facts: Pick<TrialFacts, 'answered' | 'known' | 'minKnown'>,
): Verdict | null {
  if (facts.answered < ANSWERS_IN_A_ROW) return null;
  const verdict = buildVerdict(facts, true);
  return isTooLow(verdict) ? verdict : null;
}

function buildVerdict(
  { answered, known, minKnown }: Pick<TrialFacts, 'answered' | 'known' | 'minKnown'>,
  later: boolean,
): Verdict {
  return { answered, known, later, minKnown: later ? laterShare(minKnown) : minKnown };
}

function laterShare(minKnown: number): number {
  return Math.min(MIN_KNOWN_LATER, minKnown);
}

function isTooLow({ answered, known, minKnown }: Verdict): boolean {
  return known / answered < minKnown;
}

/** Describes the verdict and the next steps to a user. */
export function verdictText({ answered, known, minKnown, later }: Verdict, id: string): string {
  const sent = later ? `the last ${answered} contacts sent` : `the ${answered} contacts sent first`;
  const share = `${Math.round(minKnown * 1_000) / 10} %`;
  return (
    `The service recognised ${known} of ${sent}. This is below the limit of ${share}, so nothing more is sent. ` +
    `Check a few people with \`donor-sync plan ${id}\`. Correct the columns, ` +
    `or accept the match rate with \`donor-sync sync ${id} --accept-match-rate\`.`
  );
}
