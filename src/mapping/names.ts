/** Reads the tables of names in this folder. */
import { readFileSync } from 'node:fs';
import { ownFile } from '../core/own-file.ts';

/** Returns the rows of a CSV file in this folder. Each row of the file has two columns, and no name needs quotes. */
export function readNameTable(file: string): [string, string][] {
  const text = readFileSync(ownFile(`src/mapping/${file}`), 'utf8');
  const [, ...lines] = text.trimEnd().split(/\r?\n/);
  return lines.map((line) => {
    const [name = '', value = ''] = line.split(',');
    return [name, value];
  });
}

/**
 * True if two different given names can belong to one person. One given name can be short for the other (`Bob`,
 * `Robert`), or both can be short for the same name (`Liz`, `Beth`). Both given names can also be spellings of the same
 * name (`Katherine`, `Catherine`). The names are in lower case and without accents.
 */
export function shareRoot(one: string, other: string): boolean {
  const mine = roots().get(one);
  return (
    mine !== undefined &&
    (roots()
      .get(other)
      ?.some((root) => mine.includes(root)) ??
      false)
  );
}

/** True if the word is a name that has short forms, or if it is a short form. */
function hasNicknames(word: string): boolean {
  return roots().has(word);
}

let rootsByForm: ReadonlyMap<string, readonly string[]> | undefined;

/** Returns the names for each form. The form itself is one of its names. */
function roots(): ReadonlyMap<string, readonly string[]> {
  rootsByForm ??= indexForms(readForms());
  return rootsByForm;
}

/**
 * Reads the short, pet and variant forms of English and Spanish given names in the United States. A form can belong to
 * several names (`Pat`, `Chris`), but this does not make the names equal: `Patrick` is not `Patricia`. Leaves out
 * translations (`José`, `Joseph`) and forms that only genealogists know.
 */
function readForms(): { name: string; forms: readonly string[] }[] {
  return readNameTable('nicknames.csv').map(([name, forms]) => ({ name, forms: forms.split(' ') }));
}

function indexForms(table: ReturnType<typeof readForms>): Map<string, string[]> {
  const index = new Map(table.map(({ name }) => [name, [name]]));
  for (const { name, forms } of table) {
    for (const form of forms) index.set(form, [...(index.get(form) ?? []), name]);
  }
  return index;
}

/** True if the word, in lower case without accents, is a common given name. */
export function isGivenName(word: string): boolean {
  return hasNicknames(word) || commonNames().given.has(word);
}

/**
 * True if the word is a surname that is easily confused with another surname. The word is in lower case and without
 * accents.
 */
export function isSurname(word: string): boolean {
  return commonNames().surnames.has(word);
}

interface CommonNames {
  given: ReadonlySet<string>;
  surnames: ReadonlySet<string>;
}

let names: CommonNames | undefined;

/**
 * Returns common names that differ in one letter from another common name, such as `Daniel` and `Daniela`, or `Johnson`
 * and `Johnston`. A difference between two of these names is not a typo. The names are the most frequent first names
 * and surnames in the United States. If a name has several spellings (`Gonzalez`, `Gonzales`), the list contains at
 * most one spelling. A difference between the spellings therefore counts as a typo.
 */
function commonNames(): CommonNames {
  names ??= readCommonNames();
  return names;
}

function readCommonNames(): CommonNames {
  const table = readNameTable('common-names.csv');
  const ofKind = (wanted: string) =>
    new Set(table.filter(([, kind]) => kind === wanted).map(([name]) => name));
  return { given: ofKind('given'), surnames: ofKind('surname') };
}
