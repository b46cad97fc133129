/**
 * Checks whether donor-sync can write to a file, even if the file does not exist yet. The check writes nothing to the
 * file.
 */
import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../../core/errors.ts';

/** Returns the reason why donor-sync cannot read, write or create a file. Returns null if there is no problem. */
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

/** Returns the folder itself if it exists. If the folder does not exist, returns the nearest existing parent folder. */
async function findNearestFolder(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await stat(at).catch(() => null);
    if (found !== null || dirname(at) === at) return at;
  }
}
