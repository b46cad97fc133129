import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FatalError } from '../../core/errors.ts';

/** Resolves while the open database is still the file at its path. Rejects with StoreReplaced otherwise. */
export type RequireInPlace = () => Promise<void>;

/** For a database on a server or in memory. */
export const neverReplaced: RequireInPlace = async () => undefined;

/**
 * Thrown if the open file now has a different name or none. Everything that is written into it is lost when this
 * process ends, and the next process finds a different database.
 */
export class StoreReplaced extends FatalError {
  constructor(path: string) {
    super(
      `The database file ${path} was deleted or replaced while it was in use. No more credits are spent, because they would not be recorded. Put the correct file in place, then start again.`,
      { code: 'store_replaced' },
    );
  }
}

/**
 * Remembers which file is at a path. Call it before the file is opened, so a replacement in the meantime is noticed.
 */
export async function rememberFile(path: string): Promise<RequireInPlace> {
  const absolute = resolve(path);
  const first = await readFileIdentity(absolute);
  return async () => {
    // A folder that can no longer be read also counts as a replaced file.
    const now = await readFileIdentity(absolute).catch(() => null);
    if (now === null || now !== first) throw new StoreReplaced(absolute);
  };
}

/** Returns the device and inode of the file. They do not change as long as the file exists. */
async function readFileIdentity(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true });
  return `${dev}:${ino}`;
}
