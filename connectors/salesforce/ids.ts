const CHECK_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';
const ID = /^[a-zA-Z0-9]{15}(?:[a-zA-Z0-9]{3})?$/;

/** The length of an ID without the characters that encode upper and lower case. */
const SHORT_LENGTH = 15;

/** The kinds of record, distinguished by the first three characters of their IDs. */
export const ID_PREFIXES = { account: '001', contact: '003', report: '00O', campaign: '701' };

/**
 * Returns the ID in the 18-character form, which Salesforce's API uses, or null if the text is not an ID of that kind.
 *
 * The last three characters encode which of the others are capitals. With 15 characters, each counts as typed: `a` and
 * `A` are two records. With 18, the check characters may be in either case. If a program has made all letters lower or
 * upper case, they restore the rest, as Apex's `Id.valueOf(text, true)` does. If letters of both cases contradict them,
 * one of the two was mistyped and might lead to another record, so the text does not count as an ID.
 */
export function longId(text: string, prefix: string): string | null {
  const id = ID.test(text) ? longForm(text) : null;
  return id?.startsWith(prefix) ? id : null;
}

/** Returns the canonical form of a contact's ID, from any form that users and programs type. */
export function contactId(text: string): string | null {
  return longId(text.trim(), ID_PREFIXES.contact);
}

/** Returns the other forms of an ID of 18 characters that users and programs may type. */
export function otherForms(id: string): string[] {
  const forms = [id.slice(0, SHORT_LENGTH), id.toLowerCase(), id.toUpperCase()];
  return forms.filter((form) => form !== id);
}

/**
 * Returns the ID in the same form, but returns a text that is not a contact's ID unchanged, so Salesforce rejects it.
 */
export function contactIdOrText(text: string): string {
  return contactId(text) ?? text;
}

function longForm(text: string): string | null {
  const short = text.slice(0, SHORT_LENGTH);
  const id = short + toCheckCharacters(short);
  const isConsistent = id === short + text.slice(SHORT_LENGTH).toUpperCase();
  if (text.length === SHORT_LENGTH || isConsistent) return id;
  const isFolded = text === text.toLowerCase() || text === text.toUpperCase();
  return isFolded ? restored(text) : null;
}

/** Returns the ID with its letters in the case that its check characters encode, or null if this is impossible. */
function restored(folded: string): string | null {
  const check = folded.slice(SHORT_LENGTH).toUpperCase();
  let short = '';
  for (let at = 0; at < SHORT_LENGTH; at += 1) {
    const bits = CHECK_CHARACTERS.indexOf(check.charAt(Math.floor(at / CHUNK)));
    const isCapital = Math.floor(bits / 2 ** (at % CHUNK)) % 2 === 1;
    const character = folded.charAt(at);
    short += isCapital ? character.toUpperCase() : character.toLowerCase();
  }
  // This finds a digit where a capital is expected, and an invalid check character.
  return toCheckCharacters(short) === check ? short + check : null;
}

function toCheckCharacters(short: string): string {
  let check = '';
  for (let start = 0; start < SHORT_LENGTH; start += CHUNK) {
    check += CHECK_CHARACTERS.charAt(capitalBits(short, start));
  }
  return check;
}

/** How many characters one check character encodes. */
const CHUNK = 5;

/** Returns one bit for each capital among the five characters. The first character's bit is the lowest. */
function capitalBits(text: string, start: number): number {
  let bits = 0;
  for (let at = 0; at < CHUNK; at += 1) {
    const code = text.charCodeAt(start + at);
    if (code >= 65 && code <= 90) bits += 2 ** at;
  }
  return bits;
}
