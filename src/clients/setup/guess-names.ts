/** Finds the columns with a contact's names. All functions are pure. */
import { describeCount, formatCount } from '../../core/quantities.ts';
import { endsWith, findAll, MAX_NAME_LENGTH, plain } from './column-names.ts';
import type { CsvHeader } from './csv-header.ts';
import { FIRST_NAMES, FULL_NAMES, LAST_NAMES } from './guess-words.ts';
import { findFitting, findFullest, type GuessedFile, NO_WORDS } from './guessed-file.ts';

export interface NameColumns {
  firstName: string | null;
  lastName: string | null;
  fullName: string | null;
}

/** Finds the name columns by the words in the columns' names. */
export function guessNames(file: GuessedFile): NameColumns {
  const { columns, sample, getKind } = file;
  const firstName = findFitting(file, FIRST_NAMES, NO_WORDS) ?? endsWith(columns, 'firstname');
  const ownLast =
    findFitting(file, LAST_NAMES, NO_WORDS) ??
    endsWith(columns, 'lastname') ??
    oneOfSeveral(columns, LAST_NAMES);
  const whole = findFitting(file, FULL_NAMES, NO_WORDS);
  // A column "Name" next to "Vorname" is the last name, unless it contains whole names.
  const isRest =
    sample.length > 0 &&
    firstName !== null &&
    ownLast === null &&
    whole !== null &&
    getKind(whole) !== 'whole name';
  const lastName = isRest ? whole : ownLast;
  const isWhole = firstName === null || lastName === null;
  const fullName = isWhole ? whole : null;
  // "Nome" and "Name" mean the full name if no column contains a first or last name.
  const isOneName = isWhole && fullName === null && (firstName ?? lastName) !== null;
  const isAlone = isOneName && WHOLE_TOO.has(plain(firstName ?? lastName ?? ''));
  return {
    firstName: isAlone ? null : firstName,
    lastName: isAlone ? null : lastName,
    fullName: isAlone ? (firstName ?? lastName) : fullName,
  };
}

/** Words that mean the whole name if there is no other name column. */
const WHOLE_TOO = new Set(['nombre', 'nome', 'nom']);

/** Finds the name columns by their values. Used if no column's name means a name. */
export function namesByContent(
  file: GuessedFile,
  names: NameColumns,
  free: readonly string[],
): NameColumns {
  const { firstName, lastName, fullName } = names;
  if (fullName !== null || (firstName !== null && lastName !== null)) return names;
  const whole = findFullest(file, free, 'whole name');
  return whole === undefined ? names : { firstName: null, lastName: null, fullName: whole };
}

/**
 * Returns a note about rows that have only a whole name, although the file also has first and last names. Some products
 * fill in only one of these columns.
 */
export function onlyWholeNameNote(
  { columns, sample }: Pick<CsvHeader, 'columns' | 'sample'>,
  { firstName, lastName }: Pick<NameColumns, 'firstName' | 'lastName'>,
): string[] {
  if (firstName === null || lastName === null) return [];
  const whole = findAll(columns, FULL_NAMES).find(
    (name) => name !== firstName && name !== lastName,
  );
  if (whole === undefined) return [];
  const has = (row: ReadonlyMap<string, string>, name: string) =>
    (row.get(name)?.trim() ?? '') !== '';
  const rows = sample.filter(
    (row) => !has(row, firstName) && !has(row, lastName) && has(row, whole),
  ).length;
  if (rows === 0) return [];
  return [
    `In ${formatCount(rows)} of the first ${describeCount(sample.length, 'row')}, only "${whole}" has a name. These contacts are not sent while "${firstName}" and "${lastName}" are blank.`,
  ];
}

/**
 * Returns the best of several name columns. A column such as `Last/Organization/Group name` also names an organisation.
 */
function oneOfSeveral(columns: readonly string[], names: readonly string[]): string | null {
  const found = columns.find((column) => {
    const alternatives = column.slice(0, MAX_NAME_LENGTH).split('/');
    return alternatives.length > 1 && alternatives.some((one) => names.includes(plain(one)));
  });
  return found ?? null;
}
