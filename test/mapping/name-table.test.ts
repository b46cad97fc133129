import { describe, expect, it } from 'vitest';
import { readNameTable } from '../../src/mapping/names.ts';

describe('the tables of names', () => {
  it.each([
    ['nicknames.csv', /^[a-z]+( [a-z]+)*$/],
    ['common-names.csv', /^(given|surname)$/],
  ])('%s has plain names in lower case, each once, and something about each', (file, value) => {
    const rows = readNameTable(file);
    expect(rows.length).toBeGreaterThan(500);
    const wrong = rows.filter(([name, text]) => !/^[a-z]+$/.test(name) || !value.test(text));
    expect(wrong).toEqual([]);
    expect(new Set(rows.map(String)).size).toBe(rows.length);
  });
});
