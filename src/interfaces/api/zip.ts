/** A ZIP file that is written while its files are read, so that no file has to be in memory or on disk. */
import { Buffer } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipWriter {
  /** Adds a file, as fast as the bytes are accepted. Throws a RangeError at 4 GiB, which the format cannot describe. */
  add(name: string, parts: AsyncIterable<string>): Promise<void>;
  /** Writes the table of contents, without which the file is not complete. */
  finish(): Promise<void>;
}

/** A file's entry in the table of contents. */
interface Entry {
  name: Buffer;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

const LOCAL_HEADER = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const TABLE_ENTRY = 0x02014b50;
const END_OF_TABLE = 0x06054b50;

/** Version 2.0, made on Unix; sizes follow the data, and names are UTF-8. */
const VERSION = 20;
const MADE_ON_UNIX = (3 << 8) | VERSION;
const FLAGS = 0x0808;
const DEFLATE = 8;

/** Only the owner can read and write the files, as with files that the terminal writes. */
const MODE = 0o100600 * 0x10000;

const MAX_SIZE = 0xffffffff;

/** Creates a writer. `write` resolves once the bytes are accepted. The files get the time `now` (epoch ms, in UTC). */
export function createZip(write: (bytes: Uint8Array) => Promise<void>, now: number): ZipWriter {
  const entries: Entry[] = [];
  const { time, date } = toDosTime(now);
  let written = 0;
  return { add, finish };

  async function put(bytes: Buffer): Promise<void> {
    await write(bytes);
    written = requireSmall(written + bytes.length);
  }

  async function add(text: string, parts: AsyncIterable<string>): Promise<void> {
    const entry: Entry = { name: Buffer.from(text), crc: 0, packed: 0, size: 0, offset: written };
    const { name } = entry;
    await put(Buffer.concat([u32(LOCAL_HEADER), u16(VERSION), ...common(entry), u16(0), name]));
    await pipeline(measured(entry, parts), createDeflateRaw(), async (packed) => {
      for await (const bytes of packed) {
        entry.packed += bytes.length;
        await put(bytes);
      }
    });
    await put(Buffer.concat([u32(DESCRIPTOR), u32(entry.crc), u32(entry.packed), u32(entry.size)]));
    entries.push(entry);
  }

  async function finish(): Promise<void> {
    const start = written;
    for (const entry of entries) {
      const head = [u32(TABLE_ENTRY), u16(MADE_ON_UNIX), u16(VERSION), ...common(entry)];
      const rest = [u16(0), u16(0), u16(0), u16(0), u32(MODE), u32(entry.offset), entry.name];
      await put(Buffer.concat([...head, ...rest]));
    }
    const count = u16(entries.length);
    const size = u32(written - start);
    await put(
      Buffer.concat([u32(END_OF_TABLE), u16(0), u16(0), count, count, size, u32(start), u16(0)]),
    );
  }

  /** The fields that a local header and the table of contents share. Sizes are 0 before the data. */
  function common({ name, crc, packed, size }: Entry): Buffer[] {
    const sizes = [u32(crc), u32(packed), u32(size), u16(name.length)];
    return [u16(FLAGS), u16(DEFLATE), u16(time), u16(date), ...sizes];
  }
}

async function* measured(entry: Entry, parts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const part of parts) {
    const bytes = Buffer.from(part);
    entry.crc = crc32(bytes, entry.crc);
    entry.size = requireSmall(entry.size + bytes.length);
    yield bytes;
  }
}

function requireSmall(size: number): number {
  if (size <= MAX_SIZE) return size;
  throw new RangeError('A ZIP file cannot have 4 GiB or more.');
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Pairs of seconds and days, as the format counts them. */
function toDosTime(now: number): { time: number; date: number } {
  const at = new Date(now);
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const years = at.getUTCFullYear() - 1980;
  return { time, date: (years << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate() };
}
