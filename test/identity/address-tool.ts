/**
 * Simulates a tool that verifies addresses overnight and writes them in the form that the Postal Service certifies
 * (CASS). The product has different word lists.
 */

/** An address in the fields of a CRM. */
export interface AddressFields {
  street: string;
  city: string;
  state: string;
  postalCode: string;
  country: string;
}

const SUFFIXES: Readonly<Record<string, string>> = {
  STREET: 'ST',
  AVENUE: 'AVE',
  ROAD: 'RD',
  DRIVE: 'DR',
  LANE: 'LN',
  COURT: 'CT',
  PLACE: 'PL',
  BOULEVARD: 'BLVD',
  TERRACE: 'TER',
  CIRCLE: 'CIR',
};
const DIRECTIONS: Readonly<Record<string, string>> = {
  NORTH: 'N',
  SOUTH: 'S',
  EAST: 'E',
  WEST: 'W',
};

/**
 * Returns the address in capitals without punctuation. Abbreviates the street type and direction, names the unit,
 * adds ZIP+4, and removes the country.
 */
export function verified({ street, city, state, postalCode }: AddressFields): AddressFields {
  return {
    street: verifiedStreet(street),
    city: plain(city),
    state: plain(state),
    postalCode: `${postalCode}-${fourMoreDigits(street)}`,
    country: '',
  };
}

function verifiedStreet(street: string): string {
  const [line = '', unit] = plain(street).split(/ (?:APARTMENT|APT|#) ?/);
  const words = line.split(' ');
  const last = words.length - 1;
  const short = words.map((word, index) => {
    if (index === last) return SUFFIXES[word] ?? word;
    // A word is a direction only before a street name, so 5 North Street does not change.
    return index === 1 && last > 2 ? (DIRECTIONS[word] ?? word) : word;
  });
  return [...short, ...(unit === undefined ? [] : ['APT', unit])].join(' ');
}

function plain(text: string): string {
  return text.toUpperCase().replace(/[.,]/g, '').replace(/#/g, ' # ').replace(/ +/g, ' ').trim();
}

function fourMoreDigits(street: string): string {
  let sum = 0;
  for (const letter of street) sum = (sum * 31 + letter.charCodeAt(0)) % 10_000;
  return String(sum).padStart(4, '0');
}
