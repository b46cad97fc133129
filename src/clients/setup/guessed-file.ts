/** A file whose columns are to be recognised: their names, and what their values look like. Pure. */
import { type ContentKind, contentKind } from './column-content.ts';
import { findAll } from './column-names.ts';
import type { CsvSample } from './csv-header.ts';

/** The columns of a file with what their values look like. */
export interface GuessedFile {
  columns: readonly string[];
  sample: CsvSample;
  getKind: (column: string) => ContentKind;
}

/** Looks at the values of a column once; without rows nothing is known of any. */
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

/** Kinds of values that no name of a contact, no place and no employer has. */
export const NO_WORDS: readonly ContentKind[] = [
  ...(['e-mail', 'web address', 'yes or no', 'date', 'phone', 'number'] as const),
];

/** The first column with one of these names whose values can be of that part; one without a value only if no other has one. */
export function findFitting(
  { columns, getKind }: GuessedFile,
  names: readonly string[],
  misfits: readonly ContentKind[],
): string | null {
  const fitting = findAll(columns, names).filter((name) => !misfits.includes(getKind(name)));
  return fitting.find((name) => getKind(name) !== 'blank') ?? fitting[0] ?? null;
}

/** The column of a kind that has the most values: every contact has a name, and few have a spouse's. The first of several. */
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
