/** Record IDs. An ID has 15 case-sensitive characters and 3 more characters that encode the letter case. */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECK_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/** The part of an ID that names the org's instance, and a digit that is always 0. */
const INSTANCE = 'Hs0';
const NUMBER_DIGITS = 9;
const SHORT_LENGTH = 15;
const CHECK_LENGTH = 3;
const CHUNK = SHORT_LENGTH / CHECK_LENGTH;

/**
 * Returns the 18-character ID of the nth record, counted from 0. The prefix with three characters determines the object
 * type.
 */
export function createId(keyPrefix: string, number: number): string {
  return toLongId(keyPrefix + INSTANCE + toDigits(number));
}

/** Returns the 18-character form of an ID, or null if the text is not an ID. */
export function readId(text: string): string | null {
  if (!/^[0-9A-Za-z]{15}(?:[0-9A-Za-z]{3})?$/.test(text)) return null;
  const long = toLongId(text.slice(0, SHORT_LENGTH));
  return text.length === SHORT_LENGTH || text === long ? long : null;
}

/** True if an ID belongs to the type with this prefix. */
export function hasPrefix(id: string, keyPrefix: string): boolean {
  return id.startsWith(keyPrefix);
}

/** Returns the 15-character form of an ID, which Salesforce's pages show. */
export function toShortId(id: string): string {
  return id.slice(0, SHORT_LENGTH);
}

function toLongId(short: string): string {
  return short + checkDigit(short, 0) + checkDigit(short, 1) + checkDigit(short, 2);
}

/**
 * Encodes five bits. The first character of the chunk sets the lowest bit, and 1 means a capital
 * letter.
 */
function checkDigit(short: string, chunk: number): string {
  let bits = 0;
  for (let place = 0; place < CHUNK; place += 1) {
    const character = short.charAt(chunk * CHUNK + place);
    if (character >= 'A' && character <= 'Z') bits += 2 ** place;
  }
  return CHECK_DIGITS.charAt(bits);
}

function toDigits(number: number): string {
  let rest = number;
  let digits = '';
  for (let place = 0; place < NUMBER_DIGITS; place += 1) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
