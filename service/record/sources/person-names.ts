/** Reads a whole name from one field of a register, and spells the name as profiles do. */

import { isShortFor } from '../../matcher/nicknames.ts';
import { readPopulation } from '../../matcher/population.ts';
import { words } from '../../matcher/words.ts';
import type { Entry } from '../entry.ts';
import { restoreLetters } from './lost-letters.ts';
import {
  AFTER_O,
  DEGREES,
  DEGREES_OR_NAMES,
  GENERATIONS,
  isSpanish,
  NO_PERSON,
  PARTICLES,
  RANKS,
  ROLES,
  ROLES_OR_NAMES,
  TITLES,
} from './name-words.ts';
import { inNameCase } from './spelling.ts';

/** The order of the words in a register's names, if the names have no comma. */
export type NameOrder = 'first name first' | 'last name first';

/**
 * Reads a whole name from one field, such as "SMITH, ANN B" or "ANN B SMITH JR". Returns null if the field does not
 * name a person.
 */
export function readPersonName(
  written: string,
  order: NameOrder = 'first name first',
): Entry['name'] | null {
  const text = beforeOrganisation(withoutNotes(written));
  if (NO_PERSON.test(text)) return null;
  const parts = splitName(text);
  if (parts === null) return null;
  const { given, family } = orderName(parts, order);
  const [first, ...middle] = given;
  if (first === undefined || isInitial(family.join(''))) return null;
  if (isTrust(text, [...given, ...family])) return null;
  const isShouted = text === text.toUpperCase();
  const shown = (part: string) => (isShouted ? inNameCase(part) : part);
  return {
    first: shown(first),
    middle: middle.length === 0 ? null : middle.map(shown).join(' '),
    last: joined(family.map(shown)),
    suffix: parts.suffix,
  };
}

/**
 * Returns the text before the name of an organisation. In "JOHN SMITH / BOARD OF DIRECTORS", the text after the name is
 * an organisation.
 */
function beforeOrganisation(text: string): string {
  const found = NO_PERSON.exec(text);
  const [name = ''] = found === null ? [] : text.slice(0, found.index + 1).split(/[/,]|\sof\s/i);
  const parts = name.split(/\s+/).filter((part) => plain(part) !== '');
  const { isGivenName } = readPopulation();
  const isSeparate = found !== null && name.length < found.index;
  const isPerson = isWholeName(parts) && parts.some((part) => isGivenName(plain(part)));
  return isSeparate && isPerson ? name.trim() : text;
}

/** Returns one key for all names that differ only in the spelling of their words. */
export function nameKey({ first, middle, last, suffix }: Entry['name']): string {
  return words([first, middle ?? '', last, suffix ?? ''].join(' ')).join(' ');
}

/** Finds the order in which a register writes its names, from the names for which only one order is possible. */
export function findNameOrder(written: readonly string[]): NameOrder {
  const orders = written.map(orderOf);
  const turned = orders.filter((order) => order === 'last name first').length;
  const decided = orders.filter((order) => order !== null).length;
  const isTurned = turned >= LEAST_TURNED && turned >= decided * TURNED_SHARE;
  return isTurned ? 'last name first' : 'first name first';
}

/** The minimum number and the minimum share of names that must start with the last name. */
const LEAST_TURNED = 5;
const TURNED_SHARE = 0.8;

/**
 * Returns the order of a name if only one order is possible. Returns null if two orders are possible, or if a comma
 * shows the order.
 */
function orderOf(written: string): NameOrder | null {
  const text = withoutNotes(written);
  if (NO_PERSON.test(text)) return null;
  const parts = splitName(text);
  if (parts === null || parts.after.length > 0) return null;
  const names = parts.before;
  const [start = '', next = ''] = names.map(plain);
  const end = plain(names.at(-1) ?? '');
  if (isInitial(end) && !isInitial(start)) return 'last name first';
  if (isInitial(start) || names.slice(1, -1).some((name) => isInitial(plain(name)))) {
    return 'first name first';
  }
  const { isGivenName } = readPopulation();
  if (isGivenOnly(start)) return isGivenOnly(end) ? null : 'first name first';
  if (isGivenOnly(end) || (!isGivenName(start) && isGivenName(next))) return 'last name first';
  return isGivenName(start) && !isGivenName(end) ? 'first name first' : null;
}

function isGivenOnly(name: string): boolean {
  const { isGivenName, isLastName } = readPopulation();
  return isGivenName(name) && !isLastName(name);
}

/** The words of a name, without titles, ranks, degrees, roles and suffixes. */
interface NameParts {
  /** The words before the comma, or all words. */
  before: string[];
  /** The given names after a comma. The list is empty if the given names come first. */
  after: string[];
  suffix: string | null;
}

/** Splits a name into its words. Returns null if fewer than two words remain. */
function splitName(text: string): NameParts | null {
  const [start = [], ...behind] = text.split(',').map(partsOf);
  const generations = new Set<string>();
  const before = withoutExtras(start, generations);
  for (const parts of behind) {
    for (const [at, part] of parts.entries()) {
      const isOrdinal = /\d/.test(part) && isRole(parts[at + 1] ?? '');
      if (!isOrdinal) noteGeneration(part, generations);
    }
  }
  const segments = behind
    .map((parts) => parts.filter((part) => !GENERATIONS.has(plain(part))))
    .filter((parts) => parts.length > 0);
  const isWhole = isWholeName(before);
  const given =
    segments.find((parts) => !isExtra(parts, isWhole, before)) ??
    (before.length === 1 ? segments[0] : undefined) ??
    [];
  const after = withoutExtras(given, generations, isGivenPart);
  if (before.length === 0 || before.length + after.length < 2) return null;
  return { before, after, suffix: [...generations][0] ?? null };
}

/**
 * Returns true if the text after a comma is not a given name but a degree, a role or another word that does not belong
 * to a name.
 */
function isExtra(parts: readonly string[], isWhole: boolean, before: readonly string[]): boolean {
  const keys = parts.map(plain);
  const isKnown = (key: string) =>
    DEGREES.has(key) || DEGREES_OR_NAMES.has(key) || ROLES.has(key) || ROLES_OR_NAMES.has(key);
  if (parts.every((part) => isKnown(plain(part)) || isRole(part) || isDegree(part))) return true;
  if (!isWhole) return false;
  if (isRole(parts[0] ?? '') || ROLES_OR_NAMES.has(keys[0] ?? '')) return true;
  // In "JOHN SMITH, XYZQ", the text before the comma is a whole name. The word after the comma is therefore not a given
  // name.
  const { isGivenName } = readPopulation();
  return isGivenName(plain(before[0] ?? '')) && !keys.some(isGivenName);
}

/** Removes titles and ranks at the beginning of a name, and suffixes, degrees and roles at its end. */
function withoutExtras(
  parts: readonly string[],
  generations: Set<string>,
  isWhole: IsWhole = isWholeName,
): string[] {
  const own = withoutRole(parts);
  for (let last = own.at(-1); last !== undefined && own.length > 1; last = own.at(-1)) {
    if (!isEnd(last, own.slice(0, -1), isWhole) && !isSuffix(own, own.length - 1)) break;
    noteGeneration(last, generations);
    own.pop();
  }
  const isTitle = (part = '') =>
    TITLES.has(plain(part)) || RANKS.has(plain(part)) || plain(part) === 'sr' || /\d/.test(part);
  // At the beginning of a name, "SR" means Sister, who is a member of a religious order. A generation is never at the
  // beginning of a name.
  while (own.length > 2 && (isTitle(own[0]) || ROLES.has(plain(own[0] ?? '')))) {
    if (isLastName(own)) break;
    own.shift();
  }
  // In "LEE, COL ANN", the word after the rank is a given name, and one given name is enough. In "LEE, MAJOR T", Major
  // is the given name and not a rank.
  const isGiven = isWhole === isGivenPart;
  while (isGiven && own.length > 1 && isTitle(own[0]) && isWhole(own.slice(1))) own.shift();
  while (own.length > 1 && TITLES.has(plain(own[0] ?? ''))) own.shift();
  const kept = own.filter((_, at) => !isSuffix(own, at));
  for (const part of own.slice(1)) noteGeneration(part, generations);
  return kept.filter((part) => !/\d/.test(part));
}

/**
 * Returns true if a name starts with a last name that is also a rank. "BISHOP STEPHEN E." ends with an initial, so it
 * starts with the last name. Without Bishop, the name would have no last name.
 */
function isLastName([rank = '', ...rest]: readonly string[]): boolean {
  return !TITLES.has(plain(rank)) && isInitial(plain(rest.at(-1) ?? '')) && !isWholeName(rest);
}

/** Returns true if the words form a whole name. All words after a whole name do not belong to the name. */
type IsWhole = (parts: readonly string[]) => boolean;

function isWholeName(parts: readonly string[]): boolean {
  return fullNamesIn(parts).length > 1;
}

function isGivenPart(parts: readonly string[]): boolean {
  return fullNamesIn(parts).length > 0;
}

function fullNamesIn(parts: readonly string[]): string[] {
  return parts.filter((part) => !isInitial(plain(part)) && !GENERATIONS.has(plain(part)));
}

function isSuffix(parts: readonly string[], at: number): boolean {
  return at > 0 && GENERATIONS.has(plain(parts[at] ?? ''));
}

function noteGeneration(part: string, generations: Set<string>): void {
  const generation = GENERATIONS.get(plain(part));
  if (generation !== undefined) generations.add(generation);
}

/** Removes a role after a whole name, as in "DONG-HYUN CHANG BOARD MEMBER". */
function withoutRole(parts: readonly string[]): string[] {
  const at = parts.findIndex(
    (part, index) =>
      isRole(part) && isRoleNotSuffix(parts, index) && isWholeName(parts.slice(0, index)),
  );
  return at < 0 ? [...parts] : parts.slice(0, at);
}

/**
 * Returns true if the word belongs to a role and is not a suffix. For example, "2ND" is a suffix, but "2ND VICE
 * PRESIDENT" is a role.
 */
function isRoleNotSuffix(parts: readonly string[], at: number): boolean {
  return !GENERATIONS.has(plain(parts[at] ?? '')) || isRole(parts[at + 1] ?? '');
}

function isRole(part: string): boolean {
  const [first = '', ...rest] = words(part);
  if (ROLES.has(plain(part)) || ROLES.has(first)) return true;
  const isListed = [first, ...rest].some((one) => ROLES.has(one) || ROLES_OR_NAMES.has(one));
  return rest.length > 0 && (first === 'co' || (part.includes('/') && isListed));
}

/** Returns true if the last word follows a whole name and is a title, a degree or a role. */
function isEnd(part: string, before: readonly string[], isWhole: IsWhole): boolean {
  const key = plain(part);
  if ((TITLES.has(key) || isDegree(part)) && isWhole(before)) return true;
  if (!DEGREES_OR_NAMES.has(key) && !ROLES_OR_NAMES.has(key)) return false;
  const end = plain(before.at(-1) ?? '');
  const names = before.filter((one) => !TITLES.has(plain(one)) && !RANKS.has(plain(one)));
  return isWholeName(names) && !isInitial(end) && !isGivenOnly(end);
}

/**
 * Returns true if a word is a known degree, or a word in capitals that nobody can pronounce ("RPT"). Also returns true
 * for degrees that are joined by hyphens ("PA-C").
 */
function isDegree(part: string): boolean {
  const key = plain(part);
  if (DEGREES.has(key)) return true;
  // Matches orders and degrees that are not in a list, such as "S.D.B.".
  if (/^(?:\p{L}\.){2,}\p{L}?$/u.test(part)) return true;
  const [first = '', ...rest] = words(part);
  const isHyphened = rest.length > 0 && rest.every((one) => one.length < 5);
  if (isHyphened && (DEGREES.has(first) || DEGREES_OR_NAMES.has(first))) return true;
  return /^[bcdfghjklmnpqrstvwxz]{3,5}$/.test(key) && part === part.toUpperCase();
}

interface OrderedName {
  given: string[];
  family: string[];
}

function orderName({ before, after }: NameParts, order: NameOrder): OrderedName {
  if (after.length > 0) return { given: after, family: before };
  const isTurned =
    order === 'last name first' ||
    // A single letter is never a last name.
    (isInitial(plain(before.at(-1) ?? '')) && !isInitial(plain(before[0] ?? '')));
  if (isTurned) {
    const cut = lengthOfFamily(before);
    return { given: withoutTitles(before.slice(cut)), family: before.slice(0, cut) };
  }
  const cut = startOfFamily(before);
  return { given: before.slice(0, cut), family: before.slice(cut) };
}

/** Removes titles from the given names. In "BRYANT DR JOY", the title precedes the given name. */
function withoutTitles(given: string[]): string[] {
  const isTitle = (part = '') => TITLES.has(plain(part)) || RANKS.has(plain(part));
  const first = given.findIndex((part) => !isTitle(part));
  return first < 0 ? given : given.slice(first);
}

function startOfFamily(parts: readonly string[]): number {
  const keys = parts.map(plain);
  const end = keys.length - 1;
  const particle = keys.findIndex(
    (key, at) => at > 0 && at < end && (PARTICLES.has(key) || isLoneO(keys, at)),
  );
  if (particle > 0) return particle;
  // In "JOSE M. DELGADO MURILLO", the word after a middle initial is not a given name. If one of these words is a
  // Spanish last name, both words are last names.
  const isBehindInitial = end > 2 && isInitial(keys[end - 2] ?? '');
  const isDouble =
    end > 1 && isSpanish(keys[end - 1] ?? '') && (isSpanish(keys[end] ?? '') || isBehindInitial);
  return isDouble ? end - 1 : end;
}

function lengthOfFamily(parts: readonly string[]): number {
  const keys = parts.map(plain);
  const most = keys.length - 1;
  const particles = keys.findIndex((key, at) => !PARTICLES.has(key) && !isLoneO(keys, at));
  const length = Math.max(0, particles) + 1;
  const { isGivenName } = readPopulation();
  const [own = '', next = '', given = ''] = keys.slice(length - 1);
  // In "MONTES ORTIZ JUAN", Ortiz is never a first name, and Juan is a first name. In "FAIRLIE CRUZ M", Cruz can be a
  // first name.
  const isBeforeGiven = !isGivenName(next) && isGivenName(given);
  const isDouble = isSpanish(next) && (isSpanish(own) || isBeforeGiven);
  return Math.min(most, isDouble && most > length ? length + 1 : length);
}

function isLoneO(keys: readonly string[], at: number): boolean {
  return keys[at] === 'o' && AFTER_O.has(keys[at + 1] ?? '');
}

/** Joins the parts of a last name. For example, "O BRIEN" becomes "O'Brien". */
function joined(family: readonly string[]): string {
  return family.join(' ').replace(/^O (?=\p{L})/u, "O'");
}

/**
 * Returns true for a trust. A trust is not a person, even if it has a person's name. A few people have Trust as their
 * last name.
 */
function isTrust(text: string, name: readonly string[]): boolean {
  if (!/\btrust\b/i.test(text)) return false;
  const [first = '', last, ...others] = fullNamesIn(name).map(plain);
  return last !== 'trust' || others.length > 0 || !readPopulation().isGivenName(first);
}

/** Matches a note inside a name, such as "(RET)", a nickname in quotes or a footnote. */
const ASIDE =
  /\([^()]*\)|\[[^[\]]*\]|["“][^"“”]*["”]|(?<!\S)['‘][^'‘’]*['’](?!\S)|(?<!\S)[*#†]+(?!\S)/g;

/** Matches a dash or a colon that ends a name, as in "- PARTIAL YEAR" and ": SECRETARY". */
const DASH = /\s[-–—]|[:;]/;

/**
 * Matches words that introduce a term of office, as in "THRU 6/23" and "END 03/2023". The words introduce a note only
 * if a number follows within a few characters.
 */
const TIME_WORD =
  /\s(?:thru|through|until|till|end|ended|ending|from|since|eff|effective|beg|began|begin|beginning|as of|resigned|retired|left|joined|start|starting|started|new|termed|term|appointed|elected|deceased|died)\b/gi;
const SOON = 24;

/** Matches a word from `TIME_WORD` with or without a number. */
const TIME_WORDS = new RegExp(TIME_WORD.source, 'i');

/** Matches a month, as in "MAY 2023". A month can also be a given name, so a number must follow closely. */
const MONTH =
  /\s(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b/gi;
const CLOSELY = 12;

/** Matches the beginning of other notes, such as "07/22 - 06/23", "SEE SCHEDULE J" and "PARTIAL YEAR". */
const OTHER_NOTES = [
  /\s\d{1,2}[/-]\d/,
  /\ssee\s+(?:sch|schedule|part|statement|stmt|attach\w*|note|notes|below|above)\b/i,
  /\s(?:partial|part)[\s-](?:year|yr)\b/i,
  /\s\d{1,3}(?:\.\d{1,2})?\s?(?:hrs?|hours?)\b/i,
  /\s(?:c\/o|care of|attn|a\/?k\/?a|f\/?k\/?a|formerly|on (?:leave|sabbatical)|replac(?:ed|ing)|un(?:paid|compensated)|no compensation|no longer|per diem)\b/i,
];

/** Matches "in care of", as in "C/O ANN LEE". A letter to Ann Lee goes only to her. */
const CARE_OF = /^\W*(?:c\/o|(?:in )?care of|attn)\b\W*(?=\p{L})/iu;

function withoutNotes(written: string): string {
  const own = written.replaceAll(/\s+/g, ' ').replace(CARE_OF, '').trim();
  const restored = restoreLetters(own);
  const bare = withFormalName(inOneLine(restored))
    .replaceAll(ASIDE, generationIn)
    .replaceAll(MARKS, ' ')
    .trim();
  const dash = bare.search(DASH);
  const parts = (dash < 0 ? bare : bare.slice(0, dash)).split(',');
  return parts.map(withoutNote).join(',').trim();
}

/**
 * Converts a name to one line. Removes a role before a colon, as in "TREAS: ANN LEE". Also replaces mistyped
 * characters, as in "LEE; ANN", "LEE - SMITH" and "ANN.LEE".
 */
function inOneLine(text: string): string {
  const [role = '', ...named] = text.split(':');
  const isRoleBefore = named.length > 0 && words(role).every((word) => ROLES.has(word));
  const plainText = isRoleBefore ? named.join(':') : text;
  return plainText
    .replace(/^(\s*\S+);/, '$1,')
    .replaceAll(/(?<=\p{L}{3})\.(?=\p{L}{3})/gu, ' ')
    .replace(/(?<=\S) - (\p{L}{3,})$/u, (tail, name: string) => {
      const key = plain(name);
      const isOther = [ROLES, ROLES_OR_NAMES, DEGREES, DEGREES_OR_NAMES].some((set) =>
        set.has(key),
      );
      return isOther || TIME_WORDS.test(` ${name}`) ? tail : `-${name}`;
    });
}

/** In "DANNY (DANIEL) LEE", the longer first name is the formal name. */
function withFormalName(text: string): string {
  return text.replace(/^(\p{L}+)\s+\((\p{L}+)\)(?=\s)/u, (all, name: string, aside: string) => {
    const isFormal = aside.length > name.length && isShortFor(plain(name), plain(aside));
    return isFormal ? aside : all;
  });
}

/** Matches footnote marks at the end of a word. */
const MARKS = /[_^~`|•*†‡§#](?=[_^~`|•*†‡§#\s,]|$)/g;

/** Removes a note. A note ends at the next comma. */
function withoutNote(part: string): string {
  const starts = [
    beforeNumber(part, TIME_WORD, SOON),
    beforeNumber(part, MONTH, CLOSELY),
    ...OTHER_NOTES.map((note) => part.search(note)),
  ].filter((start) => start >= 0);
  return starts.length === 0 ? part : `${part.slice(0, Math.min(...starts))} `;
}

/**
 * Returns the position of the first matching word that has a digit within the next `most` characters. Returns -1 if no
 * word matches.
 */
function beforeNumber(part: string, word: RegExp, most: number): number {
  for (const { 0: found, index } of part.matchAll(word)) {
    const distance = part.slice(index + found.length).search(/\d/);
    if (distance >= 0 && distance <= most) return index;
  }
  return -1;
}

/** Returns the suffix in a note in brackets. All other words of the note are ignored. */
function generationIn(aside: string): string {
  return GENERATIONS.has(plain(aside)) ? ` ${plain(aside)} ` : ' ';
}

function partsOf(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .flatMap((part, at) => (at === 0 ? splitInitials(part) : [part]))
    .flatMap((part) => (isDegree(part) ? [part] : part.split(/(?<=^\p{L}\.)(?=\p{L}{3})/u)))
    .flatMap(splitRole)
    .filter((part) => plain(part) !== '');
}

/** Splits initials that are written together. For example, "G.K." at the beginning of a name is two initials. */
function splitInitials(part: string): string[] {
  return /^(?:\p{L}\.){2}$/u.test(part) ? part.split(/(?<=\.)(?=\p{L})/u) : [part];
}

/** Splits a word that consists of a name and a role, such as "ROBERTS-DIRECTOR" and "ROBERTS/DIRECTOR". */
function splitRole(part: string): string[] {
  const [name = '', role = '', ...more] = part.split(/[-/]/);
  const isRoleBehind = more.length === 0 && ROLES.has(plain(role)) && !ROLES.has(plain(name));
  return isRoleBehind && plain(name).length > 2 ? [name, role] : [part];
}

function plain(part: string): string {
  return words(part).join('');
}

function isInitial(key: string): boolean {
  return key.length === 1;
}
