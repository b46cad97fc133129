import { quote, readText, unquote } from './cells.ts';
import type { Tables } from './files.ts';
import type { Journal, JournalChange } from './journal.ts';
import type { Row } from './rows.ts';
import type { Table } from './table.ts';

/** One column of the output, and the file that provides its cells. */
export interface Column {
  name: string;
  /** The column's position in the input, or null if the input does not have the column. */
  inInput: number | null;
  /** The column's position in the separate output, or null if the cells do not come from the output. */
  inOutput: number | null;
}

/**
 * Returns the output's columns. The input's columns come first, then the columns that only the output has, and then the
 * new columns. If both files have a column, its cells come from the input, unless `keptColumns` contains the column.
 */
export function layOut(
  { input, output }: Tables,
  keptColumns: ReadonlySet<string>,
  createdColumns: ReadonlySet<string>,
): Column[] {
  const fromInput = input.header.columns.map((name, at) => ({
    name,
    inInput: at,
    inOutput: keptColumns.has(name) ? (output?.positions.get(name) ?? null) : null,
  }));
  const fromOutput = (output?.header.columns ?? []).flatMap((name, at) =>
    name === '' || input.positions.has(name) ? [] : [{ name, inInput: null, inOutput: at }],
  );
  const known = [...fromInput, ...fromOutput];
  const created = [...createdColumns]
    .filter((name) => !known.some((column) => column.name === name))
    .map((name) => ({ name, inInput: null, inOutput: null }));
  return [...known, ...created];
}

/** The data about one contact in the files and in the journal. */
export interface RowVersions {
  input: Row;
  output: Row | undefined;
  change: JournalChange | undefined;
}

export async function gatherVersions(
  { output }: Tables,
  journal: Pick<Journal, 'find'>,
  rows: readonly Row[],
): Promise<RowVersions[]> {
  const ids = rows.flatMap(({ id }) => (id === '' ? [] : [id]));
  const outputs = (await output?.find(ids)) ?? new Map<string, Row>();
  const changes = await journal.find(ids);
  return rows.map((row) => ({
    input: row,
    output: outputs.get(row.id),
    change: changes.get(row.id),
  }));
}

/** Returns the raw cell of a contact and column. The returned cell is empty if no file contains it. */
export function rawCell(column: Column, { input, output }: RowVersions, tables: Tables): string {
  if (column.inOutput !== null && output !== undefined && tables.output !== null) {
    return adopt(output.cells[column.inOutput] ?? '', tables.output, tables.input);
  }
  return column.inInput === null ? '' : (input.cells[column.inInput] ?? '');
}

/**
 * Returns the text that a confirmed change writes into the cell. Returns null if there is no change, or if a user has
 * since typed something else.
 */
export function changedText(
  column: string,
  raw: string,
  change: JournalChange | undefined,
): string | null {
  const cell = change?.cells[column];
  if (cell === undefined) return null;
  const [before, after] = cell;
  return unquote(raw) === before ? after : null;
}

/** Returns the current value of a cell, or null if it is blank. */
export function presentValue(column: Column, row: RowVersions, tables: Tables): string | null {
  const raw = rawCell(column, row, tables);
  const text = changedText(column.name, raw, row.change);
  return readText(text ?? unquote(raw)) || null;
}

/** Converts a raw cell from one file's format to another file's format. */
function adopt(raw: string, from: Table, to: Table): string {
  const isSameStyle = from.header.dialect.delimiter === to.header.dialect.delimiter;
  return isSameStyle ? raw : quote(unquote(raw), to.header.dialect);
}
