/** Names of people and organisations as registers write them, brought into the spelling of profiles. */

import { words } from '../../matcher/words.ts';
import type { Entry } from '../entry.ts';

const TITLES = new Set(
  words('mr mrs ms miss dr prof professor rev reverend hon honorable sir fr sister'),
);
const GENERATIONS = new Map([
  ['jr', 'Jr'],
  ['sr', 'Sr'],
  ['ii', 'II'],
  ['iii', 'III'],
  ['iv', 'IV'],
]);
const DEGREES = new Set(words('md phd esq cpa jd rn mba edd dds dvm cfa cfp facs faia ret'));
const PARTICLES = new Set(words('van von der den de del della di da dos du la le st ter ten'));

/** What stands in a field of names where there is no person. */
const NO_PERSON =
  /\b(see|statement|schedule|attach\w*|vacant|none|various|n\/a|unknown|bank|trust|llc|llp|inc|corp|company|foundation|association|services|tbd)\b|\d/i;

/** Reads a whole name in one field, "SMITH, ANN B" and "ANN B SMITH JR" alike; null for what is no person's. */
export function readPersonName(text: string): Entry['name'] | null {
  if (NO_PERSON.test(text)) return null;
  const [before = '', after = ''] = text.split(',', 2);
  const isTurned = after.trim() !== '' && !partsOf(after).every(isExtra);
  const parts = partsOf(isTurned ? `${after} ${before}` : text);
  const suffix = parts.map((part) => GENERATIONS.get(plain(part))).find((one) => one !== undefined);
  const own = parts.filter((part) => !isExtra(part) && !TITLES.has(plain(part)));
  const particle = own.findIndex((part, at) => at > 0 && PARTICLES.has(plain(part)));
  const cut = particle === -1 ? own.length - 1 : particle;
  const [first, ...middle] = own.slice(0, cut);
  const last = own.slice(cut).join(' ');
  if (first === undefined || plain(last).length < 2) return null;
  const isShouted = text === text.toUpperCase();
  const shown = (part: string) => (isShouted ? inNameCase(part) : part);
  return {
    first: shown(first),
    middle: middle.length === 0 ? null : middle.map(shown).join(' '),
    last: shown(last),
    suffix: suffix ?? null,
  };
}

/** A person's name as one key: the same however it is written. */
export function nameKey({ first, middle, last, suffix }: Entry['name']): string {
  return words([first, middle ?? '', last, suffix ?? ''].join(' ')).join(' ');
}

const SMALL_WORDS = new Set(words('of and the for in at to on by'));
const CAPITALS = new Set(words('us usa ymca ywca llc llp nfp ii iii iv pta pto usd isd nyc'));

/** "THE LAKE VIEW FUND OF ST PAUL INC" as people write it; what is not shouted stays. */
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

/** "O'BRIEN-MCKAY" as "O'Brien-McKay". */
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

function partsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => plain(part) !== '');
}

function plain(part: string): string {
  return words(part).join('');
}

function isExtra(part: string): boolean {
  return GENERATIONS.has(plain(part)) || DEGREES.has(plain(part));
}
