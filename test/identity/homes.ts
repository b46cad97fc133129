/** Generates American homes, all spellings of their addresses, and moves. The product has different word lists. */
import fc from 'fast-check';

/** A home. Each part has several spellings. */
export interface Home {
  house: Fact;
  direction: Fact;
  street: Fact;
  type: Fact;
  unit: Fact;
  city: Fact;
  state: Fact;
  zip: Fact;
}

/** All spellings of one part of an address. One spelling can be empty. */
type Fact = readonly string[];

/** Random choices for the spelling of a home's address. */
export type Spellings = readonly number[];

const HOUSES: readonly Fact[] = [
  ...['4', '12', '40', '1200', '9899', '12-14', '12A'].map((number) => [number]),
  ['1', 'One'],
];
const DIRECTIONS: readonly Fact[] = [
  [''],
  ['North', 'N', 'N.'],
  ['South', 'S', 'S.'],
  ['East', 'E', 'E.'],
  ['West', 'W', 'W.'],
  ['Northwest', 'NW', 'N.W.', 'North West'],
  ['Southeast', 'SE', 'S.E.', 'South-East'],
];
const STREETS: readonly Fact[] = [
  ...['Oak', 'Maple', 'Martin Luther King', 'Washington', 'Madison', '45th'].map((name) => [name]),
  ['Fifth', '5th', '5TH'],
  ['Twenty-First', '21st', 'Twenty First'],
  ["O'Fallon", 'O’Fallon', 'OFallon', 'O Fallon'],
  ['Saint Marys', 'St. Mary’s', "St Mary's"],
  ['Mount Vernon', 'Mt. Vernon', 'Mt Vernon'],
  ['Forest Hill', 'Frst Hl'],
  ['Winston-Salem', 'Winston Salem'],
  ['José', 'Jose'],
];
const TYPES: readonly Fact[] = [
  ['Street', 'St', 'St.', 'Str'],
  ['Avenue', 'Ave', 'Ave.', 'Av'],
  ['Road', 'Rd', 'Rd.'],
  ['Drive', 'Dr', 'Dr.'],
  ['Lane', 'Ln', 'Ln.'],
  ['Court', 'Ct', 'Ct.'],
  ['Place', 'Pl', 'Pl.'],
  ['Boulevard', 'Blvd', 'Blvd.', 'Boul'],
  ['Terrace', 'Ter', 'Terr.'],
  ['Circle', 'Cir', 'Circ.'],
  ['Parkway', 'Pkwy', 'Pky'],
  ['Square', 'Sq', 'Sq.'],
  ['Way'],
];
const UNITS: readonly Fact[] = [
  [''],
  ...['4', '5', '12', '4B', 'B', '400'].map((number) =>
    ['Apartment ', 'Apt ', 'Apt. ', '#', '# ', 'Apt #', 'Unit ', 'Suite ', 'Ste. '].map(
      (word) => word + number,
    ),
  ),
  ['4th Floor', 'Floor 4', 'Fl 4', 'FL. 4', 'Fourth Floor'],
  ['Building 4', 'Bldg 4', 'Bldg. 4'],
];
const CITIES: readonly Fact[] = [
  ...['Springfield', 'Columbia', 'New York', 'Kansas City'].map((name) => [name]),
  ['Saint Louis', 'St. Louis', 'St Louis'],
  ['Fort Worth', 'Ft. Worth', 'Ft Worth'],
  ['Winston Salem', 'Winston-Salem'],
  ['Virginia Beach', 'Virginia Bch'],
  ["Coeur d'Alene", 'Coeur d’Alene', 'Coeur D Alene'],
];
const STATES: readonly Fact[] = [
  ['Illinois', 'IL', 'Il.'],
  ['New York', 'NY', 'N.Y.'],
  ['North Carolina', 'NC', 'N.C.', 'N. Carolina'],
  ['South Carolina', 'SC', 'S.C.'],
  ['West Virginia', 'WV', 'W. Virginia'],
  ['Virginia', 'VA', 'Va.'],
  ['Connecticut', 'CT', 'Conn.'],
  ['Nebraska', 'NE', 'Nebr.'],
  ['Florida', 'FL', 'Fla.'],
  ['Washington', 'WA'],
  ['District of Columbia', 'DC', 'D.C.'],
  ['Indiana', 'IN'],
  ['Oregon', 'OR'],
  ['California', 'CA', 'Calif.'],
  ['Delaware', 'DE'],
  ['Puerto Rico', 'PR', 'P.R.'],
];
const ZIPS: readonly Fact[] = ['62701', '62702', '02139', '10001', '90210'].map((zip) => [
  zip,
  `${zip}-1234`,
  `${zip}-0001`,
  `${zip}1234`,
]);
const COUNTRIES = ['', 'US', 'USA', 'U.S.A.', 'United States', 'United States of America'];

const FACTS = {
  house: HOUSES,
  direction: DIRECTIONS,
  street: STREETS,
  type: TYPES,
  unit: UNITS,
  city: CITIES,
  state: STATES,
  zip: ZIPS,
} satisfies Record<keyof Home, readonly Fact[]>;

/** A test can change each of these parts of a home. */
export const CHANGES = [
  'house',
  'direction',
  'street',
  'type',
  'unit',
  'city',
  'state',
  'zip',
] as const satisfies (keyof Home)[];

/** Generates a random home. */
export const aHome: fc.Arbitrary<Home> = fc.record({
  house: fc.constantFrom(...HOUSES),
  direction: fc.constantFrom(...DIRECTIONS),
  street: fc.constantFrom(...STREETS),
  type: fc.constantFrom(...TYPES),
  unit: fc.constantFrom(...UNITS),
  city: fc.constantFrom(...CITIES),
  state: fc.constantFrom(...STATES),
  zip: fc.constantFrom(...ZIPS),
});

/** Generates random choices for the spelling of a home's address. */
export const spellings: fc.Arbitrary<Spellings> = fc.array(fc.nat(1_000_000), {
  minLength: 16,
  maxLength: 16,
});

/** Returns the home with one part changed. */
export function anotherOf(home: Home, part: keyof Home, seed: number): Home {
  const others = FACTS[part].filter((fact) => fact !== home[part]);
  return { ...home, [part]: others[seed % others.length] ?? home[part] };
}

/** Writes the home's address. The choices determine synonyms, case, order of the parts, commas and spaces. */
export function spelled(home: Home, choices: Spellings): string {
  let next = 0;
  const choose = <T>(of: readonly T[]): T | undefined =>
    of[(choices[next++ % choices.length] ?? 0) % of.length];
  const write = (fact: Fact) => choose(fact) ?? '';
  const streetLine = [home.house, home.direction, home.street, home.type].map(write);
  const unit = write(home.unit);
  const isOwnPart = choose([true, false]);
  const state = write(home.state);
  const zip = write(home.zip);
  const stateAndZip = choose([true, false]) ? [`${state} ${zip}`] : [state, zip];
  const parts = [
    ...(isOwnPart ? [streetLine.join(' '), unit] : [[...streetLine, unit].join(' ')]),
    write(home.city),
    ...stateAndZip,
    choose(COUNTRIES) ?? '',
  ].filter((part) => part.trim() !== '');
  const shift = (choose([0, 0, 1, 2, 3]) ?? 0) % parts.length;
  const rotated = [...parts.slice(shift), ...parts.slice(0, shift)];
  const text = rotated.join(choose([', ', ',', ' , ', '\n', '; ', ' ']));
  const inCase = choose(['as is', 'upper', 'lower']);
  if (inCase === 'upper') return text.toUpperCase();
  return inCase === 'lower' ? ` ${text.toLowerCase()} ` : text.replaceAll(' ', '  ');
}
