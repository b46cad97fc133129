import { describe, expect, it } from 'vitest';
import { comparableText, isBlank, sameValue } from '../../src/mapping/same-value.ts';
import { startCpuTime } from '../helpers/cpu-time.ts';

describe('sameValue', () => {
  it.each([
    [5, '5.0'],
    ['5.10', '5.1'],
    [1_000_000, '1000000'],
    ['one\r\ntwo', 'one\ntwo'],
    ['one  \ntwo\n', 'one\ntwo'],
    ['https://service.test/a ', 'https://service.test/a'],
    ['2026-11-20T02:00:00.123Z', '2026-11-20T02:00:00.000Z'],
    ['2026-11-20T02:00:00.000+0000', '2026-11-20T02:00:00Z'],
    ['2026-11-20T02:00:00Z', '2026-11-19T20:00:00-06:00'],
    ['Jose\u0301', 'José'],
    [true, 'true'],
    [null, ' '],
  ])('sees no difference between %j and %j', (one, other) => {
    expect(sameValue(one, other)).toBe(true);
    expect(comparableText(one)).toBe(comparableText(other));
  });

  it.each([
    [5, 50],
    ['5', '05'],
    ['Acme', 'ACME'],
    ['one two', 'one\ntwo'],
    ['10', '1'],
    ['100', '1.00'],
    ['2026-11-20', '2026-11-21'],
    ['2026-11-20T02:00:00Z', '2026-11-20T02:00:01Z'],
    ['12345678901234567890123456789012', '12345678901234567890123456789013'],
    [false, null],
    [0, null],
  ])('tells %j from %j', (one, other) => {
    expect(sameValue(one, other)).toBe(false);
  });
});

describe('isBlank', () => {
  it('is true of nothing and white space only', () => {
    expect([null, '', ' \r\n\t'].map(isBlank)).toEqual([true, true, true]);
    expect([0, false, '-'].map(isBlank)).toEqual([false, false, false]);
  });
});

/** Far more repetitions than a single pass notices. A pattern that starts again at each of them would take a minute. */
const MANY = 200_000;

describe('a text that is made to take long', () => {
  it.each([
    ['blanks between words, in a text of lines', `a${' '.repeat(MANY)}b\nc`],
    ['zeros within a number', `1.${'0'.repeat(MANY)}1`],
    ['ends of lines', `a${'\r\n'.repeat(MANY)}b`],
  ])('is compared at once: %s', (_, text) => {
    const tookMs = startCpuTime();
    expect(sameValue(text, comparableText(text))).toBe(true);
    expect(tookMs()).toBeLessThan(1_000);
  });
});
