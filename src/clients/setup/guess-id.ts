/**
 * Finds the column with a contact's ID. The name of the column means an ID, and the column's values are unique. All
 * functions are pure.
 */
import { describeCount, formatCount } from '../../core/quantities.ts';
import { findAll, plain, withoutAside } from './column-names.ts';
import type { CsvHeader, CsvSample } from './csv-header.ts';
import { ID_NAMES, IDS_OR_LOGINS, OTHER_IDS, PERSON_NUMBERS } from './guess-words.ts';
import type { GuessedFile } from './guessed-file.ts';
import { hasDonorIds } from './own-columns.ts';

/** Finds the ID column. Parts of an address are not IDs. */
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
    // New contacts may not have an ID yet, but the column's name clearly means an ID.
    ids.find((name) => isNumberOfPerson(name) && isId(name, sample, MOST_NEW)) ??
    null
  );
}

/** Returns notes about columns that are not IDs. If no column was chosen, also reports that no column is suitable. */
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
    `No column seems to hold an ID for each contact. Without IDs, donor-sync cannot recognise a contact in the next run. Choose a column that has a different value in each row, or add a column with your own IDs.${reasons.slice(0, REASONS).join('')}`,
  ];
}

/** The maximum number of notes about columns that are not IDs. */
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

/** True for `Donor ID`, `legacy_id`, `personId` and `Donor #`, but not for `Amount Paid`. */
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

const LEAST_ROWS = 2;

/** The maximum share of blank IDs. A file may contain a few broken rows. */
export const MOST_BLANK = 0.05;

/** The maximum share of contacts that do not have a number yet. */
const MOST_NEW = 0.2;

/** True if the values are unique and at most this share of rows is blank. True if there are no rows. */
export function isId(column: string, sample: CsvSample, mostBlank = 0): boolean {
  if (sample.length < LEAST_ROWS) return true;
  const values = sample.flatMap((row) => row.get(column)?.trim() || []);
  // A file with the service's IDs is a result file of donor-sync.
  if (hasDonorIds(values)) return false;
  const blank = sample.length - values.length;
  return blank <= mostBlank * sample.length && new Set(values).size === values.length;
}
