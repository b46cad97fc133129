import { describe, expect, it } from 'vitest';
import { sharedYearsIn } from '../../src/paths/sentence.ts';

describe('sharedYearsIn', () => {
  it.each<[string, string | null, ReturnType<typeof sharedYearsIn>]>([
    ['Both on the board of Hill College, 2012–2018', 'Hill College', { from: 2012, to: 2018 }],
    ['Both worked at Acme, 2012-2018', 'Acme', { from: 2012, to: 2018 }],
    ['Both working at Acme since 2019', 'Acme', { from: 2019, to: null }],
    ['Colleagues at Acme (2019–present)', 'Acme', { from: 2019, to: null }],
    ['Both worked at Acme, 2004', 'Acme', { from: 2004, to: 2004 }],
    ['Both worked at Acme, 2004; also Hill College, 1990–1994', 'Acme', { from: 2004, to: 2004 }],
    [
      'Both attended Class 1990–1994 Fund since 2001',
      'Class 1990–1994 Fund',
      { from: 2001, to: null },
    ],
    ['Worked together in 2007', null, { from: 2007, to: 2007 }],
  ])('finds the years of "%s"', (snippet, entityName, years) => {
    expect(sharedYearsIn(snippet, entityName)).toEqual(years);
  });

  it.each<[string, string | null]>([
    ['Fellow trustees', null],
    ['', null],
    ['Both gave to Vision 2020', 'Vision 2020'],
    ['Both worked at Acme, 2018–2012', 'Acme'],
    ['Room 1204, 0000–9999', null],
  ])('finds none in "%s"', (snippet, entityName) => {
    expect(sharedYearsIn(snippet, entityName)).toBeNull();
  });
});
