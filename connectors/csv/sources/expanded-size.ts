/**
 * Determines the size of the unpacked files in an archive without storing their data. The size in the archive's header
 * may be wrong.
 */
import { createInflateRaw } from 'node:zlib';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** The maximum length of the comment after an archive's end record. */
const MOST_COMMENT = 65_535;
const PACKED = 8;
/** The value that marks a size as stored in a different place of the archive. */
const ELSEWHERE = 0xffffffff;

/**
 * Returns true if the unpacked files in an archive are larger than `most`. Returns false if the bytes are not an
 * archive.
 */
export async function expandsBeyond(bytes: Uint8Array, most: number): Promise<boolean> {
  let total = 0;
  for (const entry of readEntries(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))) {
    total += entry.isPacked ? await inflatedSize(entry.data, most - total) : entry.data.length;
    if (total > most) return true;
  }
  return false;
}

function* readEntries(archive: Buffer): Iterable<{ data: Buffer; isPacked: boolean }> {
  const end = findEnd(archive);
  if (end === -1) return;
  let at = archive.readUInt32LE(end + 16);
  while (at + ENTRY_BYTES <= archive.length && archive.readUInt32LE(at) === ENTRY) {
    const size = archive.readUInt32LE(at + 20);
    const local = archive.readUInt32LE(at + 42);
    if (local + LOCAL_BYTES <= archive.length) {
      const names = archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      const start = local + LOCAL_BYTES + names;
      const data = archive.subarray(start, size === ELSEWHERE ? undefined : start + size);
      yield { data, isPacked: archive.readUInt16LE(at + 10) === PACKED };
    }
    at +=
      ENTRY_BYTES +
      archive.readUInt16LE(at + 28) +
      archive.readUInt16LE(at + 30) +
      archive.readUInt16LE(at + 32);
  }
}

function findEnd(archive: Buffer): number {
  const first = Math.max(0, archive.length - END_BYTES - MOST_COMMENT);
  for (let at = archive.length - END_BYTES; at >= first; at -= 1) {
    if (archive.readUInt32LE(at) === END) return at;
  }
  return -1;
}

/**
 * Returns the size of unpacked data. The function stops soon after it has counted more than `most` bytes. For damaged
 * data, the size includes only the readable part.
 */
function inflatedSize(data: Buffer, most: number): Promise<number> {
  return new Promise((resolve) => {
    let size = 0;
    const inflate = createInflateRaw();
    inflate.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > most) inflate.destroy();
    });
    inflate.on('error', () => resolve(size));
    inflate.on('close', () => resolve(size));
    inflate.end(data);
  });
}
