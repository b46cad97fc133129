import { mkdir, readdir } from 'node:fs/promises';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';

/** Creates a folder if it is missing. Throws an error if the folder contains files, so that nothing is overwritten. */
export async function requireEmptyFolder(folder: string): Promise<void> {
  const names = await mkdir(folder, { recursive: true })
    .then(() => readdir(folder))
    .catch((cause: unknown) => {
      throw new ConfigurationError(
        `${folder} cannot be created or read (${messageOf(cause)}). Choose another folder.`,
        { code: 'folder_unusable', cause, details: { folder } },
      );
    });
  if (names.length === 0) return;
  throw new ConfigurationError(`${folder} is not empty. Choose a new folder.`, {
    code: 'folder_not_empty',
    details: { folder },
  });
}
