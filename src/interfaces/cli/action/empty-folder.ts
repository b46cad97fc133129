import { mkdir, readdir } from 'node:fs/promises';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';

/** Creates the folder if it does not exist. Throws if it contains anything, so that no file is overwritten. */
export async function requireEmptyFolder(folder: string): Promise<void> {
  const names = await mkdir(folder, { recursive: true })
    .then(() => readdir(folder))
    .catch((cause: unknown) => {
      throw new ConfigurationError(
        `${folder} cannot be made or read (${messageOf(cause)}): choose another folder.`,
        { code: 'folder_unusable', cause, details: { folder } },
      );
    });
  if (names.length === 0) return;
  throw new ConfigurationError(`${folder} is not empty: choose a new folder.`, {
    code: 'folder_not_empty',
    details: { folder },
  });
}
