/** Reads the rows of a CSV file one after another, with their line numbers. */

import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { z } from 'zod';
import { ImportProblem } from '../problem.ts';
import { readDecoded } from './decoded.ts';

const recordSchema = z.object({
  record: z.array(z.string()),
  info: z.object({ lines: z.number() }),
});

/** A row. The keys are the column names. The cells have no white space at their ends. */
export interface CsvRow {
  row: Record<string, string>;
  /** The number of the line on which the row ends. The first line is 1. */
  line: number;
  /** The reason why the cells of the row may be in wrong columns, or null for most rows. */
  problem: string | null;
}

/** The message about a row that has too many cells. In most cases, a cell contains a comma without quotes. */
const TOO_LONG =
  'has more cells than the first line has columns: put a text that contains a comma in quotes';

/** Yields the rows of a CSV file. Throws if the file is not CSV, or if two columns have one name. */
export async function* readCsv(file: string): AsyncGenerator<CsvRow> {
  const text = Readable.from(readDecoded(file));
  const parser = parse({
    bom: true,
    info: true,
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
  });
  // The error is passed on here, because a pipe does not pass errors on.
  text.on('error', (error) => parser.destroy(error));
  text.pipe(parser);
  let columns: string[] | undefined;
  try {
    for await (const one of parser) {
      const { record, info } = recordSchema.parse(one);
      if (columns === undefined) columns = readColumns(file, record);
      else yield toRow(columns, record, info.lines);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ImportProblem(basename(file), [error.message]);
  }
}

function readColumns(file: string, names: readonly string[]): string[] {
  const columns = names.map((name) => name.trim());
  const repeated = columns.find((name, at) => name !== '' && columns.indexOf(name) !== at);
  if (repeated === undefined) return columns;
  throw new ImportProblem(basename(file), [
    `Two columns have the name ${repeated}. Rename or remove one of them.`,
  ]);
}

function toRow(columns: readonly string[], cells: readonly string[], line: number): CsvRow {
  const isTooLong = cells.slice(columns.length).some((cell) => cell !== '');
  const named = cells
    .slice(0, columns.length)
    .map((cell, at) => [columns[at] ?? '', cell] as const);
  return { row: Object.fromEntries(named), line, problem: isTooLong ? TOO_LONG : null };
}
