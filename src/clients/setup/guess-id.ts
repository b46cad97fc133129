/** The column with the id of each contact: known by its name, and unique and present in its values. Pure. */
import { findAll, plain } from './column-names.ts';
import type { CsvSample } from './csv-header.ts';
import { ID_NAMES, OTHER_IDS, PERSON_NUMBERS } from './guess-words.ts';
import type { GuessedFile } from './guessed-file.ts';
import { hasDonorIds } from './own-columns.ts';

/** The column with the id; null if none fits. The parts of the address are no ids. */
export function guessId(
  { columns, sample }: GuessedFile,
  addresses: readonly string[],
): string | null {
  const ids = [...findAll(columns, ID_NAMES), ...columns.filter(isIdName)].filter(
    (name) => !addresses.includes(name),
  );
  return (
    ids.find((name) => isId(name, sample)) ??
    ids.find((name) => isId(name, sample, MOST_BLANK)) ??
    null
  );
}

/** `Donor ID`, `legacy_id`, `personId` and `Donor #`, but not `Amount Paid`. */
function isIdName(column: string): boolean {
  if (OTHER_IDS.test(plain(column))) return false;
  if (PERSON_NUMBERS.some((words) => words.test(plain(column)))) return true;
  if (/^(donor|account|constituent|contact|member)(’s|'s)? ?(#|no\.?|number)$/i.test(column))
    return true;
  return /(^|[^a-z])id$/i.test(column) || /[a-z]I[dD]$/.test(column);
}

/** Rows from which on equal values say that a column is no id. */
const LEAST_ROWS = 2;

/** The share of rows without an id in a file of which a few rows are broken. */
export const MOST_BLANK = 0.05;

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
