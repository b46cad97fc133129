import type { Store } from '../../database/store.ts';
import { LEFT_STATES } from './left-values.ts';
import { BACKUP_TAKES_MS, type WriteLog, type WriteLogFile } from './write-log.ts';

export interface WriteLogState {
  files: readonly WriteLogFile[];
  /** The number of the database's newest writes that were searched for in the write log. */
  checked: number;
  /**
   * The number of writes that the write log lacks. A different host may have recorded them elsewhere, or the log was
   * lost.
   */
  missing: number;
  /** The time of the last write that the write log lacks (epoch ms). Null if the log is complete. */
  lastMissingAt: number | null;
}

const WRITES_CHECKED = 1_000;

/** The check reports a lost or newly created write log for this time. */
const LOG_CHECKED_MS = 30 * 86_400_000;

/** Checks the write log: its files, and whether it contains the newest writes of the database. */
export async function examineWriteLog({
  reader,
  writeLog,
}: Pick<Store, 'reader'> & { readonly writeLog: WriteLog }): Promise<WriteLogState> {
  const { clock } = reader;
  const files = await writeLog.examine(clock.now());
  const newest = await reader
    .selectFrom('writes')
    .select(['id', 'written_at'])
    .where('state', 'not in', LEFT_STATES)
    .where('written_at', '>=', clock.now() - LOG_CHECKED_MS)
    .orderBy('written_at', 'desc')
    .limit(WRITES_CHECKED)
    .execute();
  const oldest = newest.at(-1)?.written_at ?? clock.now();
  const lines = await writeLog.read(Number(oldest) - BACKUP_TAKES_MS);
  const noted = new Set(lines.map(({ id }) => id));
  const missing = newest.filter(({ id }) => !noted.has(id));
  const lastMissingAt = missing.length === 0 ? null : Number(missing[0]?.written_at);
  return { files, checked: newest.length, missing: missing.length, lastMissingAt };
}
