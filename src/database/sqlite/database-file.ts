import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FatalError } from '../../core/errors.ts';

/** Rejects with StoreReplaced if someone has replaced the file. */
export type RequireInPlace = () => Promise<void>;

/** Returns without a check. Used for databases on a server or in memory, which nobody can replace. */
export const neverReplaced: RequireInPlace = async () => undefined;

/**
 * Someone has renamed or deleted the open database file. New data would be lost, and the next process would open a
 * different database.
 */
export class StoreReplaced extends FatalError {
  constructor(path: string) {
    super(
      `The database file ${path} was deleted or replaced while it was in use. No more credits are spent, because they would not be recorded. Put the correct file in place, then start again.`,
      { code: 'store_replaced' },
    );
  }
}

/** Remembers the file at a path. Call this function before the file is opened, so that a replacement is noticed. */
export async function rememberFile(path: string): Promise<RequireInPlace> {
  const absolute = resolve(path);
  const first = await readFileIdentity(absolute);
  return async () => {
    // If the folder is unreadable, the file counts as replaced.
    const now = await readFileIdentity(absolute).catch(() => null);
    if (now === null || now !== first) throw new StoreReplaced(absolute);
  };
}

/** Returns the device and the inode of the file. The device and the inode do not change as long as the file exists. */
async function readFileIdentity(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true });
  return `${dev}:${ino}`;
}
