/** Converts organisation names and other texts from registers to the spelling that profiles use. */

import { words } from '../../matcher/words.ts';

const SMALL_WORDS = new Set(words('of and the for in at to on by'));
const CAPITALS = new Set(words('us usa ymca ywca llc llp nfp ii iii iv pta pto usd isd nyc'));

/**
 * Converts a name such as "THE LAKE VIEW FUND OF ST PAUL INC" to the usual spelling. A text that also contains
 * lower-case letters stays unchanged.
 */
export function readOrganisationName(text: string): string {
  const own = text.replaceAll(/\s+/g, ' ').trim();
  if (own !== own.toUpperCase()) return own;
  return own
    .split(' ')
    .map((word, at) => {
      const bare = word.toLowerCase().replaceAll(/[^a-z]/g, '');
      if (CAPITALS.has(bare)) return word;
      return at > 0 && SMALL_WORDS.has(bare) ? word.toLowerCase() : inNameCase(word);
    })
    .join(' ');
}

/** Converts a name in capitals to the usual spelling. For example, "O'BRIEN-MCKAY" becomes "O'Brien-McKay". */
export function inNameCase(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(
      /(^|[\s\-'’.(])(\p{L})/gu,
      (_, before: string, letter: string) => before + letter.toUpperCase(),
    )
    .replaceAll(/\bMc(\p{L})(?=\p{L}{2})/gu, (_, letter: string) => `Mc${letter.toUpperCase()}`)
    .replaceAll(/(['’])S\b/g, '$1s');
}
