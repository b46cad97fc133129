/** A file whose columns have to be recognised by their names and the kinds of their values. All functions are pure. */
import { type ContentKind, contentKind } from './column-content.ts';
import { findAll } from './column-names.ts';
import type { CsvSample } from './csv-header.ts';

/** The columns of a file with the kinds of their values. */
export interface GuessedFile {
  columns: readonly string[];
  sample: CsvSample;
  getKind: (column: string) => ContentKind;
}

/** Checks each column's values once. Without rows, the kinds are unknown. */
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

/** Kinds of values that a contact's name, a place or an employer never has. */
export const NO_WORDS: readonly ContentKind[] = [
  ...(['e-mail', 'web address', 'yes or no', 'date', 'phone', 'number'] as const),
];

/**
 * Returns the first column with one of these names and fitting values. A column without values is used only if no other
 * column has such a name.
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
 * Returns the column of a kind with the most values, because every contact has a name and only a few have a spouse's
 * name. Ties go to the first column.
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
