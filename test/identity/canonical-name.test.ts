import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalEmployer, canonicalName } from '../../src/identity/canonical-name.ts';

describe('canonicalName', () => {
  it.each([
    ['Maria Ortiz', 'MARIA  ORTIZ', ' maria ortiz '],
    ['José', 'Jose', 'JOSÉ'],
    ['Søren', 'Soren'],
    ['Strauß', 'STRAUSS', 'Strauss'],
    ["O'Brien", 'O’Brien', 'OBrien', 'O`BRIEN', 'O Brien'],
    ["D'Angelo", 'DAngelo'],
    ['Smith-Jones', 'Smith Jones', 'Smith–Jones'],
    ['Smith, Jr.', 'Smith Jr', 'SMITH JR.', 'Smith Junior'],
    ['Smith Sr.', 'Smith, Senior'],
    ['J. R.', 'J.R.', 'JR', 'J R'],
    ['Mary K.', 'Mary K'],
    ['Smith, Ph.D.', 'Smith PhD'],
  ])('is the same for spellings of a name: %s', (one, ...others) => {
    for (const other of others) expect(canonicalName(other)).toBe(canonicalName(one));
  });

  it('is another for another name, another generation, a nickname or an initial more', () => {
    const lastNames = [
      ...[
        'Smith',
        'Smith Jr',
        'Smith Sr',
        'Smith II',
        'Smith III',
        'Smyth',
        'Smith-Jones',
        'Jones',
      ],
      ...['Smithjones', 'O', 'Brien', 'Obama', '李', '王', '???', '!!!', ''],
    ];
    expect(new Set(lastNames.map(canonicalName)).size).toBe(lastNames.length);
    const firstNames = [
      ...['Robert', 'Bob', 'Robert J', 'Robert K', 'Rob', 'Roberta', 'R', 'Mary Ann', 'Maryann'],
      ...['Dr Robert', 'J R', 'R J'],
    ];
    expect(new Set(firstNames.map(canonicalName)).size).toBe(firstNames.length);
  });

  it('is another for another letter anywhere', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(word, fc.nat(), (name, at) => {
        const place = at % name.length;
        const other = `${name.slice(0, place)}z${name.slice(place + 1)}`;
        expect(canonicalName(other)).not.toBe(canonicalName(name));
      }),
    );
  });
});

describe('canonicalEmployer', () => {
  it.each([
    ['Acme', 'ACME', 'acme ', 'The Acme', 'Acme, The'],
    ['Acme Inc', 'Acme, Inc.', 'Acme Incorporated', 'ACME INC', 'Acme'],
    ['Acme LLC', 'Acme L.L.C.', 'Acme, llc'],
    ['Acme Ltd.', 'Acme Limited'],
    ['Acme Corp.', 'Acme Corporation'],
    ['Acme Co.', 'Acme Company', 'The Acme Company, Inc.'],
    ['Siemens GmbH', 'Siemens G.m.b.H.', 'Siemens'],
    ['Nestlé S.A.', 'Nestle SA'],
    ['Smith & Jones', 'Smith and Jones', 'Smith  &  Jones', 'SMITH&JONES'],
    ['Smith & Co.', 'Smith and Company', 'Smith'],
    ['AT&T', 'AT & T', 'A.T.&T.', 'AT and T Inc.'],
    ['Coca-Cola', 'Coca Cola', 'COCA–COLA CO'],
    ['Macy’s', "Macy's", 'Macys'],
    ['St. Jude Hospital', 'Saint Jude Hospital', 'ST JUDE HOSPITAL'],
    ['Trust Co. of the West', 'Trust Company of the West'],
  ])('is the same for spellings of an employer: %s', (one, ...others) => {
    for (const other of others) expect(canonicalEmployer(other)).toBe(canonicalEmployer(one));
  });

  it('is another for another employer', () => {
    const employers = [
      ...[
        'Acme',
        'Acme Foundation',
        'Acme Group',
        'Acme Partners',
        'Acme of Ohio',
        'Acma',
        'Ac Me',
      ],
      ...[
        'The Limited',
        'Company',
        'Bank of America',
        'Bank America',
        'United States Army',
        'Army',
      ],
      ...[
        'Smith and Jones',
        'Jones and Smith',
        'Smith Jones',
        '7-Eleven',
        '711',
        '東芝',
        '日立',
        '&&',
        '',
      ],
    ];
    expect(new Set(employers.map(canonicalEmployer)).size).toBe(employers.length);
  });

  it('leaves a name of legal forms alone', () => {
    expect(canonicalEmployer('The Limited, Inc.')).toBe(canonicalEmployer('The Limited'));
    expect(canonicalEmployer('The Company')).not.toBe('');
  });
});

describe('what fingerprints on disk were made with', () => {
  /** Changing the rules makes contacts look new, which costs a credit for each contact (decision 9). */
  it('is the text that a name has always had', () => {
    expect(canonicalName("J. R. O'Brien-Núñez, Jr.")).toBe('jr obrien nunez jr');
    expect(canonicalEmployer('The Smith & Søn Co., Inc.')).toBe('smith and son');
    expect(canonicalEmployer('Trust Co. of Saint Louis')).toBe('trust company of st louis');
  });
});
