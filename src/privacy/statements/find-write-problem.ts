/** Checks whether a file can be written, even if it does not exist yet. Writes nothing to the file. */
import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../../core/errors.ts';

/**
 * Returns the reason why a file cannot be read and written, or cannot be created. Returns null if there is no problem.
 */
export async function findWriteProblem(path: string): Promise<string | null> {
  try {
    const found = await stat(path).catch(() => null);
    if (found !== null && !found.isFile()) throw new Error('it is not a file');
    const what = found === null ? await findNearestFolder(dirname(path)) : path;
    await access(what, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Returns the folder itself, or the existing folder in which it would be created. */
async function findNearestFolder(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await stat(at).catch(() => null);
    if (found !== null || dirname(at) === at) return at;
  }
}
