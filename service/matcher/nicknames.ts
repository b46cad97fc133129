/** Finds all first names that one person may use: the long and short forms from public lists. */

import { z } from 'zod';
import { readDataFile } from '../data-file.ts';

const listed = z.object({
  name: z.string(),
  nicknames: z.string().transform((text) => text.split(' ')),
});
const common = z
  .object({ name: z.string(), short_forms: z.string() })
  .transform(({ name, short_forms }) => ({
    name: name.toLowerCase(),
    nicknames: short_forms.toLowerCase().split(' '),
  }));

interface Nicknames {
  shorts: Map<string, Set<string>>;
  longs: Map<string, Set<string>>;
  common: ReadonlySet<string>;
  /** The long names for each short form in the list of common forms. */
  commonLongs: Map<string, Set<string>>;
}

let nicknames: Nicknames | undefined;

/**
 * Returns the other first names that people with the given name may use: the short and long forms, and the other short
 * forms of the long forms. The first call reads the lists.
 */
export function formsOf(name: string): Set<string> {
  nicknames ??= fromFiles();
  const { shorts, longs } = nicknames;
  const long = longs.get(name) ?? [];
  const siblings = [...long].flatMap((one) => [...(shorts.get(one) ?? [])]);
  const forms = new Set([...(shorts.get(name) ?? []), ...long, ...siblings]);
  forms.delete(name);
  for (const other of TWO_PEOPLE.get(name) ?? []) forms.delete(other);
  return forms;
}

/** Pairs of names that the lists connect, but that often belong to two people of one family. */
const TWO_PEOPLE = readPairs(
  `andrew andrea|louis louise|lewis louise|ernest ernestine|ernest tina|edwin edwina|alexander alexandria
   |alexander alexandra|alexander sandra|max maxine|bert bertha|bert roberta|cole nicole|cole nichole|emil emily
   |paul polly|paul paula|laura lawrence|michelle mickey|erica frederick|erika frederick|victor vicki|felix felicia
   |clare clarence|antonia tony|ann tony|janet jess|martha marty|peter patsy|patrick patsy|jack jacqueline
   |sally salvador|myra sam|verna vernon|shelly shelton|sheldon shelly|matthew mattie|alberta bert|ron veronica
   |june junior|henry etta|eli elisha|winifred freddie|robert rupert|charles carol|john jane|john joan|carl carla
   |ronnie veronica|leo leon|hetty betty|elaine eleanor|daniel danielle|eric erica|dennis denise|george georgia|joseph josephine|gabriel gabriela|christian christina`,
);

function readPairs(text: string): Map<string, string[]> {
  const pairs = new Map<string, string[]>();
  for (const pair of text.split('|')) {
    const [one = '', other = ''] = pair.trim().split(' ');
    pairs.set(one, [...(pairs.get(one) ?? []), other]);
    pairs.set(other, [...(pairs.get(other) ?? []), one]);
  }
  return pairs;
}

/** Returns true if one of the two names is a short form of the second name. */
export function isShortFor(one: string, other: string): boolean {
  nicknames ??= fromFiles();
  const { shorts } = nicknames;
  return shorts.get(one)?.has(other) === true || shorts.get(other)?.has(one) === true;
}

/** Returns true if the list of common forms contains the name. The second list contains many forms that nobody uses. */
export function isCommonForm(name: string): boolean {
  nicknames ??= fromFiles();
  return nicknames.common.has(name);
}

/**
 * Returns true if the list of common forms connects two names. One name is a short form of the other, or both are short
 * forms of a third name.
 */
export function areCommonForms(one: string, other: string): boolean {
  nicknames ??= fromFiles();
  const { commonLongs } = nicknames;
  const [mine, theirs] = [one, other].map(
    (name) => new Set([name, ...(commonLongs.get(name) ?? [])]),
  );
  return mine !== undefined && theirs !== undefined && [...mine].some((form) => theirs.has(form));
}

/**
 * Returns true if the first name is a pet form that is derived from the start of the second name. For example, "Vicki"
 * is derived from "Victoria".
 */
export function isPetFormOf(pet: string, name: string): boolean {
  const stem = withoutPetEnding(pet);
  return stem !== pet && stem.length >= STEM && soundOf(name).startsWith(soundOf(stem));
}

/**
 * Returns true if one name is derived from a part of the other name. Examples are "Tony" from "Antonio" and "Tina" from
 * "Christina".
 */
export function isPartOf(short: string, name: string): boolean {
  const stem = withoutPetEnding(short);
  return stem.length >= STEM && soundOf(name).includes(soundOf(stem));
}

function withoutPetEnding(pet: string): string {
  return pet.replace(/(?:ie|ey|y|i)$/, '');
}

/**
 * Returns a key for the sound of a stem. C and K have the same key, and a doubled letter before the ending is ignored.
 * For example, "vick" and "vic" have the same key.
 */
function soundOf(stem: string): string {
  return stem.replaceAll('k', 'c').replace(/(.)\1$/, '$1');
}

/** The minimum number of letters in a pet form before its ending. */
const STEM = 3;

function fromFiles(): Nicknames {
  const shorts = new Map<string, Set<string>>();
  const longs = new Map<string, Set<string>>();
  const commonRows = readDataFile('nicknames.csv', common);
  const rows = [...readDataFile('nickname_pairs.csv', listed), ...commonRows];
  for (const { name, nicknames: short } of rows) {
    for (const nickname of short) {
      add(shorts, name, nickname);
      add(longs, nickname, name);
    }
  }
  const commonNames = commonRows.flatMap((row) => [row.name, ...row.nicknames]);
  const commonLongs = new Map<string, Set<string>>();
  for (const { name, nicknames: short } of commonRows) {
    for (const nickname of short) add(commonLongs, nickname, name);
  }
  return { shorts, longs, common: new Set(commonNames), commonLongs };
}

function add(to: Map<string, Set<string>>, key: string, value: string): void {
  const values = to.get(key);
  if (values === undefined) to.set(key, new Set([value]));
  else values.add(value);
}
