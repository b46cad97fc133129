/**
 * Moves the logs together with their database. The logs of Postgres and of files have different names, and a restore
 * needs all their lines.
 */
import { ConfigurationError, messageOf } from '../core/errors.ts';
import { isOfStore, openErasureLog } from '../privacy/statements/erasure-log.ts';
import { appendMissing, openErasurePlaces } from '../privacy/statements/erasure-places.ts';
import { copyWriteLog } from '../privacy/statements/write-log.ts';
import type { Settings } from '../settings/settings.ts';

type LogFiles = Pick<Settings, 'erasureLog' | 'moreErasureLogs'>;

/**
 * Copies this database's lines into the other logs. A repeated move adds only the missing lines. Throws a
 * ConfigurationError if a file cannot be read or written.
 *
 * @param store The tag of the database, which stays the same.
 */
export async function moveLogs(from: LogFiles, to: LogFiles, store: string): Promise<void> {
  const { erasureLog: live, moreErasureLogs: named = [] } = from;
  const { erasureLog: target } = to;
  if (live === null || target === null) return;
  try {
    const places = openErasurePlaces({ live, named, store, open: openErasureLog });
    const lines = (await places.read()).filter((entry) => isOfStore(entry, store));
    await appendMissing(openErasureLog(target), lines);
    for (const path of [live, ...named]) await copyWriteLog({ from: path, store }, target);
  } catch (error) {
    throw new ConfigurationError(
      `The erasure log ${live} and the write log next to it could not be copied to ${target}: ${messageOf(error).replace(/\.?$/, '.')} The move is not finished. Make these files and their folders readable and writable, then repeat the move.`,
      { code: 'move_logs_unusable', cause: error },
    );
  }
}
