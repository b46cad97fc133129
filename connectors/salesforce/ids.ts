const CHECK_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';
const ID = /^[a-zA-Z0-9]{15}(?:[a-zA-Z0-9]{3})?$/;

/** The length of an ID without the last three characters, which encode the letter case. */
const SHORT_LENGTH = 15;

/** The first three characters of an ID, by type of object. */
export const ID_PREFIXES = { account: '001', contact: '003', report: '00O', campaign: '701' };

/**
 * Returns null if the text is not an ID of this object type.
 *
 * In an ID with 18 characters, the last three characters encode which of the other characters are capital letters. An
 * ID with 15 characters is case-sensitive, so `a` and `A` lead to two records. The last three characters may have
 * either case, and donor-sync can restore the case of the other letters from them. The Apex function
 * `Id.valueOf(text, true)` restores the case in the same way. If an ID has letters in both cases and they contradict
 * the last three characters, the ID is refused. An ID with contradictory letters might lead to a different record.
 */
export function longId(text: string, prefix: string): string | null {
  const id = ID.test(text) ? longForm(text) : null;
  return id?.startsWith(prefix) ? id : null;
}

/** Converts a contact's ID to its canonical form. Users and programs type a contact's ID in several forms. */
export function contactId(text: string): string | null {
  return longId(text.trim(), ID_PREFIXES.contact);
}

/** Returns the other forms of an 18-character ID that users and programs may type. */
export function otherForms(id: string): string[] {
  const forms = [id.slice(0, SHORT_LENGTH), id.toLowerCase(), id.toUpperCase()];
  return forms.filter((form) => form !== id);
}

/**
 * Returns the canonical form of a contact's ID. The function returns any other text unchanged, so Salesforce rejects
 * it.
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

/** Restores the letter case of an ID. Returns null if the last three characters do not match. */
function restored(folded: string): string | null {
  const check = folded.slice(SHORT_LENGTH).toUpperCase();
  let short = '';
  for (let at = 0; at < SHORT_LENGTH; at += 1) {
    const bits = CHECK_CHARACTERS.indexOf(check.charAt(Math.floor(at / CHUNK)));
    const isCapital = Math.floor(bits / 2 ** (at % CHUNK)) % 2 === 1;
    const character = folded.charAt(at);
    short += isCapital ? character.toUpperCase() : character.toLowerCase();
  }
  // Comparing the last three characters finds digits where letters are expected, and invalid check characters.
  return toCheckCharacters(short) === check ? short + check : null;
}

function toCheckCharacters(short: string): string {
  let check = '';
  for (let start = 0; start < SHORT_LENGTH; start += CHUNK) {
    check += CHECK_CHARACTERS.charAt(capitalBits(short, start));
  }
  return check;
}

/** The number of ID characters whose case one check character encodes. */
const CHUNK = 5;

/**
 * Returns five bits, one for each character. A bit is set if its character is a capital letter. The bit of the first
 * character has the lowest value.
 */
function capitalBits(text: string, start: number): number {
  let bits = 0;
  for (let at = 0; at < CHUNK; at += 1) {
    const code = text.charCodeAt(start + at);
    if (code >= 65 && code <= 90) bits += 2 ** at;
  }
  return bits;
}
