/** Names as people type them into a CRM. */

import { MESS_RATES } from './mess.ts';
import { nicknamesOf } from './nicknames.ts';
import type { Name } from './person.ts';
import { between, chance, type Draw, pick } from './random.ts';

/** The two name fields of a CRM. */
export interface NameFields {
  firstName: string | null;
  lastName: string | null;
}

/** A shorter name is spared if the other is longer: what remained of it would be another name. */
const SHORTEST_MISSPELT = 4;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';

/** What a row of a contact list makes of a name, at the rates of `MESS_RATES`. */
export function messyName(draw: Draw, name: Name): NameFields {
  const fields = spoil(draw, name);
  return chance(draw, MESS_RATES.allCaps) ? inCapitals(fields) : fields;
}

/** The kinds of mess stand side by side between 0 and 1; one draw decides which of them, if any, it is. */
function spoil(draw: Draw, { first, middle, last }: Name): NameFields {
  const plain = { firstName: first, lastName: last };
  let left = draw();
  const falls = (rate: number) => {
    left -= rate;
    return left < 0;
  };
  if (falls(MESS_RATES.typo)) return misspell(draw, first, last);
  if (falls(MESS_RATES.initial)) return { ...plain, firstName: `${first.slice(0, 1)}.` };
  if (falls(MESS_RATES.missingName / 2)) return { ...plain, firstName: null };
  if (falls(MESS_RATES.missingName / 2)) return { ...plain, lastName: null };
  if (falls(MESS_RATES.nickname)) return { ...plain, firstName: drawNickname(draw, first) };
  if (middle && falls(MESS_RATES.middleInFirstName)) {
    return { ...plain, firstName: `${first} ${middle}` };
  }
  return plain;
}

function drawNickname(draw: Draw, first: string): string {
  const nicknames = nicknamesOf(first);
  return nicknames.length > 0 ? pick(draw, nicknames) : first;
}

function misspell(draw: Draw, first: string, last: string): NameFields {
  const inFirst = chance(draw, 0.5)
    ? first.length >= SHORTEST_MISSPELT
    : last.length < SHORTEST_MISSPELT;
  return inFirst
    ? { firstName: withTypo(draw, first), lastName: last }
    : { firstName: first, lastName: withTypo(draw, last) };
}

/** One slip of the finger, never on the first letter; the outcome always differs from the word. */
function withTypo(draw: Draw, word: string): string {
  const position = between(draw, 1, word.length - 2);
  const before = word.slice(0, position);
  const letter = word.charAt(position);
  const after = word.slice(position + 1);
  const slip = between(draw, 0, 3);
  if (slip === 0) return before + after;
  if (slip === 1) return before + letter + letter + after;
  if (slip === 2 && letter !== after.charAt(0)) {
    return before + after.charAt(0) + letter + after.slice(1);
  }
  return before + pick(draw, [...ALPHABET.replace(letter, '')]) + after;
}

function inCapitals({ firstName, lastName }: NameFields): NameFields {
  return {
    firstName: firstName?.toUpperCase() ?? null,
    lastName: lastName?.toUpperCase() ?? null,
  };
}
