import { isAscii as isAsciiText, isUtf8 } from 'node:buffer';
import type { ByteReader } from './source.ts';

/** `latin1` means Windows-1252, which spreadsheet programs use. */
export const ENCODINGS = ['utf-8', 'latin1'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** Decodes the bytes to a text, or returns null if some bytes are invalid in this encoding. */
export function decodeText(bytes: Buffer, encoding: Encoding): string | null {
  if (encoding === 'utf-8') return isUtf8(bytes) ? bytes.toString('utf8') : null;
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (mark) => WINDOWS_1252[mark.charCodeAt(0) - 0x80] ?? mark);
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Returns a file's encoding. A file is in UTF-8 if all its bytes are valid UTF-8 and some are not ASCII. donor-sync
 * uses UTF-8 for such a file even if the settings say Latin-1. If UTF-8 was read as Latin-1, each name with an accent
 * would become another person's name and cost another credit. A text in Latin-1 is almost never valid UTF-8.
 */
export async function detectEncoding(
  handle: Pick<ByteReader, 'read'>,
  size: number,
  expected: Encoding,
): Promise<Encoding> {
  if (expected === 'utf-8') return expected;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const buffer = Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES));
  let isAscii = true;
  for (let at = 0; at < size; ) {
    const length = Math.min(buffer.length, size - at);
    const { bytesRead } = await handle.read(buffer, 0, length, at);
    if (bytesRead === 0) break;
    const bytes = buffer.subarray(0, bytesRead);
    isAscii &&= isAsciiText(bytes);
    // The last character of the file may be incomplete. This function accepts an incomplete last character, and the row
    // is refused later.
    if (!isAscii && !isNextOf(decoder, bytes)) return expected;
    at += bytesRead;
  }
  return isAscii ? expected : 'utf-8';
}

function isNextOf(decoder: TextDecoder, bytes: Buffer): boolean {
  try {
    decoder.decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Returns true if the encoding contains every character of the text. */
export function isEncodable(text: string, encoding: Encoding): boolean {
  return encoding === 'utf-8' ? text.isWellFormed() : ENCODABLE_IN_LATIN1.test(text);
}

/** Returns the bytes of a string. A character that the encoding does not contain becomes a question mark. */
export function encodeText(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  return Buffer.from(text.replace(/[^\0-\xff]/gu, latin1Byte), 'latin1');
}

function latin1Byte(mark: string): string {
  const place = WINDOWS_1252.indexOf(mark);
  return place === -1 ? '?' : String.fromCharCode(0x80 + place);
}

/**
 * The characters for the bytes 0x80 to 0x9F. Windows-1252 does not define five of the bytes from 0x80 to 0x9F, and
 * donor-sync keeps them unchanged.
 */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const ENCODABLE_IN_LATIN1 = new RegExp(`^[\\x00-\\x7f\\xa0-\\xff${WINDOWS_1252}]*$`);
