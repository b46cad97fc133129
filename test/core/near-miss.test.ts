import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countMistakes, didYouMean, nearMiss } from '../../src/core/near-miss.ts';

const KEYS = ['schedule', 'partner', 'budget', 'fields', 'apiKey', 'id'];

describe('nearMiss', () => {
  it('finds the word with a letter missing, added, replaced or swapped', () => {
    for (const typo of ['shedule', 'scheduule', 'scherule', 'shcedule']) {
      expect(nearMiss(typo, KEYS)).toBe('schedule');
    }
  });

  it('takes letter case, hyphens and underscores for no mistake', () => {
    expect(nearMiss('api_key', KEYS)).toBe('apiKey');
    expect(nearMiss('API-KEY', KEYS)).toBe('apiKey');
  });

  it('prefers the closest word', () => {
    expect(nearMiss('fieldz', ['yields', 'fields'])).toBe('fields');
  });

  it('offers nothing when no word is close', () => {
    expect(nearMiss('colour', KEYS)).toBeNull();
    expect(nearMiss('xy', ['id'])).toBeNull();
    expect(didYouMean('colour', KEYS)).toBe('');
  });

  it('never offers the word itself', () => {
    expect(nearMiss('id', ['id'])).toBeNull();
  });
});

describe('countMistakes', () => {
  it('counts neighbours that were swapped as one', () => {
    expect(countMistakes('ab', 'ba')).toBe(1);
    expect(countMistakes('kitten', 'sitting')).toBe(3);
  });

  it('is the same both ways, zero only for equal words, and never above the longer length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const mistakes = countMistakes(a, b);
        expect(mistakes).toBe(countMistakes(b, a));
        expect(mistakes === 0).toBe(a === b);
        expect(mistakes).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});
