import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FatalError } from '../../core/errors.ts';

/** Rejects with StoreReplaced if the file was replaced. */
export type RequireInPlace = () => Promise<void>;

/** For databases on a server or in memory. */
export const neverReplaced: RequireInPlace = async () => undefined;

/**
 * The open file was renamed or removed. Its new data would be lost, and the next process would find another database.
 */
export class StoreReplaced extends FatalError {
  constructor(path: string) {
    super(
      `The database file ${path} was deleted or replaced while it was in use. No more credits are spent, because they would not be recorded. Put the correct file in place, then start again.`,
      { code: 'store_replaced' },
    );
  }
}

/** Remembers the file at a path. Call it before opening, so a replacement is noticed. */
export async function rememberFile(path: string): Promise<RequireInPlace> {
  const absolute = resolve(path);
  const first = await readFileIdentity(absolute);
  return async () => {
    // An unreadable folder counts as a replacement.
    const now = await readFileIdentity(absolute).catch(() => null);
    if (now === null || now !== first) throw new StoreReplaced(absolute);
  };
}

/** Returns the device and inode of the file. They do not change while the file exists. */
async function readFileIdentity(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true });
  return `${dev}:${ino}`;
}
