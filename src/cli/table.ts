import { plainLine } from '../core/printable.ts';
import { displayWidth, fitWidth, padWidth } from './display-width.ts';

/** One column of a table, and how it is read from a row. */
export interface Column<Row> {
  header: string;
  value(row: Row): string;
  /** Numbers stand to the right; default `left`. */
  align?: 'left' | 'right';
  /** True if the column may be cut when the terminal is narrow; default false. */
  shrinks?: boolean;
  /** True if the column is left out where no row has anything in it; default false. */
  optional?: boolean;
  /** Colours the finished cell. */
  style?: (text: string, row: Row) => string;
}

export interface TableOptions {
  /** Columns of the terminal; Infinity if the table goes into a file. */
  width: number;
  /** Colours the headers. */
  styleHeader?: (text: string) => string;
}

const GAP = '  ';

/** A column that shrinks keeps at least this many characters. */
const MIN_SHRUNK_WIDTH = 8;

/** A table as text, one line for each row and no line after the last. */
export function formatTable<Row>(
  allColumns: readonly Column<Row>[],
  rows: readonly Row[],
  { width, styleHeader = (text) => text }: TableOptions,
): string {
  const columns = allColumns.filter(
    (column) => !column.optional || rows.some((row) => column.value(row) !== ''),
  );
  const cells = rows.map((row) => columns.map((column) => plainLine(column.value(row))));
  const widths = fitColumns(columns, naturalWidths(columns, cells), width);
  const header = formatLine(columns, widths, (column) => column.header, styleHeader);
  const lines = rows.map((row, index) =>
    formatLine(
      columns,
      widths,
      (_, position) => cells[index]?.[position] ?? '',
      (text, column) => column.style?.(text, row) ?? text,
    ),
  );
  return [header, ...lines].join('\n');
}

function naturalWidths<Row>(columns: readonly Column<Row>[], cells: readonly string[][]): number[] {
  return columns.map((column, position) => {
    const texts = [column.header, ...cells.map((row) => row[position] ?? '')];
    return texts.reduce((widest, text) => Math.max(widest, displayWidth(text)), 0);
  });
}

/** Takes what is too much from the columns that shrink, the widest first. */
function fitColumns<Row>(
  columns: readonly Column<Row>[],
  natural: readonly number[],
  width: number,
): number[] {
  const widths = [...natural];
  const used = widths.reduce((sum, each) => sum + each, GAP.length * (columns.length - 1));
  const excess = Number.isFinite(width) ? used - width : 0;
  for (let taken = 0; taken < excess; taken += 1) {
    const position = widestShrinking(columns, widths);
    if (position === null) break;
    widths[position] = (widths[position] ?? 0) - 1;
  }
  return widths;
}

function widestShrinking<Row>(columns: readonly Column<Row>[], widths: number[]): number | null {
  let widest: number | null = null;
  for (const [position, width] of widths.entries()) {
    if (!columns[position]?.shrinks || width <= MIN_SHRUNK_WIDTH) continue;
    if (widest === null || width > (widths[widest] ?? 0)) widest = position;
  }
  return widest;
}

function formatLine<Row>(
  columns: readonly Column<Row>[],
  widths: readonly number[],
  textOf: (column: Column<Row>, position: number) => string,
  styleOf: (text: string, column: Column<Row>) => string,
): string {
  const last = columns.length - 1;
  return columns
    .map((column, position) => {
      const width = widths[position] ?? 0;
      const fitted = fitWidth(textOf(column, position), width);
      const isRagged = position === last && column.align !== 'right';
      const padded = isRagged ? fitted : padWidth(fitted, width, column.align ?? 'left');
      return styleOf(padded, column);
    })
    .join(GAP)
    .trimEnd();
}
