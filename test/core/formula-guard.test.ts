import { describe, expect, it } from 'vitest';
import { guardFormula, plainCell, withoutGuard } from '../../src/core/printable.ts';

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
    "'=1+1",
    "''@SUM(A1)",
  ])('puts an apostrophe before %j, and withoutGuard removes it', (text) => {
    expect(guardFormula(text)).toBe(`'${text}`);
    expect(withoutGuard(guardFormula(text))).toBe(text);
  });

  it.each(['', 'Ann', '-5', '+1.5', "'quoted", 'a=b'])('leaves %j as it is', (text) => {
    expect(guardFormula(text)).toBe(text);
    expect(withoutGuard(text)).toBe(text);
  });
});

describe('plainCell', () => {
  it.each([
    ['\u202e=1+1', "'=1+1"],
    ['\u0007\u200b@SUM(A1)', "'@SUM(A1)"],
    ['\u001b[31m＝cmd', "'＝cmd"],
    ['\r=1', "'\n=1"],
    ['Ann\u202e Lee', 'Ann Lee'],
    ['-5', '-5'],
  ])('takes out of %j what acts, and guards what is left', (text, cell) => {
    expect(plainCell(text)).toBe(cell);
  });
});
