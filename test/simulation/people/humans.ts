/**
 * Creates the simulated people, and spells their names as CRMs do. Each number in an address or an employer is unique.
 * The numbers in a request therefore identify the person and the details that the request contains.
 */
import type { Random } from '../random.ts';

export interface Human {
  index: number;
  first: string;
  last: string;
  /** The right donor ID. */
  donorId: string;
}

/** The details that a contact has of its person at one time. */
export interface Details {
  address: Place;
  employer: Place;
}

/** An address or an employer in one of several spellings. The number does not change. */
interface Place {
  number: number;
  spelling: number;
}

const FIRSTS = [
  'Anna',
  'Bruno',
  'Clara',
  'David',
  'Elena',
  'Felix',
  'Grace',
  'Henry',
  'Iris',
  'Jonas',
];
// The beginnings of last names. Any two beginnings differ by more than one letter, because the product treats names
// that differ by one letter as the same name.
const STARTS = ['Bel', 'Cor', 'Dun', 'Fal', 'Gar', 'Hol', 'Kim', 'Lus', 'Mig', 'Vis', 'Pyn', 'Tav'];
const MIDDLES = ['an', 'eb', 'id', 'om', 'ur', 'isk', 'ock', 'uth'];
const ENDS = ['ford', 'ley', 'well', 'wick', 'burn', 'stead', 'thorpe', 'gate'];

export interface Humans {
  /** Returns a new person. */
  another(): Human;
  /** Returns details that nobody had before. */
  details(): Details;
  address(): Place;
  employer(): Place;
  all: readonly Human[];
  byDonorId(donorId: string): Human | undefined;
  byLastName(last: string): Human | undefined;
}

export function createHumans(random: Random): Humans {
  const all: Human[] = [];
  let numbers = 100;
  const place = () => {
    numbers += 1;
    return { number: numbers, spelling: 0 };
  };
  return {
    all,
    another() {
      const index = all.length;
      const last =
        (STARTS[index % 12] ?? '') +
        (MIDDLES[Math.floor(index / 12) % 8] ?? '') +
        (ENDS[(index + Math.floor(index / 96)) % 8] ?? '');
      const first = random.one(FIRSTS) ?? 'Anna';
      const donorId = (index + 1).toString(16).padStart(4, '0').repeat(8);
      const human = { index, first, last, donorId };
      all.push(human);
      return human;
    },
    details: () => ({ address: place(), employer: place() }),
    address: place,
    employer: place,
    byDonorId: (donorId) => all.find((human) => human.donorId === donorId),
    byLastName: (last) => all.find((human) => human.last === last),
  };
}

/**
 * Returns one of 16 equivalent forms of a first name. The form distinguishes several records of the same person, and
 * identifies the record that a process submitted.
 */
export function firstNameOf({ first }: Human, way: number): string {
  return [...first]
    .map((letter, at) => (((way >> at) & 1) === 0 ? letter : otherCaseOf(letter)))
    .join('');
}

function otherCaseOf(letter: string): string {
  const lower = letter.toLowerCase();
  return letter === lower ? letter.toUpperCase() : lower;
}

/** The ways to write one address. */
const ADDRESSES: readonly ((number: number) => string)[] = [
  (number) => `${number} Oak Street, Springfield, OH 45501`,
  (number) => `${number} Oak St, Springfield, OH 45501`,
  (number) => `${number} OAK STREET, SPRINGFIELD, OH 45501`,
  (number) => `${number} Oak St., Springfield, OH 45501-1234`,
];

export const SPELLINGS = ADDRESSES.length;

export function addressText({ number, spelling }: Place): string {
  return (ADDRESSES[spelling % ADDRESSES.length] ?? String)(number);
}

export function employerText({ number }: Place): string {
  return `Works ${number} Foundation`;
}

/** Returns the number that a request's address or employer contains, or null if it contains none. */
export function numberIn(text: string | undefined): number | null {
  const found = /\d+/.exec(text ?? '')?.[0];
  return found === undefined ? null : Number(found);
}
