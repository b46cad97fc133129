import type { ByteReader } from './source.ts';

const AHEAD_BYTES = 128 * 1024;

/**
 * Reads more bytes of the file than the caller requests. Each read runs on a different thread, and starting a read
 * takes longer than reading more bytes.
 */
export function createReadAhead(handle: Pick<ByteReader, 'read'>): Pick<ByteReader, 'read'> {
  const ahead = Buffer.allocUnsafe(AHEAD_BYTES);
  let begin = 0;
  let filled = 0;
  return {
    async read(buffer, offset, length, position) {
      if (position < begin || position >= begin + filled) {
        if (length >= AHEAD_BYTES) return handle.read(buffer, offset, length, position);
        ({ bytesRead: filled } = await handle.read(ahead, 0, AHEAD_BYTES, position));
        begin = position;
      }
      const [start, end] = [position - begin, Math.min(filled, position - begin + length)];
      return { bytesRead: ahead.copy(buffer, offset, start, end) };
    },
  };
}
