const CHECK_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';
const ID = /^[a-zA-Z0-9]{15}(?:[a-zA-Z0-9]{3})?$/;

/** Characters of an id without those that make up for its letter case. */
const SHORT_LENGTH = 15;

/** The kinds of record that differ by the first three characters of their ids. */
export const ID_PREFIXES = { account: '001', contact: '003', report: '00O', campaign: '701' };

/**
 * The id in the form of 18 characters, which Salesforce's API uses; null if the text is no id of
 * that kind.
 *
 * The last three characters say which of the others are capitals. Of 15 characters every one
 * counts as it is typed: `a` and `A` are two records. Of 18 the check characters may be in either
 * case. Where a program has made all letters small or all capital, they restore the rest, as
 * Apex's `Id.valueOf(text, true)` does. Where letters of both cases contradict them, one of the two
 * was mistyped: the neighbour that it leads to is another record, so the text is taken for no id.
 */
export function longId(text: string, prefix: string): string | null {
  const id = ID.test(text) ? longForm(text) : null;
  return id?.startsWith(prefix) ? id : null;
}

/** The one form of a contact's id, from any that people and programs type. */
export function contactId(text: string): string | null {
  return longId(text.trim(), ID_PREFIXES.contact);
}

/** Forms of an id of 18 characters that people and programs type, and that lead back to it. */
export function otherForms(id: string): string[] {
  const forms = [id.slice(0, SHORT_LENGTH), id.toLowerCase(), id.toUpperCase()];
  return forms.filter((form) => form !== id);
}

/** The same; what is no id of a contact stays, for Salesforce to refuse. */
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

/** The id whose letters have the case that its check characters tell; null if they cannot. */
function restored(folded: string): string | null {
  const check = folded.slice(SHORT_LENGTH).toUpperCase();
  let short = '';
  for (let at = 0; at < SHORT_LENGTH; at += 1) {
    const bits = CHECK_CHARACTERS.indexOf(check.charAt(Math.floor(at / CHUNK)));
    const isCapital = Math.floor(bits / 2 ** (at % CHUNK)) % 2 === 1;
    const character = folded.charAt(at);
    short += isCapital ? character.toUpperCase() : character.toLowerCase();
  }
  // A digit that should be a capital, or a check character that there is none of, shows here.
  return toCheckCharacters(short) === check ? short + check : null;
}

function toCheckCharacters(short: string): string {
  let check = '';
  for (let start = 0; start < SHORT_LENGTH; start += CHUNK) {
    check += CHECK_CHARACTERS.charAt(capitalBits(short, start));
  }
  return check;
}

/** Characters that one check character stands for. */
const CHUNK = 5;

/** One bit for each capital among the five characters, the first character's the lowest. */
function capitalBits(text: string, start: number): number {
  let bits = 0;
  for (let at = 0; at < CHUNK; at += 1) {
    const code = text.charCodeAt(start + at);
    if (code >= 65 && code <= 90) bits += 2 ** at;
  }
  return bits;
}
