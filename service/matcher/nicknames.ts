/** Finds the first names that one person may use. They are long and short forms from public lists. */

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
 * Returns the other first names of people with this name: its short and long forms, and the other short forms
 * of the long ones. The files are read on first use.
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

/** The lists connect these names, but two people of a family often have them. */
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

/** True if one of two names is a short form of the other. */
export function isShortFor(one: string, other: string): boolean {
  nicknames ??= fromFiles();
  const { shorts } = nicknames;
  return shorts.get(one)?.has(other) === true || shorts.get(other)?.has(one) === true;
}

/** True if a name is in the list of common long and short forms. The other list has many unused forms. */
export function isCommonForm(name: string): boolean {
  nicknames ??= fromFiles();
  return nicknames.common.has(name);
}

/**
 * True if the list of common forms connects two names. One name is a short form of the other, or both are short forms
 * of a third name.
 */
export function areCommonForms(one: string, other: string): boolean {
  nicknames ??= fromFiles();
  const { commonLongs } = nicknames;
  const [mine, theirs] = [one, other].map(
    (name) => new Set([name, ...(commonLongs.get(name) ?? [])]),
  );
  return mine !== undefined && theirs !== undefined && [...mine].some((form) => theirs.has(form));
}

/** True if a name is a pet form that is made from the start of the other. "Vicki" is such a form of "Victoria". */
export function isPetFormOf(pet: string, name: string): boolean {
  const stem = withoutPetEnding(pet);
  return stem !== pet && stem.length >= STEM && soundOf(name).startsWith(soundOf(stem));
}

/** True if a name is made from a part of the other. Examples are "Tony" from "Antonio" and "Tina" from "Christina". */
export function isPartOf(short: string, name: string): boolean {
  const stem = withoutPetEnding(short);
  return stem.length >= STEM && soundOf(name).includes(soundOf(stem));
}

function withoutPetEnding(pet: string): string {
  return pet.replace(/(?:ie|ey|y|i)$/, '');
}

/**
 * Returns a key for the sound of a stem. C and K are interchangeable, and a letter may be doubled before the ending:
 * "vick" and "vic" are the same.
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
