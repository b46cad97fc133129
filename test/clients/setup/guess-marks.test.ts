import { describe, expect, it } from 'vitest';
import { guessColumns } from '../../../src/clients/setup/csv-columns.ts';

/**
 * Returns the marks that the product finds in a file. Next to the contact's name and address, the file has one
 * additional column.
 */
function marksOf(mark: string) {
  const columns = ['ID', 'First Name', 'Last Name', 'Street', 'City', mark];
  const sample = Array.from({ length: 10 }, (_, row) => {
    const cells = [`${row}`, 'Ada', 'Lee', `${row} Elm St`, 'Reno', row % 3 === 0 ? 'Yes' : ''];
    return new Map(columns.map((name, at) => [name, cells[at] ?? '']));
  });
  const { optOut, deceased, doNotContact } = guessColumns(columns, sample);
  return { optOut, deceased, doNotContact };
}

const NONE = { optOut: null, deceased: null, doNotContact: null };

describe('a column of a file', () => {
  it.each([
    ...['Do Not Wealth Screen', 'No Wealth Screening', 'Wealth Screening Opt-Out'],
    ...['Opt Out of Wealth Screening', 'Exclude from Wealth Screening', 'Screening Opt Out'],
    ...['Exclude from Research', 'Opt Out of Research', 'Opted Out of Research'],
    ...['No Prospect Research', 'GDPR Opt-Out', 'Profiling Opt Out', 'Opt Out of Profiling'],
  ])('"%s" marks people who must not be researched', (name) => {
    expect(marksOf(name)).toEqual({ ...NONE, optOut: name });
  });

  it.each(['Passed Away', 'Is Dead'])('"%s" marks people who have died', (name) => {
    expect(marksOf(name)).toEqual({ ...NONE, deceased: name });
  });

  it.each(['DNC', 'Never Contact', 'No Contact Ever', 'Requests No Contact'])(
    '"%s" marks people who must not be contacted',
    (name) => {
      expect(marksOf(name)).toEqual({ ...NONE, doNotContact: name });
    },
  );

  it.each(['Do Not Email', 'Opted Out of Email', 'Requests No E-mail', 'Research Notes'])(
    '"%s" marks none of them',
    (name) => {
      expect(marksOf(name)).toEqual(NONE);
    },
  );
});
