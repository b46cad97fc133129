import { describe, expect, it } from 'vitest';
import { compareNames, type NamePiece } from '../../../src/decisions/views/name-difference.ts';

/** Returns the text with differences in brackets. */
function marked(pieces: readonly NamePiece[]): string {
  return pieces.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('');
}

function compared(ours: [string, string], theirs: [string | null, string | null, string | null]) {
  const [first, middle, last] = theirs;
  const difference = compareNames({ first: ours[0], last: ours[1] }, { first, middle, last });
  return [marked(difference.ours), marked(difference.theirs), difference.words];
}

describe('two names', () => {
  it.each([
    [
      ['Maria', 'Lopez'],
      ['María', null, 'LOPEZ'],
      'Maria Lopez',
      'María LOPEZ',
      'Both names are the same.',
    ],
    [
      ['Anna', 'Meyer'],
      ['Anna', null, 'Meier'],
      'Anna Me[y]er',
      'Anna Me[i]er',
      'The last name differs in 1 letter: Meyer in the CRM, Meier in the profile.',
    ],
    [
      ['Rick', 'Baker'],
      ['Richard', 'E', 'Baker'],
      '[Rick] Baker',
      '[Richard] [E] Baker',
      'The first name is another form of the same name: Rick in the CRM, Richard in the profile. Only the profile has a middle name: E.',
    ],
    [
      ['Mary Ann', 'Cole'],
      ['Mary', 'Ann', 'Cole'],
      'Mary Ann Cole',
      'Mary Ann Cole',
      'Both names are the same.',
    ],
    [
      ['Dianne', 'Quill'],
      ['Dianne', null, 'Hogan'],
      'Dianne [Quill]',
      'Dianne [Hogan]',
      'The last name is different: Quill in the CRM, Hogan in the profile.',
    ],
    [
      ['Ada', 'Byron'],
      [null, null, 'Byron'],
      '[Ada] Byron',
      'Byron',
      'Only the CRM has a first name: Ada.',
    ],
  ] satisfies [
    [string, string],
    [string | null, string | null, string | null],
    string,
    string,
    string,
  ][])(
    '%s and %s are compared letter by letter, and in words',
    (ours, theirs, left, right, words) => {
      expect(compared(ours, theirs)).toEqual([left, right, words]);
    },
  );

  it('are not compared letter by letter where they are longer than any name', () => {
    const [ours, , words] = compared(['A', 'b'.repeat(500)], ['A', null, `${'b'.repeat(499)}c`]);
    expect(ours).toBe(`A [${'b'.repeat(500)}]`);
    expect(words).toContain('is different');
  });
});
