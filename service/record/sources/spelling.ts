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
const DEGREES = new Set(
  words(`md phd esq esquire cpa jd rn mba edd dds dmd dvm cfa cfp facs faia ret retired lcsw lmsw msw mph mdiv dmin
    thd psyd pharmd dnp aprn msn bsn lpc lmft cfre cae llm mpa mfa usn usaf usmc emeritus emerita`),
);
/** Degrees that are last names as well: behind a comma, or "DO" behind a whole name. */
const DEGREES_AFTER_COMMA = new Set(words('do ma ms pa ba bs pe ra np'));
const ROLES = new Set(
  words(`president chair chairman chairwoman chairperson cochair vice secretary treasurer director trustee ceo cfo
    coo executive member officer past`),
);
const RANKS = new Set(
  words(
    'the bg brig gen col ltc ltcol lt maj capt cpt cdr adm radm vadm sgt msgt rabbi pastor father',
  ),
);
/** "(RET)": a note about a person in a name. */
const ASIDE = /\([^()]*\)/g;

/** "THRU 6/23", "END 03/2023": a time of office behind a name, whose number follows soon. */
const NOTE =
  /\b(?:thru|through|until|till|end|ended|ending|from|since|eff|effective|beg|began|as of)\b[^,\d]{0,16}\d[^,]*/gi;
const PARTICLES = new Set(words('van von der den de del della di da dos du la le st ter ten'));

/** What stands in a field of names where there is no person. */
const NO_PERSON =
  /^\s*see\s+\w|\b(statement|schedule|attach\w*|vacant|none|various|n\/a|unknown|bank|trust|llc|llp|inc|corp|company|foundation|association|services|tbd)\b|\d/i;

function withoutNotes(written: string): string {
  return written.replaceAll(ASIDE, ' ').replaceAll(NOTE, ' ');
}

/** Reads a whole name in one field, "SMITH, ANN B" and "ANN B SMITH JR" alike; null for what is no person's. */
export function readPersonName(
  written: string,
  order: NameOrder = 'first name first',
): Entry['name'] | null {
  const text = withoutNotes(written);
  if (NO_PERSON.test(text)) return null;
  const [before = [], ...behind] = text.split(',').map(partsOf);
  const after = behind.filter((parts) => !parts.every(isExtraAfterComma));
  const [given = []] = after;
  // Generations stay wherever they are written.
  const generations = behind.flat().filter((part) => GENERATIONS.has(plain(part)));
  const named = withoutEnds(given.length > 0 ? [...given, ...before] : ordered(before, order));
  const parts = [...named, ...generations];
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

/** In which order a name without a comma is written. */
export type NameOrder = 'first name first' | 'last name first';

/** Whether a name without a comma makes sense only with the last name first, such as "FAIRDALE JOHN C". */
export function isLastNameFirst(written: string, isGivenName: (name: string) => boolean): boolean {
  if (written.includes(',')) return false;
  const [first = '', second = ''] = withoutEnds(partsOf(withoutNotes(written))).map(plain);
  return first.length > 1 && second !== '' && !isGivenName(first) && isGivenName(second);
}

function ordered(parts: readonly string[], order: NameOrder): string[] {
  const own = withoutEnds(parts);
  const [last, ...given] = own;
  return order === 'last name first' && last !== undefined && given.length > 0
    ? [...given, last]
    : own;
}

/** Without ranks at the beginning and degrees and roles at the end, as long as a first and a last name stay. */
function withoutEnds(parts: readonly string[]): string[] {
  const own = [...parts];
  const isRank = (part = '') => RANKS.has(plain(part)) || TITLES.has(plain(part));
  while (own.length > 2 && isRank(own[0])) own.shift();
  const isEnd = (part = '') =>
    DEGREES.has(plain(part)) || ROLES.has(plain(part)) || plain(part) === 'do';
  while (own.length > 2 && isEnd(own.at(-1))) own.pop();
  return own;
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

function isExtraAfterComma(part: string): boolean {
  return isExtra(part) || DEGREES_AFTER_COMMA.has(plain(part)) || ROLES.has(plain(part));
}

function isExtra(part: string): boolean {
  return GENERATIONS.has(plain(part)) || DEGREES.has(plain(part));
}
