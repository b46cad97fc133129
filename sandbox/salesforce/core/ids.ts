/** Record ids: 15 characters that tell upper from lower case, and 3 more that make up for it. */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECK_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/** The instance on which the org lives, as its ids show it, and a digit that is always 0. */
const INSTANCE = 'Hs0';
const NUMBER_DIGITS = 9;
const SHORT_LENGTH = 15;
const CHECK_LENGTH = 3;
const CHUNK = SHORT_LENGTH / CHECK_LENGTH;

/** The 18-character id of the nth record (from 0) of the type with this prefix of three. */
export function createId(keyPrefix: string, number: number): string {
  return toLongId(keyPrefix + INSTANCE + toDigits(number));
}

/** The 18-character form of an id of either form; null for what is no id. */
export function readId(text: string): string | null {
  if (!/^[0-9A-Za-z]{15}(?:[0-9A-Za-z]{3})?$/.test(text)) return null;
  const long = toLongId(text.slice(0, SHORT_LENGTH));
  return text.length === SHORT_LENGTH || text === long ? long : null;
}

/** Whether an id belongs to the type with this prefix. */
export function hasPrefix(id: string, keyPrefix: string): boolean {
  return id.startsWith(keyPrefix);
}

/** The form that the user interface shows. */
export function toShortId(id: string): string {
  return id.slice(0, SHORT_LENGTH);
}

function toLongId(short: string): string {
  return short + checkDigit(short, 0) + checkDigit(short, 1) + checkDigit(short, 2);
}

/** Five bits, the first character of the chunk in the lowest: 1 for a capital letter. */
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
