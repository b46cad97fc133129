import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FatalError } from '../../core/errors.ts';

/** Resolves while the database is still the one that was opened; rejects with StoreReplaced. */
export type RequireInPlace = () => Promise<void>;

/** That of a server, or of memory. */
export const neverReplaced: RequireInPlace = async () => undefined;

/**
 * The file that is open has another name by now, or none: what is written into it is lost with this
 * process, and the next one finds another database.
 */
export class StoreReplaced extends FatalError {
  constructor(path: string) {
    super(
      `The database file ${path} was deleted or replaced while it was in use. Nothing more is spent, since nothing of it would be remembered. Put the right file in place, then start again.`,
      { code: 'store_replaced' },
    );
  }
}

/**
 * Remembers which file is at a path. Call it before the file is opened: one that is replaced in
 * between is then noticed, not trusted.
 */
export async function rememberFile(path: string): Promise<RequireInPlace> {
  const absolute = resolve(path);
  const first = await readFileIdentity(absolute);
  return async () => {
    // A folder that cannot be looked into any more proves nothing good either.
    const now = await readFileIdentity(absolute).catch(() => null);
    if (now === null || now !== first) throw new StoreReplaced(absolute);
  };
}

/** Device and number of the file, which a file keeps as long as it exists. */
async function readFileIdentity(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true });
  return `${dev}:${ino}`;
}
