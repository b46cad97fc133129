import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the marks that occur in the bytes. The marks may be plain text, base64 at any position, hexadecimal or
 * UTF-16.
 */
export function marksIn(bytes: Buffer, marks: readonly string[]): string[] {
  const text = bytes.toString('latin1');
  const lower = text.toLowerCase();
  return marks.filter((mark) => {
    const { exact, hex } = formsOf(mark);
    return exact.some((form) => text.includes(form)) || hex.some((form) => lower.includes(form));
  });
}

/** Returns the content of all files in a folder and its subfolders. */
export async function folderBytes(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Buffer.concat(
    await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name)))),
  );
}

function formsOf(mark: string): { exact: string[]; hex: string[] } {
  const utf8 = Buffer.from(mark);
  const utf16 = Buffer.from(mark, 'utf16le');
  const swapped = Buffer.from(utf16).swap16();
  const plain = [utf8, utf16, swapped];
  return {
    exact: [...plain.map((form) => form.toString('latin1')), ...plain.flatMap(base64Of)],
    hex: plain.map((form) => form.toString('hex')),
  };
}

/**
 * Returns the parts of the base64 text that do not depend on the surrounding bytes, for each of the three alignments.
 */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const whole = padded.subarray(0, padded.length - (padded.length % 3));
    return (['base64', 'base64url'] as const).map((alphabet) =>
      whole.toString(alphabet).slice(before === 0 ? 0 : 4),
    );
  });
}
