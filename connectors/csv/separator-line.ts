/**
 * Reads a first line such as `sep=;`. Excel uses this line to name the delimiter. The line that names the delimiter
 * does not describe a contact. The output keeps the line that names the delimiter.
 */
import { DELIMITERS } from './settings.ts';

const SEPARATOR_LINE = /^(?:sep=([,;\t|])|"sep=([,;\t|])")\r?\n/i;

/** The maximum length of the line in bytes, including quotes and the line ending. */
const MOST_BYTES = 9;

export interface SeparatorLine {
  delimiter: (typeof DELIMITERS)[number];
  /** The line as the file contains it, with its line ending. */
  text: string;
}

/** Returns the line that names the delimiter if these bytes start with it, or null if they do not. */
export function readSeparatorLine(bytes: Buffer): SeparatorLine | null {
  const found = SEPARATOR_LINE.exec(bytes.subarray(0, MOST_BYTES).toString('latin1'));
  const named = found?.[1] ?? found?.[2];
  const delimiter = DELIMITERS.find((each) => each === named);
  return found === null || delimiter === undefined ? null : { delimiter, text: found[0] };
}
