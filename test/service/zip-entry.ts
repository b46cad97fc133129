/** Reads one file of a ZIP archive, such as a sheet of an XLSX workbook. */

import { inflateRawSync } from 'node:zlib';

const CENTRAL_SIGNATURE = Buffer.from('PK\u0001\u0002', 'latin1');
const CENTRAL_HEADER_BYTES = 46;
const LOCAL_HEADER_BYTES = 30;

/**
 * Returns an entry's content as a string. The entry can be stored or deflated. Throws an error if the entry is
 * missing.
 */
export function readZipEntry(archive: Buffer, name: string): string {
  let at = archive.indexOf(CENTRAL_SIGNATURE);
  while (at !== -1) {
    const nameBytes = archive.readUInt16LE(at + 28);
    const start = at + CENTRAL_HEADER_BYTES;
    if (archive.toString('utf8', start, start + nameBytes) === name) {
      return contentAt(archive, at);
    }
    at = archive.indexOf(CENTRAL_SIGNATURE, start);
  }
  throw new Error(`The archive has no ${name}.`);
}

function contentAt(archive: Buffer, central: number): string {
  const isDeflated = archive.readUInt16LE(central + 10) === 8;
  const sizeBytes = archive.readUInt32LE(central + 20);
  const local = archive.readUInt32LE(central + 42);
  const lengths = archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const start = local + LOCAL_HEADER_BYTES + lengths;
  const bytes = archive.subarray(start, start + sizeBytes);
  return (isDeflated ? inflateRawSync(bytes) : bytes).toString('utf8');
}
