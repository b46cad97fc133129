/**
 * Whether the persons that a mapping makes are known to the service: pure. A wrong column would
 * spend every credit for nothing, so that a few go first and the others wait for their answers.
 */

/** Fewer answers than this say nothing. */
const MIN_ANSWERED = 10;

/** Once a mapping is accepted, this many answers in a row are looked at … */
export const ANSWERS_IN_A_ROW = 200;

/** … and this share of them has to be known, unless the settings ask for less from the beginning. */
const MIN_KNOWN_LATER = 0.05;

/** The settings of the trial; a size of 0 switches it off. */
export interface TrialSettings {
  size: number;
  /** From 0 to 1. */
  minKnown: number;
}

/** How a mapping stands: accepted, or not yet, or not any more. */
export type Acceptance = 'person' | 'by_rate' | 'none' | 'withdrawn';

export interface TrialFacts extends TrialSettings {
  acceptance: Acceptance;
  /** The last answers about contacts that were paid for, at most `ANSWERS_IN_A_ROW`. */
  answered: number;
  known: number;
  /** Contacts whose answers this run may still see. */
  open: number;
  /** Contacts whose answers a later run sees. */
  stuck: number;
}

/** What may be sent now. */
export type TrialStep =
  /** There is no trial, or it was passed before. */
  | { kind: 'over' }
  | { kind: 'passed' }
  /** Nothing before what is under way is answered. */
  | { kind: 'wait' }
  /** So many, and then nothing before they are answered. */
  | { kind: 'send'; atMost: number }
  /** As many as may be are without an answer, and this run does not see it. */
  | { kind: 'unanswered'; count: number }
  | { kind: 'failed'; verdict: Verdict };

/** Too few are known, in numbers. */
export interface Verdict {
  answered: number;
  known: number;
  /** The share that was asked for. */
  minKnown: number;
  /** True if the mapping was accepted before. */
  later: boolean;
}

/** At no time more than `size` contacts are without an answer until the mapping is accepted. */
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

/** Of a mapping that passed its trial: the verdict if too few are known by now, else null. */
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

/** The verdict for a person: what was found, and what to do. */
export function verdictText({ answered, known, minKnown, later }: Verdict, id: string): string {
  const sent = later ? `the last ${answered} contacts sent` : `the ${answered} contacts sent first`;
  const share = `${Math.round(minKnown * 1_000) / 10} %`;
  return (
    `The service knew ${known} of ${sent}, less than ${share}, so nothing more is sent. ` +
    `Look at persons with \`donor-sync plan ${id}\`; correct the columns, ` +
    `or accept the rate with \`donor-sync sync ${id} --accept-match-rate\`.`
  );
}
