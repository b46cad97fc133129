import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitFullName } from '../../../connectors/csv/full-name.ts';

describe('splitFullName', () => {
  it.each([
    ['Maria Lopez', 'Maria', 'Lopez'],
    ['  Maria   Lopez ', 'Maria', 'Lopez'],
    ['Lopez, Maria', 'Maria', 'Lopez'],
    ['LOPEZ,MARIA', 'MARIA', 'LOPEZ'],
    ['John A. Smith', 'John A.', 'Smith'],
    ['Smith, John A.', 'John A.', 'Smith'],
    ['J. Edgar Hoover', 'J. Edgar', 'Hoover'],
    ['Garcia Lopez, Maria', 'Maria', 'Garcia Lopez'],
    ['Mary-Ann Smith-Jones', 'Mary-Ann', 'Smith-Jones'],
    ["Conor O'Brien", 'Conor', "O'Brien"],
  ])('takes %j apart', expectSplit);

  it.each([
    ['Jan Berg (deceased)', null, null],
    ['Rev. James Harold Schröder (deceased)', null, null],
    ['Berg, Jan (verstorben)', null, null],
    ['† Jan Berg', null, null],
    ['Jan Berg ✝', null, null],
  ])('takes no name of somebody who has died: %j', expectSplit);

  it.each([
    ['Construcciones Peña, S.A.', null, null],
    ['Panadería Ibáñez S.L.', null, null],
    ['Müller Maschinenbau GmbH', null, null],
    ['S.A. Smith', 'S.A.', 'Smith'],
    ['Ana de Sa', 'Ana', 'de Sa'],
  ])('tells organisations by their legal form, and initials from it: %j', expectSplit);

  it.each([
    ['Dr. Ana de la Cruz', 'Ana', 'de la Cruz'],
    ['van der Berg, Jan', 'Jan', 'van der Berg'],
    ['Berg, Jan van der', 'Jan', 'van der Berg'],
    ['Jan VAN DER BERG', 'Jan', 'VAN DER BERG'],
    ['Eddie Van Halen', 'Eddie', 'Van Halen'],
    ['Van Morrison', 'Van', 'Morrison'],
    ['Jill St. John', 'Jill', 'St. John'],
    ['José Ortega y Gasset', 'José', 'Ortega y Gasset'],
    ['Otto von Habsburg', 'Otto', 'von Habsburg'],
    ['Maria da Silva', 'Maria', 'da Silva'],
    ['Silva, Maria da', 'Maria', 'da Silva'],
    ['Al Smith', 'Al', 'Smith'],
  ])('keeps particles with the last name: %j', expectSplit);

  it.each([
    ['Smith, John A., Jr.', 'John A.', 'Smith Jr.'],
    ['Smith, Jr., John', 'John', 'Smith Jr.'],
    ['Smith Jr., John', 'John', 'Smith Jr.'],
    ['John Smith, Jr.', 'John', 'Smith Jr.'],
    ['John Smith Jr', 'John', 'Smith Jr'],
    ['Smith, John III', 'John', 'Smith III'],
    ['John Smith IV', 'John', 'Smith IV'],
    ['King, Martin Luther, Jr., Dr.', 'Martin Luther', 'King Jr.'],
    ['Robert Kennedy Sr., Esq.', 'Robert', 'Kennedy Sr.'],
  ])('keeps with the last name what tells father from son: %j', expectSplit);

  it.each([
    ['Dr. Ana Cruz', 'Ana', 'Cruz'],
    ['Cruz, Dr. Ana', 'Ana', 'Cruz'],
    ['Cruz, Ana, Dr.', 'Ana', 'Cruz'],
    ['Rev. Dr. Ana Cruz', 'Ana', 'Cruz'],
    ['The Honorable Ana Cruz', 'Ana', 'Cruz'],
    ['Ana Cruz, MD, PhD', 'Ana', 'Cruz'],
    ['Ana Cruz M.D.', 'Ana', 'Cruz'],
    ['Cruz, Ana, Ph.D.', 'Ana', 'Cruz'],
  ])('leaves titles and degrees out: %j', expectSplit);

  it.each([
    ['Robert (Bob) Smith', 'Robert (Bob)', 'Smith'],
    ['Robert "Bob" Smith', 'Robert "Bob"', 'Smith'],
    ['Smith, Robert (Bob)', 'Robert (Bob)', 'Smith'],
    ['Mary Smith (Jones)', 'Mary', 'Smith'],
    ['Smith (Jones), Mary', 'Mary', 'Smith'],
    ['Smith (Jones, Lee), Mary', 'Mary', 'Smith'],
  ])('leaves a nickname with the first name, and no other name with the last: %j', expectSplit);

  it.each([
    ['Mr. Smith', null, 'Smith'],
    ['Dr. de la Cruz', null, 'de la Cruz'],
    ['Smith,', null, 'Smith'],
    ['Smith, Dr.', null, 'Smith'],
    ['Smith, Jr.', null, 'Smith Jr.'],
    ['Smith, MD', null, 'Smith'],
    [', John', 'John', null],
    ['Ana B.', 'Ana', null],
    ['de la Cruz', null, 'de la Cruz'],
    ['Sen, Amartya', 'Amartya', 'Sen'],
    ['Smith -', null, null],
    ['Smith, John -', 'John', 'Smith'],
  ])('gives only the part that is certain: %j', expectSplit);

  it.each([
    '',
    '   ',
    ',',
    '-',
    '?',
    'Madonna',
    'Ana V.',
    'Dr. Van Halen',
    'Dr.',
    'Jr.',
    '(Bob)',
    'John and Jane Smith',
    'John & Jane Smith',
    'Smith, John & Jane',
    'Mr. and Mrs. Smith',
    'Mr. & Mrs. John Smith',
    'John Smith; Jane Doe',
    'John Smith/Jane Doe',
    'The Smith Family',
    'Smith Family Foundation',
    'Acme, Inc.',
    'Acme Widgets LLC',
    'Estate of John Smith',
    'Smith, John, 12 Elm Street',
    'Smith, John, Treasurer',
    'john@example.org',
    'Donor 1234',
  ])('does not guess: %j', (text) => {
    expect(splitFullName(text)).toEqual({ firstName: null, lastName: null });
  });

  it('finds the same two names in either order, whatever they are', () => {
    const name = fc.stringMatching(/^[A-Z][a-z]{3,10}$/).filter((word) => !RESERVED.test(word));
    fc.assert(
      fc.property(name, name, (firstName, lastName) => {
        const expected = { firstName, lastName };
        expect(splitFullName(`${firstName} ${lastName}`)).toEqual(expected);
        expect(splitFullName(`${lastName}, ${firstName}`)).toEqual(expected);
      }),
    );
  });

  it('never throws, and never gives a blank name or one that is not in the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        for (const part of Object.values(splitFullName(text))) {
          if (part === null) continue;
          expect(part.trim()).toBe(part);
          expect(part).not.toBe('');
          for (const word of part.split(' ')) expect(text).toContain(word);
        }
      }),
    );
  });
});

/** Words that are a title, a degree or a particle, or that do not name a person. */
const RESERVED =
  /^(prof|professor|rev|reverend|father|sister|rabbi|pastor|capt|captain|senator|miss|herr|frau|esq|della|corp|corporation|foundation|trust|family|estate|household|anonymous|friends|honorable|saint|sainte|senior|junior|incorporated|limited)$/i;

function expectSplit(text: string, firstName: string | null, lastName: string | null): void {
  expect(splitFullName(text)).toEqual({ firstName, lastName });
}
