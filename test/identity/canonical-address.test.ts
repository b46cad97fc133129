import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalAddress } from '../../src/identity/canonical-address.ts';
import { knownSpellings } from '../../src/identity/spellings.ts';
import { aHome, anotherOf, CHANGES, spelled, spellings } from './homes.ts';

describe('canonicalAddress', () => {
  it('is the same for any spelling of a home, in any order of its parts', () => {
    fc.assert(
      fc.property(aHome, spellings, spellings, (home, one, other) => {
        expect(canonicalAddress(spelled(home, other))).toBe(canonicalAddress(spelled(home, one)));
      }),
      { numRuns: 2000 },
    );
  });

  it.each(CHANGES)('is another for another %s, in any spelling', (part) => {
    fc.assert(
      fc.property(aHome, spellings, spellings, fc.nat(), (home, one, other, seed) => {
        const moved = anotherOf(home, part, seed);
        expect(canonicalAddress(spelled(moved, other))).not.toBe(
          canonicalAddress(spelled(home, one)),
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['case and white space', '12 Main St, Reno, NV', '12  MAIN\tst ,reno,nv'],
    ['accents', '12 Calle José, Cañon City, CO', '12 Calle Jose, Canon City, CO'],
    ['a letter that no accent explains', 'Løvgade 3, Århus, Denmark', 'Lovgade 3, Arhus, DK'],
    ['stops', 'P.O. Box 7, St. Paul, MN', 'PO Box 7, St Paul, MN'],
    ['a stop instead of a space', '12 Main St.Louis', '12 Main St. Louis'],
    ['apostrophes', '12 Oak St, O’Fallon, MO', "12 Oak St, O'Fallon, MO"],
    [
      'apostrophes that became a space',
      "9 D'Arcy Ln, Coeur d'Alene, ID",
      '9 D ARCY LN, COEUR D ALENE, ID',
    ],
    ['hyphens', '12 Oak St, Winston-Salem, NC', '12 Oak St, Winston Salem, NC'],
    ['lines', '12 Oak St\nApt 4\nReno, NV', '12 Oak St, Apt 4, Reno, NV'],
    ['the order of the parts', 'Reno, NV, 12 Oak St, 89501', '12 Oak St, Reno, NV, 89501'],
    ['no commas', '12 Oak St Apt 4 Reno NV 89501 USA', '12 Oak St, Apt 4, Reno, NV, 89501'],
    ['full-width signs', '１２ Oak St，Reno', '12 Oak St, Reno'],
    ['a zero-width space', '12 Oak\u200b St, Reno', '12 Oak St, Reno'],
  ])('folds %s', (_, one, other) => {
    expect(canonicalAddress(other)).toBe(canonicalAddress(one));
  });

  it.each([
    ['12 North Main Street', '12 N Main St', '12 n. main str.'],
    ['5 South West Avenue', '5 SW Ave', '5 S.W. Av', '5 Southwest Aven'],
    ['1 First Street', '1 1st St', 'One 1ST Street'],
    ['1 Twenty-First Street', '1 21st St', '1 twenty first st'],
    ['9 Saint Marys Boulevard', '9 St. Mary’s Blvd', "9 ST MARY'S BOUL"],
    ['9 Doctor Martin Luther King Junior Drive', '9 Dr. Martin Luther King, Jr. Dr'],
    ['12 Mount Vernon Pike', '12 Mt. Vernon Pike'],
    ['12½ Elm Road', '12 1/2 Elm Rd', '12 ½ ELM RD'],
    ['14 US Highway 50', '14 U.S. Hwy 50', '14 US 50', '14 United States Highway 50'],
    ['14 State Route 9', '14 SR 9', '14 State Rd 9'],
    ['14 County Road 12', '14 CR 12', '14 Co Rd 12'],
    ['14 Interstate 35', '14 I-35', '14 IH-35', '14 I 35'],
    ['Rural Route 2 Box 7', 'RR 2, Box 7', 'R.R. 2 Box 07'],
    ['P.O. Box 12345', 'POB 12345', 'Post Office Box 12345', 'P O BOX 12345', 'PO Box #12345'],
  ])('knows the words of streets: %s', (one, ...others) => {
    for (const other of others) expect(canonicalAddress(other)).toBe(canonicalAddress(one));
  });

  it.each([
    ['1 Elm St Apartment 4', 'Apt 4, 1 Elm St', '1 Elm St #4', '1 Elm St # 4', '1 Elm St Apt. #4'],
    ['1 Elm St Suite 400', '1 Elm St Ste 400', '1 Elm St Unit 400', '1 Elm St, Ste. No. 400'],
    ['1 Elm St Apt 4B', '1 Elm St Apt 4-B', '1 Elm St Apt 4 B', '1 Elm St #4b'],
    ['1 Elm St Apt B', '1 Elm St #B', '1 Elm St Unit b'],
    ['1 Elm St Apt 04', '1 Elm St Apt 4'],
    ['1 Elm St 4th Floor', '1 Elm St Fl 4', '1 Elm St, Floor Four', 'Fourth Fl, 1 Elm St'],
    ['1 Elm St Building 2 Room 3', '1 Elm St Bldg 2 Rm 3', 'Rm 3, Bldg. 2, 1 Elm St'],
  ])('knows the parts of buildings: %s', (one, ...others) => {
    for (const other of others) expect(canonicalAddress(other)).toBe(canonicalAddress(one));
  });

  it('counts the number of an apartment as no house number, and a floor as no apartment', () => {
    const texts = [
      ...[
        '12 Elm St Apt 4',
        '4 Elm St Apt 12',
        '12 Elm St Fl 4',
        '12 Elm St Bldg 4',
        '12 4 Elm St',
      ],
      ...['12 Elm St Bldg 3 Apt 5', '12 Elm St Bldg 5 Apt 3', '12 Highway 50', '50 Highway 12'],
      ...[
        '12 Elm St Apt 5',
        '12 Elm St',
        '12 5th St',
        '5 12th St',
        'PO Box 12',
        '12 Elm St Apt 12-14',
      ],
      ...['12 Elm St Apt 1214', '12 Elm St E', '12 Elm Ave', '12 Elm', '1214 Elm', '12-14 Elm'],
    ];
    expect(new Set(texts.map(canonicalAddress)).size).toBe(texts.length);
  });

  it.each([
    ['62701-1234', '62701', '627011234', '62701 1234', '62701 - 9876', '62701–0001'],
    ['02139', '02139-4307', '2139', '2139-4307'],
  ])(
    'reads ZIP codes with four more digits, and those that lost their zero: %s',
    (one, ...others) => {
      const state = one.startsWith('0') ? 'Massachusetts' : 'Illinois';
      const code = one.startsWith('0') ? 'MA' : 'IL';
      const expected = canonicalAddress(`9 Elm Street, Springfield, ${state}, ${one}`);
      for (const zip of [one, ...others]) {
        expect(canonicalAddress(`9 Elm St, Springfield, ${code}, ${zip}`)).toBe(expected);
        expect(canonicalAddress(`9 Elm St, Springfield ${code} ${zip}`)).toBe(expected);
      }
    },
  );

  it('reads Canadian postal codes with and without the space', () => {
    const home = (zip: string) => canonicalAddress(`9 King St W, Toronto, ON, ${zip}, Canada`);
    for (const zip of ['M5V2T6', 'm5v 2t6', 'M5V-2T6']) expect(home(zip)).toBe(home('M5V 2T6'));
    expect(home('M5V 2T7')).not.toBe(home('M5V 2T6'));
  });

  it('takes a house number of four or nine digits for what it is', () => {
    const home = (number: string) => canonicalAddress(`${number} Elm St, Boston, MA, 02139`);
    expect(home('2139')).not.toBe(home('02139'));
    expect(home('2139')).toContain('2139 ');
    expect(canonicalAddress('1200 Elm St, Reno, NV, 9501')).not.toContain('09501');
  });

  it.each([
    [
      'US',
      'USA',
      'U.S.',
      'U.S.A.',
      'U. S. A.',
      'United States',
      'UNITED STATES OF AMERICA',
      'Estados Unidos',
    ],
    ['GB', 'GBR', 'UK', 'U.K.', 'United Kingdom', 'Great Britain', 'England', 'Royaume-Uni'],
    ['DE', 'DEU', 'Germany', 'Deutschland', 'Allemagne', 'Alemania'],
    ['FR', 'FRA', 'France', 'Frankreich', 'Francia', 'França'],
    ['KR', 'KOR', 'South Korea', 'Korea, Republic of', 'Corée du Sud'],
    ['NL', 'NLD', 'Netherlands', 'The Netherlands', 'Holland', 'Nederland', 'Pays-Bas'],
    ['CI', 'CIV', "Côte d'Ivoire", 'COTE D IVOIRE', 'Ivory Coast'],
    ['GE', 'GEO', 'Georgia', 'Georgien'],
    ['BA', 'BIH', 'Bosnia and Herzegovina', 'Bosnia & Herzegovina'],
    ['VN', 'VNM', 'Vietnam', 'Viet Nam'],
  ])('knows countries by codes, by their names and in other languages: %s', (one, ...others) => {
    const street = '1 High Road, Newtown';
    const expected = canonicalAddress(`${street}, ${one}`);
    expect(expected).not.toBe(canonicalAddress(street));
    for (const other of others) {
      expect(canonicalAddress(`${street}, ${other}`)).toBe(expected);
      expect(canonicalAddress(`${other}, ${street.toUpperCase()}`)).toBe(expected);
    }
  });

  it('takes the United States as said where there are a state and a ZIP code', () => {
    const home = '1 Elm St, Reno, Nevada, 89501';
    expect(canonicalAddress(`${home}, USA`)).toBe(canonicalAddress(home));
    for (const [text, country] of [
      [home, 'Canada'],
      ['1 Elm St, Reno, NV', 'USA'],
      ['1 Elm St, Reno, 89501', 'USA'],
      ['1 Elm St', 'USA'],
    ]) {
      expect(canonicalAddress(`${text}, ${country}`)).not.toBe(canonicalAddress(`${text}`));
    }
  });

  it('is not confused by words that are states, countries and parts of streets', () => {
    const same = [
      ['5 Delaware Ave, Buffalo, New York', '5 DELAWARE AVE, BUFFALO, NY'],
      ['5 West Virginia Avenue, San Jose, CA', '5 W VIRGINIA AVE, SAN JOSE, CA'],
      ['5 K St NW, Washington, DC 20006', '5 K Street Northwest, Washington, D.C. 20006'],
      ['5 New Jersey Ave, Jersey City, NJ', '5 NEW JERSEY AVENUE, JERSEY CITY, N.J.'],
      ['5 Oak Court, Hartford, Connecticut', '5 OAK CT, HARTFORD, CT'],
      ['5 Elm St, Miami, Florida 33101', '5 Elm St, Miami FL 33101'],
      ['5 Elm St, Key West, FL', '5 Elm St, Ky West, Florida'],
      ['5 Elm St, Ontario, California, 91761, USA', '5 Elm St, Ontario, CA, 91761'],
      ['5 Elm St, Toronto, Ontario, Canada', '5 Elm St, Toronto, ON, CA'],
      ['5 Elm St, Mexico, Missouri', '5 ELM ST, MEXICO, MO'],
      ['5 Avenue D, Brooklyn, NY', '5 AVE D, Brooklyn, New York'],
      ['5 D Street, Reno, NV', '5 D ST, RENO, NV'],
      ['Apt D, 5 Oak St', '5 Oak St #D'],
      ['Sault Ste. Marie, MI', 'Sault Sainte Marie, Michigan'],
      ['5 Rue de la Paix, Paris, France', '5, rue de la paix, PARIS, FR'],
    ];
    for (const [one = '', other = ''] of same) {
      expect(canonicalAddress(other)).toBe(canonicalAddress(one));
    }
    const places = [
      ...['NE', 'Nevada', 'Georgia', 'Gabon', 'Germany', 'Poland', 'Iceland', 'Maine'],
      ...[
        'Washington',
        'West Virginia',
        'Virginia',
        'New Mexico',
        'Mexico',
        'Jersey',
        'NJ',
        'Sweden',
      ],
    ];
    const homes = places.map((place) => canonicalAddress(`5 Elm Pl SE, Springfield, ${place}`));
    // Georgia and Gabon share the code GA (decision 9).
    expect(new Set(homes).size).toBe(places.length - 1);
  });

  it('has the same text for the same code, be it a state or a country', () => {
    for (const [state, country] of [
      ['Delaware', 'Germany'],
      ['California', 'Canada'],
      ['Indiana', 'India'],
    ]) {
      expect(canonicalAddress(`1 Elm St, Springfield, ${state}`)).toBe(
        canonicalAddress(`1 Elm St, Springfield, ${country}`),
      );
    }
  });

  it('leaves different what it does not know', () => {
    const texts = [
      '???',
      '!!!',
      '東京都千代田区',
      '東京都港区',
      'ул. Ленина 5',
      'ул. Мира 5',
      'कि',
      'की',
    ];
    expect(new Set(texts.map(canonicalAddress)).size).toBe(texts.length);
    expect(canonicalAddress('УЛ. ЛЕНИНА, 5')).toBe(canonicalAddress('5, ул. Ленина'));
    expect(canonicalAddress('  ')).toBe('');
    expect(canonicalAddress('')).toBe('');
  });

  it('takes any text, and cares for no case and no white space in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(typeof canonicalAddress(text)).toBe('string');
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(canonicalAddress(`  ${text.toUpperCase()} `)).toBe(canonicalAddress(text));
      }),
    );
  });
});

describe('what fingerprints on disk were made with', () => {
  /** Changing the rules makes contacts look new, which costs a credit for each contact (decision 9). */
  it('is the text that an address has always had', () => {
    const texts = {
      '12 North Main Street, Apartment 4, Springfield, Illinois, 62701-1234, United States':
        '12 62701 il main n springfield st unit:4',
      'P.O. Box 007, O’Fallon, Mo.': 'box:7 mo ofallon',
      '9 Rue de l’Église, 75002 Paris, Frankreich': '75002 9 FR de leglise paris rue',
      '12-14 Twenty-First St SW, 4th Floor, Boston MA 2139':
        '02139 12-14 21st boston fl:4 ma st sw',
    };
    for (const [text, canonical] of Object.entries(texts)) {
      expect(canonicalAddress(text)).toBe(canonical);
    }
  });
});

describe('the known spellings', () => {
  it('lead to words that are themselves not another spelling', () => {
    const { words, phrases, parts } = knownSpellings();
    const canonicals = [
      ...words.values(),
      ...[...phrases.values()].flat().map(({ canonical }) => canonical),
      ...parts.values(),
    ];
    expect(canonicals.filter((word) => (words.get(word) ?? word) !== word)).toEqual([]);
  });

  /**
   * This test fails if a table or the library's version changes. Each contact whose address contains a changed word
   * would then look new and cost a credit. Decision 9 explains what to do.
   */
  it('are those that the fingerprints on disk were made with', () => {
    const { words, phrases, parts } = knownSpellings();
    const all = [
      ...[...words].map(([word, canonical]) => `${word} ${canonical}`),
      ...[...phrases.values()]
        .flat()
        .map(({ words, canonical }) => `${words.join(' ')} ${canonical}`),
      ...[...parts].map(([part, canonical]) => `${part},${canonical}`),
    ];
    const digest = createHash('sha256').update(all.sort().join('\n')).digest('hex');
    expect(digest).toBe('3476793e06fd333cf95f1f051efcdb9a66dd47f19bc0f18adc4cd2d2d1bd568a');
  });
});
