import { describe, expect, it } from 'vitest';
import {
  describeCount,
  formatDuration,
  formatRate,
} from '../../../../src/interfaces/cli/terminal/words.ts';

describe('countOf', () => {
  it('says one and many', () => {
    expect(describeCount(1, 'contact')).toBe('1 contact');
    expect(describeCount(0, 'contact')).toBe('0 contacts');
    expect(describeCount(12_345, 'entry', 'entries')).toBe('12,345 entries');
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [4249, '4.2 s'],
    [9999, '10 s'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [125_000, '2 min 5 s'],
    [11_520_000, '3 h 12 min'],
    [187_200_000, '2 d 4 h'],
  ])('says %d ms as %s', (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });
});

describe('formatRate', () => {
  it('keeps two digits that matter', () => {
    expect([0.123, 9.41, 123.4].map(formatRate)).toEqual(['0.12', '9.4', '120']);
  });
});
