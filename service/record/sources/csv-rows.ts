/** Reads the rows of a CSV file with their line numbers, one by one. */

import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { z } from 'zod';
import { ImportProblem } from '../problem.ts';
import { readDecoded } from './decoded.ts';

const recordSchema = z.object({
  record: z.record(z.string(), z.string()),
  info: z.object({ lines: z.number() }),
});

/** A row, by column names. Cells are trimmed. */
export interface CsvRow {
  row: Record<string, string>;
  /** The line on which the row ends, counted from 1. */
  line: number;
}

/** Reads the rows. If a file is not CSV, the problem names the line. */
export async function* readCsv(file: string): AsyncGenerator<CsvRow> {
  const text = Readable.from(readDecoded(file));
  const parser = parse({
    columns: (names: string[]) => names.map((name) => name.trim()),
    bom: true,
    info: true,
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
  });
  // A pipe does not pass errors on.
  text.on('error', (error) => parser.destroy(error));
  text.pipe(parser);
  try {
    for await (const one of parser) {
      const { record, info } = recordSchema.parse(one);
      yield { row: record, line: info.lines };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ImportProblem(basename(file), [error.message]);
  }
}
