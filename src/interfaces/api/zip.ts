/** A ZIP file that is written while its files are read, so no file has to be in memory or on disk. */
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { WriteFile } from '../../core/write-file.ts';

export interface ZipWriter {
  /**
   * The ZIP file's bytes, which are written as fast as they are read. If the reader stops, the file that is being added
   * also stops.
   */
  bytes: AsyncIterable<Uint8Array>;
  /** Adds a file. If its first part cannot be read, rejects before any of the file is written. */
  add: WriteFile;
  /** Writes the table of contents, without which the file is not complete. */
  finish(): void;
  /** Ends the bytes with an error. */
  abort(error: unknown): void;
}

/** Only the owner can read and write the files, as with files that the terminal writes. */
const MODE = 0o100600;

/** Creates a writer. The files get the time `now` (epoch ms). */
export async function createZip(now: number): Promise<ZipWriter> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const bytes = requireReadable(zip.outputStream);
  // Without a listener, an error of the stream would end the process.
  bytes.on('error', () => {});
  return { bytes, add, finish: () => zip.end(), abort };

  async function add(name: string, parts: AsyncIterable<string>): Promise<void> {
    const iterator = parts[Symbol.asyncIterator]();
    try {
      await write(name, await iterator.next(), iterator);
    } finally {
      await iterator.return?.();
    }
  }

  async function write(
    name: string,
    first: IteratorResult<string>,
    rest: AsyncIterator<string>,
  ): Promise<void> {
    const file = Readable.from(startedWith(first, rest), { objectMode: false });
    const close = () => file.destroy(new Error(`${name} was not read to its end.`));
    if (bytes.destroyed) close();
    // yazl does not close a file whose reader has left.
    bytes.once('close', close);
    try {
      zip.addReadStream(file, name, { mtime: new Date(now), mode: MODE });
      await finished(file);
    } finally {
      bytes.off('close', close);
    }
  }

  function abort(error: unknown): void {
    bytes.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Returns the stream as a readable one, because the types of yazl do not say that it can be destroyed. */
function requireReadable(stream: unknown): Readable {
  if (stream instanceof Readable) return stream;
  throw new Error('yazl writes into another kind of stream.');
}

/** Yields all parts, of which the first has already been read. */
async function* startedWith(
  first: IteratorResult<string>,
  rest: AsyncIterator<string>,
): AsyncGenerator<string> {
  for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
}
