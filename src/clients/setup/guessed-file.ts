/** A file whose columns are being guessed. All functions are pure. */
import { type ContentKind, contentKind } from './column-content.ts';
import { findAll } from './column-names.ts';
import type { CsvSample } from './csv-header.ts';

export interface GuessedFile {
  columns: readonly string[];
  sample: CsvSample;
  getKind: (column: string) => ContentKind;
}

/** Returns a function for the kind of a column. The function checks the values of each column only once. */
export function createKinds(sample: CsvSample): GuessedFile['getKind'] {
  const kinds = new Map<string, ContentKind>();
  return (column) => {
    const known = kinds.get(column);
    if (known !== undefined) return known;
    const kind =
      sample.length === 0 ? 'text' : contentKind(sample.map((row) => row.get(column) ?? ''));
    kinds.set(column, kind);
    return kind;
  };
}

/** Kinds of values that are never names, places or employers. */
export const NO_WORDS: readonly ContentKind[] = [
  ...(['e-mail', 'web address', 'yes or no', 'date', 'phone', 'number'] as const),
];

/**
 * Returns the first column with a given name and suitable values. An empty column is used only if no other column has
 * a given name.
 */
export function findFitting(
  { columns, getKind }: GuessedFile,
  names: readonly string[],
  misfits: readonly ContentKind[],
): string | null {
  const fitting = findAll(columns, names).filter((name) => !misfits.includes(getKind(name)));
  return fitting.find((name) => getKind(name) !== 'blank') ?? fitting[0] ?? null;
}

/**
 * Returns the column of this kind with the most values. Every contact has a name, but only a few contacts have a
 * spouse's name. If several columns have the same number of values, the first column is used.
 */
export function findFullest(
  { sample, getKind }: GuessedFile,
  columns: readonly string[],
  kind: ContentKind,
): string | undefined {
  const counted = columns
    .filter((name) => getKind(name) === kind)
    .map((name) => ({ name, filled: sample.filter((row) => row.get(name)?.trim()).length }));
  return counted.toSorted((one, other) => other.filled - one.filled)[0]?.name;
}
