import { readNameTable } from './name-table.ts';
import { hasNicknames } from './nicknames.ts';

/** True if the word, in lower case without accents, is a given name that many people have. */
export function isGivenName(word: string): boolean {
  return hasNicknames(word) || commonNames().given.has(word);
}

/** True if the word, in lower case without accents, is a surname that is easily taken for another. */
export function isSurname(word: string): boolean {
  return commonNames().surnames.has(word);
}

interface CommonNames {
  given: ReadonlySet<string>;
  surnames: ReadonlySet<string>;
}

let names: CommonNames | undefined;

/**
 * Names that many people have and that differ in one letter from another of their kind: `Daniel` and
 * `Daniela`, `Johnson` and `Johnston`. Between two of them a different letter is not a misprint.
 * Chosen from the most frequent first names and surnames of the United States; spellings of one
 * name (`Gonzalez`, `Gonzales`) are there at most once, so that they pass as misprints.
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
