/** A file on stdout that is written while it is read: it may be larger than the memory. */
import type { Output, TextStream } from '../terminal/output.ts';

/**
 * Writes the parts on stdout, and nothing before there is a first part. If a later part fails, a remark says that the
 * file is not complete, and the error follows: the command ends with its exit code.
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
    if (hasBegun) output.note('The file on stdout is not complete: delete it, and try again.');
    throw error;
  }
}
