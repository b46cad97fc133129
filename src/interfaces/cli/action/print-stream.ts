/** Writes a file to stdout while it is read, because it may not fit into memory. */
import type { Output, TextStream } from '../terminal/output.ts';

/**
 * Writes the parts to stdout once there is a first part. If a later part fails, prints a remark that the file is not
 * complete and throws the error, which determines the exit code.
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
