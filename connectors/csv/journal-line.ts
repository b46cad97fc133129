import { z } from 'zod';

const lineSchema = z.union([
  /** A change: for each column the text that stood in the file and the one to put there. */
  z.strictObject({
    id: z.string(),
    cells: z.record(z.string(), z.tuple([z.string(), z.string()])),
  }),
  /** Columns to be added to the output. */
  z.strictObject({ create: z.array(z.string()) }),
  /** Columns whose cells are the output's, although the input has a column of that name. */
  z.strictObject({ keep: z.array(z.string()) }),
  /** The changes are in this file, which is about to become the output. */
  z.strictObject({ replacement: z.string() }),
]);

/** One line of the journal. */
export type JournalLine = z.infer<typeof lineSchema>;
export type JournalChange = Extract<JournalLine, { id: string }>;

/** A line as it stands in the journal, its line feed included. */
export function encodeLine(line: JournalLine): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

/** Reads a line without its line feed; null for one that a kill tore. */
export function parseLine(bytes: Buffer): JournalLine | null {
  try {
    return lineSchema.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    return null;
  }
}
