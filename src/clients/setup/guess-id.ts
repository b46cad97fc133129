/** The column with the id of each contact: known by its name, and unique and present in its values. Pure. */
import { describeCount, formatCount } from '../../core/quantities.ts';
import { findAll, plain, withoutAside } from './column-names.ts';
import type { CsvHeader, CsvSample } from './csv-header.ts';
import { ID_NAMES, IDS_OR_LOGINS, OTHER_IDS, PERSON_NUMBERS } from './guess-words.ts';
import type { GuessedFile } from './guessed-file.ts';
import { hasDonorIds } from './own-columns.ts';

/** The column with the id; null if none fits. The parts of the address are no ids. */
export function guessId(
  { columns, sample }: GuessedFile,
  addresses: readonly string[],
): string | null {
  const ids = [
    ...findAll(columns, ID_NAMES),
    ...columns.filter(isIdName),
    ...findAll(columns, IDS_OR_LOGINS),
  ].filter((name) => !addresses.includes(name));
  return (
    ids.find((name) => isId(name, sample)) ??
    ids.find((name) => isId(name, sample, MOST_BLANK)) ??
    // New contacts without a number yet, in a column whose name leaves no doubt.
    ids.find((name) => isNumberOfPerson(name) && isId(name, sample, MOST_NEW)) ??
    null
  );
}

/** Says which rows the chosen column of ids leaves out, or that no column fits (null). None if all is well. */
export function idNotes(
  { columns, sample }: Pick<CsvHeader, 'columns' | 'sample'>,
  id: string | null,
): string[] {
  if (sample.length < LEAST_ROWS) return [];
  if (id !== null)
    return brokenIds(sample, id).map((text) => `${text}: these rows cannot be read.`);
  const named = [...new Set([...findAll(columns, ID_NAMES), ...columns.filter(isIdName)])];
  const reasons = named
    .filter((name) => countIds(sample, name) * 2 > sample.length)
    .flatMap((name) => brokenIds(sample, name).map((text) => ` ${text}.`));
  return [
    `No column seems to have the id of each contact, without which contacts cannot be told apart from one run to the next: choose a column whose value is there and different in each row, or add one with ids of your own.${reasons.slice(0, REASONS).join('')}`,
  ];
}

/** So many sentences say why a column is no id. */
const REASONS = 3;

function countIds(sample: CsvSample, column: string): number {
  return new Set(sample.map((row) => row.get(column)?.trim() ?? '').filter(Boolean)).size;
}

function brokenIds(sample: CsvSample, id: string): string[] {
  const filled = sample.filter((row) => (row.get(id)?.trim() ?? '') !== '').length;
  const blank = sample.length - filled;
  const repeated = filled - countIds(sample, id);
  const inRows = (count: number) =>
    `In ${formatCount(count)} of the first ${describeCount(sample.length, 'row')}`;
  return [
    ...(blank === 0 ? [] : [`${inRows(blank)} "${id}" is blank`]),
    ...(repeated === 0 ? [] : [`${inRows(repeated)} "${id}" repeats the value of an earlier row`]),
  ];
}

/** `Donor ID`, `legacy_id`, `personId` and `Donor #`, but not `Amount Paid`. */
function isIdName(column: string): boolean {
  if (OTHER_IDS.test(plain(column))) return false;
  if (isNumberOfPerson(column)) return true;
  if (/^(donor|account|constituent|contact|member)(’s|'s)? ?(#|no\.?|number)$/i.test(column))
    return true;
  const name = withoutAside(column).trim();
  return /(^|[^a-z])id$/i.test(name) || /[a-z]I[dD]$/.test(name);
}

function isNumberOfPerson(column: string): boolean {
  return PERSON_NUMBERS.some((words) => words.test(plain(column)));
}

/** Rows from which on equal values say that a column is no id. */
const LEAST_ROWS = 2;

/** The share of rows without an id in a file of which a few rows are broken. */
export const MOST_BLANK = 0.05;

/** The share of contacts that have no number of their own yet. */
const MOST_NEW = 0.2;

/**
 * Whether the rows have a value there, but for this share of them, and no two have the same; true without
 * rows.
 */
export function isId(column: string, sample: CsvSample, mostBlank = 0): boolean {
  if (sample.length < LEAST_ROWS) return true;
  const values = sample.flatMap((row) => row.get(column)?.trim() || []);
  // Ids of the service are in a file that is our own output.
  if (hasDonorIds(values)) return false;
  const blank = sample.length - values.length;
  return blank <= mostBlank * sample.length && new Set(values).size === values.length;
}
