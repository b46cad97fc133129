/** Prints a file that may be too large for memory. */
import type { Output, TextStream } from '../terminal/output.ts';

/**
 * Prints the parts of a file. Waits for the first part. If a later part fails, prints a remark and throws the error.
 */
export async function printStream(
  { stdout }: { stdout: TextStream },
  output: Pick<Output, 'note'>,
  parts: AsyncIterable<string>,
): Promise<void> {
  let hasBegun = false;
  try {
    for await (const part of parts) {
      stdout.write(part);
      hasBegun = true;
    }
  } catch (error) {
    if (hasBegun) output.note('The file on stdout is not complete. Delete it, and try again.');
    throw error;
  }
}
