import { describe, expect, it } from 'vitest';
import { guardFormula, withoutGuard } from '../../src/core/formula-guard.ts';

describe('guardFormula', () => {
  it.each([
    '=1+1',
    '+1 555',
    '-cmd',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '＝1',
    '＋1',
    '－1',
    '＠a',
  ])('puts an apostrophe before %j, and withoutGuard takes it away', (text) => {
    expect(guardFormula(text)).toBe(`'${text}`);
    expect(withoutGuard(guardFormula(text))).toBe(text);
  });

  it.each(['', 'Ann', '-5', '+1.5', "'quoted", 'a=b'])('leaves %j as it is', (text) => {
    expect(guardFormula(text)).toBe(text);
    expect(withoutGuard(text)).toBe(text);
  });
});
