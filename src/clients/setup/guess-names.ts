/** Finds the columns with each contact's names. All functions are pure. */
import { describeCount, formatCount } from '../../core/quantities.ts';
import { endsWith, findAll, MAX_NAME_LENGTH, plain } from './column-names.ts';
import type { CsvHeader } from './csv-header.ts';
import { FIRST_NAMES, FULL_NAMES, LAST_NAMES } from './guess-words.ts';
import { findFitting, findFullest, type GuessedFile, NO_WORDS } from './guessed-file.ts';

/** Either first and last name, or the whole name. */
export interface NameColumns {
  firstName: string | null;
  lastName: string | null;
  fullName: string | null;
}

/** Recognises the names by the header's words. */
export function guessNames(file: GuessedFile): NameColumns {
  const { columns, sample, getKind } = file;
  const firstName = findFitting(file, FIRST_NAMES, NO_WORDS) ?? endsWith(columns, 'firstname');
  const ownLast =
    findFitting(file, LAST_NAMES, NO_WORDS) ??
    endsWith(columns, 'lastname') ??
    oneOfSeveral(columns, LAST_NAMES);
  const whole = findFitting(file, FULL_NAMES, NO_WORDS);
  // "Name" next to "Vorname" is the last name, unless the column contains whole names.
  const isRest =
    sample.length > 0 &&
    firstName !== null &&
    ownLast === null &&
    whole !== null &&
    getKind(whole) !== 'whole name';
  const lastName = isRest ? whole : ownLast;
  const isWhole = firstName === null || lastName === null;
  const fullName = isWhole ? whole : null;
  // "Nome" and "Name" are the full name if no other column has the rest of the name.
  const isOneName = isWhole && fullName === null && (firstName ?? lastName) !== null;
  const isAlone = isOneName && WHOLE_TOO.has(plain(firstName ?? lastName ?? ''));
  return {
    firstName: isAlone ? null : firstName,
    lastName: isAlone ? null : lastName,
    fullName: isAlone ? (firstName ?? lastName) : fullName,
  };
}

/** Words for a first or last name that mean the whole name if no other name column exists. */
const WHOLE_TOO = new Set(['nombre', 'nome', 'nom']);

/** Recognises the whole name by its values if no column name reveals a name. */
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
 * Reports how many rows have a name only in a column of whole names, although columns of first and last names are used.
 * Some products fill in only one of the two.
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

/** True if one of the alternatives in the column's name is such a name, as in `Last/Organization/Group name`. */
function oneOfSeveral(columns: readonly string[], names: readonly string[]): string | null {
  const found = columns.find((column) => {
    const alternatives = column.slice(0, MAX_NAME_LENGTH).split('/');
    return alternatives.length > 1 && alternatives.some((one) => names.includes(plain(one)));
  });
  return found ?? null;
}
