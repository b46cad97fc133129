import { crc32, inflateRawSync } from 'node:zlib';

/**
 * Returns the files that a ZIP file's central directory lists, by name. Throws an error if the file is incomplete.
 */
export function readZip(bytes: Buffer): Map<string, string> {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error('There is no table of contents.');
  const files = new Map<string, string>();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (bytes.readUInt32LE(at) !== 0x02014b50) throw new Error('An entry is missing.');
    const [checksum, packed, size] = [16, 20, 24].map((offset) => bytes.readUInt32LE(at + offset));
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const header = bytes.readUInt32LE(at + 42);
    const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
    const content = inflateRawSync(bytes.subarray(start, start + (packed ?? 0)));
    if (content.length !== size || crc32(content) !== checksum) {
      throw new Error(`${name} is damaged.`);
    }
    files.set(name, content.toString('utf8'));
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return files;
}
