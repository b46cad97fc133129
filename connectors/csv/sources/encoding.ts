import { isUtf8 } from 'node:buffer';

/** `latin1` means Windows-1252, as in spreadsheets. */
export const ENCODINGS = ['utf-8', 'latin1'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** Returns the text of the bytes; null if they are not in this encoding. */
export function decodeText(bytes: Buffer, encoding: Encoding): string | null {
  if (encoding === 'utf-8') return isUtf8(bytes) ? bytes.toString('utf8') : null;
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (mark) => WINDOWS_1252[mark.charCodeAt(0) - 0x80] ?? mark);
}

/** Returns true if every character of the text exists in the encoding. */
export function isEncodable(text: string, encoding: Encoding): boolean {
  return encoding === 'utf-8' ? text.isWellFormed() : ENCODABLE_IN_LATIN1.test(text);
}

/** Returns the bytes of a text. A character that does not exist in the encoding becomes a question mark. */
export function encodeText(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  return Buffer.from(text.replace(/[^\0-\xff]/gu, latin1Byte), 'latin1');
}

function latin1Byte(mark: string): string {
  const place = WINDOWS_1252.indexOf(mark);
  return place === -1 ? '?' : String.fromCharCode(0x80 + place);
}

/** The characters for the bytes 0x80 to 0x9F. Five of the bytes have none and do not change. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const ENCODABLE_IN_LATIN1 = new RegExp(`^[\\x00-\\x7f\\xa0-\\xff${WINDOWS_1252}]*$`);
