/**
 * Reads a first line such as `sep=;`, which is Excel's convention for naming the delimiter. This line is not a row. It
 * stays in the output.
 */
import { DELIMITERS } from './settings.ts';

const SEPARATOR_LINE = /^(?:sep=([,;\t|])|"sep=([,;\t|])")\r?\n/i;

/** The maximum length of such a line, including quotes and line ending. */
const MOST_BYTES = 9;

export interface SeparatorLine {
  delimiter: (typeof DELIMITERS)[number];
  /** The line in the form in which the file contains it, with its line ending. */
  text: string;
}

/** Returns the line at the beginning of these bytes, or null if there is none. */
export function readSeparatorLine(bytes: Buffer): SeparatorLine | null {
  const found = SEPARATOR_LINE.exec(bytes.subarray(0, MOST_BYTES).toString('latin1'));
  const named = found?.[1] ?? found?.[2];
  const delimiter = DELIMITERS.find((each) => each === named);
  return found === null || delimiter === undefined ? null : { delimiter, text: found[0] };
}
