/** Spells names of organisations and other text from registers in the way that profiles do. */

import { words } from '../../matcher/words.ts';

const SMALL_WORDS = new Set(words('of and the for in at to on by'));
const CAPITALS = new Set(words('us usa ymca ywca llc llp nfp ii iii iv pta pto usd isd nyc'));

/**
 * Spells "THE LAKE VIEW FUND OF ST PAUL INC" as people write it. Text that is not entirely in capitals stays
 * unchanged.
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

/** Spells "O'BRIEN-MCKAY" as "O'Brien-McKay". */
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
