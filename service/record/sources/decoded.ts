/** The text of a file in its encoding. Bytes that are not in that encoding refuse the file: a name would be another one. */

import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { ImportProblem } from '../problem.ts';

/** What a file says about its encoding is at its beginning, and in ASCII. */
const MOST_OF_DECLARATION = 200;

/** Decodes a file as `declared` finds in its beginning, or as UTF-8. */
export async function* readDecoded(
  file: string,
  declared: (start: string) => string | undefined = () => undefined,
): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  let encoding = 'utf-8';
  try {
    for await (const chunk of createReadStream(file)) {
      const bytes = Buffer.from(chunk);
      if (decoder === null) {
        const start = bytes.subarray(0, MOST_OF_DECLARATION).toString('latin1');
        encoding = declared(start) ?? encoding;
        decoder = new TextDecoder(encoding, { fatal: true });
      }
      yield decoder.decode(bytes, { stream: true });
    }
    if (decoder !== null) yield decoder.decode();
  } catch (error) {
    if (error instanceof RangeError)
      throw new ImportProblem(basename(file), [`The encoding ${encoding} is not known.`]);
    if (error instanceof TypeError)
      throw new ImportProblem(basename(file), [
        `The text is not valid ${encoding}. Save the file in that encoding.`,
      ]);
    throw error;
  }
}
