const CHECK_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';
const ID = /^[a-zA-Z0-9]{15}(?:[a-zA-Z0-9]{3})?$/;

/** The kinds of record that are told apart by the first three characters of their ids. */
export const ID_PREFIXES = { account: '001', contact: '003', report: '00O', campaign: '701' };

/**
 * The id in the form of 18 characters, which does not depend on letter case; null if the text is
 * no id of that kind. The last three characters say which of the others are capitals.
 */
export function longId(text: string, prefix: string): string | null {
  if (!text.startsWith(prefix) || !ID.test(text)) return null;
  const check = CHECK_STARTS.map((start) => CHECK_CHARACTERS[capitalBits(text, start)]).join('');
  return text.endsWith(check, 18) && text.length === 18 ? text : text.slice(0, 15) + check;
}

/** Where the groups begin that a check character stands for. */
const CHECK_STARTS = [0, 5, 10];

/** One bit for each capital among the five characters, the first character's the lowest. */
function capitalBits(text: string, start: number): number {
  let bits = 0;
  for (let at = 0; at < 5; at += 1) {
    const code = text.charCodeAt(start + at);
    if (code >= 65 && code <= 90) bits += 2 ** at;
  }
  return bits;
}
