import { rm } from 'node:fs/promises';
import { fileError } from './file-errors.ts';
import type { CsvSession } from './session.ts';

/**
 * Takes contacts out of the journal and out of a half-made output that a run which was cut off has
 * left behind. The journal first: the changes of one that names an output which is not there count as
 * merged.
 */
export async function eraseKept(
  { files }: CsvSession,
  isErased: (id: string) => boolean,
): Promise<number> {
  return files.withTables(async () => {
    const { paths, journal } = files;
    const dropped = await journal.erase(isErased);
    try {
      await rm(paths.replacement, { force: true });
    } catch (error) {
      throw fileError('remove', paths.replacement, error);
    }
    return dropped;
  });
}
