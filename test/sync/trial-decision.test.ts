import { describe, expect, it } from 'vitest';
import {
  decideTrial,
  judgeLater,
  type TrialFacts,
  verdictText,
} from '../../src/sync/trial/trial.ts';

const fresh: TrialFacts = {
  size: 25,
  minKnown: 0.1,
  acceptance: 'none',
  answered: 0,
  known: 0,
  open: 0,
  stuck: 0,
};

describe('decideTrial', () => {
  it('sends as many as the settings say, and waits until they are answered', () => {
    expect(decideTrial(fresh)).toEqual({ kind: 'send', atMost: 25 });
    expect(decideTrial({ ...fresh, open: 1, answered: 24, known: 24 })).toEqual({ kind: 'wait' });
  });

  it('gives a verdict from ten answers on', () => {
    expect(decideTrial({ ...fresh, answered: 9 })).toEqual({ kind: 'send', atMost: 25 });
    expect(decideTrial({ ...fresh, answered: 10 })).toMatchObject({ kind: 'failed' });
    expect(decideTrial({ ...fresh, answered: 10, known: 1 })).toEqual({ kind: 'passed' });
    expect(decideTrial({ ...fresh, answered: 25, known: 2 })).toMatchObject({ kind: 'failed' });
  });

  it('takes the share exactly, whatever floating point makes of it', () => {
    const facts = { ...fresh, minKnown: 0.07, answered: 100 };
    expect(decideTrial({ ...facts, known: 7 }).kind).toBe('passed');
    expect(decideTrial({ ...facts, known: 6 }).kind).toBe('failed');
    expect(decideTrial({ ...facts, minKnown: 0, known: 0 }).kind).toBe('passed');
  });

  it('never has more than its size without an answer', () => {
    expect(decideTrial({ ...fresh, stuck: 20 })).toEqual({ kind: 'send', atMost: 5 });
    expect(decideTrial({ ...fresh, stuck: 25 })).toEqual({ kind: 'unanswered', count: 25 });
    expect(decideTrial({ ...fresh, stuck: 15, answered: 10, known: 5 }).kind).toBe('passed');
  });

  it('is over once accepted, and where it is turned off', () => {
    for (const acceptance of ['person', 'by_rate'] as const) {
      expect(decideTrial({ ...fresh, acceptance })).toEqual({ kind: 'over' });
    }
    expect(decideTrial({ ...fresh, size: 0, answered: 25 })).toEqual({ kind: 'over' });
  });

  it('asks for less of a mapping that had passed before', () => {
    const withdrawn: TrialFacts = { ...fresh, acceptance: 'withdrawn', answered: 200 };
    expect(decideTrial({ ...withdrawn, known: 9 })).toMatchObject({
      kind: 'failed',
      verdict: { later: true, minKnown: 0.05 },
    });
    expect(decideTrial({ ...withdrawn, known: 10 }).kind).toBe('passed');
  });
});

describe('judgeLater', () => {
  it('says nothing before 200 answers', () => {
    expect(judgeLater({ answered: 199, known: 0, minKnown: 0.1 })).toBeNull();
  });

  it('finds less than 5 % of 200, or less than the settings ask for if that is fewer', () => {
    expect(judgeLater({ answered: 200, known: 10, minKnown: 0.1 })).toBeNull();
    expect(judgeLater({ answered: 200, known: 9, minKnown: 0.1 })).not.toBeNull();
    expect(judgeLater({ answered: 200, known: 9, minKnown: 0.02 })).toBeNull();
    expect(judgeLater({ answered: 200, known: 0, minKnown: 0 })).toBeNull();
  });
});

it('says how many were known, and what to do', () => {
  const verdict = { answered: 25, known: 1, minKnown: 0.125, later: false };
  const text = verdictText(verdict, 'riverside');
  expect(text).toContain(
    'The service recognised 1 of the 25 contacts sent first. This is below the limit of 12.5 %',
  );
  expect(text).toContain('donor-sync sync riverside --accept-match-rate');
});
