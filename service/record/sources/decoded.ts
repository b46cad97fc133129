/**
 * Decodes the text of a file. If some bytes are invalid in the file's encoding, the file is rejected, because decoding
 * would change names.
 */

import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { ImportProblem } from '../problem.ts';

/** The number of bytes in which a file declares its encoding. The declaration is in ASCII. */
const MOST_OF_DECLARATION = 200;

/**
 * Decodes a file. `declared` finds the name of the encoding at the beginning of the file. If the file declares no
 * encoding, UTF-8 is used.
 */
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
