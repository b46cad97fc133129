import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { WriteFile } from '../../core/write-file.ts';

export interface ZipWriter {
  /**
   * The bytes of the ZIP file, which are written as fast as the reader accepts them. If the reader stops, the current
   * file stops too.
   */
  bytes: AsyncIterable<Uint8Array>;
  /** Adds a file. If its first part fails, rejects before anything is written. */
  add: WriteFile;
  /** Writes the table of contents. */
  finish(): void;
  /** Ends the stream of bytes with an error. */
  abort(error: unknown): void;
}

/** The permissions of the files. Only the owner can read the files, as with files from the terminal. */
const MODE = 0o100600;

/** Creates a ZIP file. The files in the ZIP file get the time `now` (epoch ms). */
export async function createZip(now: number): Promise<ZipWriter> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const bytes = requireReadable(zip.outputStream);
  // Without this listener, a stream error would end the process.
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
    // If the reader stops, yazl does not close the current file itself.
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

/** Checks that the stream can be destroyed, because yazl's types do not show this. */
function requireReadable(stream: unknown): Readable {
  if (stream instanceof Readable) return stream;
  throw new Error('yazl writes into another kind of stream.');
}

/** Yields all parts of a file. The caller has already read the first part. */
async function* startedWith(
  first: IteratorResult<string>,
  rest: AsyncIterator<string>,
): AsyncGenerator<string> {
  for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
}
