import { plainLine } from '../../../core/printable.ts';
import { displayWidth, padWidth, wrapWidth } from './display-width.ts';

export interface Column<Row> {
  header: string;
  value(row: Row): string;
  /** The alignment. Numbers are aligned to the right. Defaults to `left`. */
  align?: 'left' | 'right';
  /** True if the text in the column may wrap. Defaults to false. */
  shrinks?: boolean;
  /** The minimum width of the column. Defaults to 14. */
  minWidth?: number;
  /** True if the column is left out when the terminal is too narrow. Defaults to false. */
  isExtra?: boolean;
  /** True if the column is left out when all its cells are empty. Defaults to false. */
  optional?: boolean;
  /** Colours the finished cell. */
  style?: (text: string, row: Row) => string;
}

export interface TableOptions {
  /** The width of the output. Infinity for a file. */
  width: number;
  /** Colours the headers. */
  styleHeader?: (text: string) => string;
}

const GAP = '  ';

/** The default minimum width. A narrower column would contain too few words. */
const MIN_WIDTH = 14;

/**
 * Formats a table, without a line break at the end. No text is cut off, because long values wrap. If the terminal is
 * too narrow, each row becomes a block with one line per column.
 */
export function formatTable<Row>(
  allColumns: readonly Column<Row>[],
  rows: readonly Row[],
  { width, styleHeader = (text) => text }: TableOptions,
): string {
  const filled = allColumns.filter(
    (column) => !column.optional || rows.some((row) => column.value(row) !== ''),
  );
  const columns = columnsThatFit(filled, rows, width);
  const cells = rows.map((row) => columns.map((column) => plainLine(column.value(row))));
  const widths = fitColumns(columns, naturalWidths(columns, cells), width);
  if (sumWidths(widths) > width) return formatBlocks(columns, cells, rows, { width, styleHeader });
  const header = formatLine(columns, widths, (column) => column.header, styleHeader);
  const lines = rows.flatMap((row, index) => {
    const wrapped = columns.map((_, position) =>
      wrapWidth(cells[index]?.[position] ?? '', widths[position] ?? 0),
    );
    const height = Math.max(...wrapped.map((texts) => texts.length));
    return Array.from({ length: height }, (_, at) =>
      formatLine(
        columns,
        widths,
        (__, position) => wrapped[position]?.[at] ?? '',
        (text, column) => column.style?.(text, row) ?? text,
      ),
    );
  });
  return [header, ...lines].join('\n');
}

/** Returns the columns that fit. The last extra columns are left out first. */
function columnsThatFit<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): readonly Column<Row>[] {
  const cells = rows.map((row) => columns.map((column) => plainLine(column.value(row))));
  const fits = sumWidths(fitColumns(columns, naturalWidths(columns, cells), width)) <= width;
  const extra = columns.findLastIndex(({ isExtra }) => isExtra);
  if (fits || extra === -1) return columns;
  return columnsThatFit(columns.toSpliced(extra, 1), rows, width);
}

/** Formats each row as a block. Empty cells are skipped. */
function formatBlocks<Row>(
  columns: readonly Column<Row>[],
  cells: readonly string[][],
  rows: readonly Row[],
  { width, styleHeader }: Required<TableOptions>,
): string {
  const labelWidth = Math.max(...columns.map(({ header }) => displayWidth(header)));
  const textWidth = Math.max(1, width - labelWidth - GAP.length);
  const blocks = rows.map((row, index) =>
    columns
      .flatMap((column, position) => {
        const [first = '', ...more] = wrapWidth(cells[index]?.[position] ?? '', textWidth);
        if (first === '') return [];
        const styled = (text: string) => column.style?.(text, row) ?? text;
        const label = styleHeader(padWidth(column.header, labelWidth, 'left'));
        const indent = ' '.repeat(labelWidth);
        return [
          `${label}${GAP}${styled(first)}`,
          ...more.map((text) => `${indent}${GAP}${styled(text)}`),
        ];
      })
      .join('\n'),
  );
  return blocks.join('\n\n');
}

/** Returns the width of a line, including gaps. */
function sumWidths(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1));
}

function naturalWidths<Row>(columns: readonly Column<Row>[], cells: readonly string[][]): number[] {
  return columns.map((column, position) => {
    const texts = [column.header, ...cells.map((row) => row[position] ?? '')];
    return texts.reduce((widest, text) => Math.max(widest, displayWidth(text)), 0);
  });
}

/** Reduces the widths until the columns fit. The widest columns are reduced first. */
function fitColumns<Row>(
  columns: readonly Column<Row>[],
  natural: readonly number[],
  width: number,
): number[] {
  const widths = [...natural];
  const excess = Number.isFinite(width) ? sumWidths(widths) - width : 0;
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
    const { shrinks = false, minWidth = MIN_WIDTH } = columns[position] ?? {};
    if (!shrinks || width <= minWidth) continue;
    if (widest === null || width > (widths[widest] ?? 0)) widest = position;
  }
  return widest;
}

function formatLine<Row>(
  columns: readonly Column<Row>[],
  widths: readonly number[],
  getText: (column: Column<Row>, position: number) => string,
  applyStyle: (text: string, column: Column<Row>) => string,
): string {
  const last = columns.length - 1;
  return columns
    .map((column, position) => {
      const text = getText(column, position);
      const isRagged = position === last && column.align !== 'right';
      const padded = isRagged
        ? text
        : padWidth(text, widths[position] ?? 0, column.align ?? 'left');
      return applyStyle(padded, column);
    })
    .join(GAP)
    .trimEnd();
}
