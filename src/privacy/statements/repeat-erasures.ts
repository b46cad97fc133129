/** In a restored database, repeats the erasures and adds the writes that the logs outside the database contain. */
import type { Reader } from '../../database/reader.ts';
import type { Store } from '../../database/store.ts';
import { type ErasedAgain, eraseAgain } from './erase-again.ts';
import { type ErasureEntry, lastLineAt, storeTag, type WithErasureLog } from './erasure-log.ts';
import { placeWrites, recallWrites } from './recall-writes.ts';
import { BACKUP_TAKES_MS, type WriteLog } from './write-log.ts';

/** The time span that the erasure log covers. */
export interface LogReach {
  /** The time of the log's last line (epoch ms), or null if the log did not exist. */
  logReachesTo: number | null;
  /**
   * The time after which donor-sync does not know the erasures. The erasures are unknown if the log is missing, or if
   * no process wrote to it after the backup. Null if the log was in use at that time.
   */
  unknownAfter: number | null;
}

/**
 * Repeats the logged erasures in a restored database. `madeAt` is the time of the database's backup (epoch ms), or null
 * if the time is unknown.
 */
export async function repeatErasures(
  {
    reader,
    connection,
    fingerprint,
    act,
    erasures,
    writeLog,
  }: Pick<Store, 'reader' | 'connection' | 'fingerprint' | 'act'> &
    WithErasureLog & { readonly writeLog: WriteLog },
  madeAt: number | null,
): Promise<ErasedAgain & LogReach> {
  const entries = await erasures.read();
  const ageAt = await findBackupAge(reader, madeAt);
  const done = await eraseAgain({ reader, fingerprint, act }, entries, madeAt);
  const store = storeTag(fingerprint);
  const lines = await writeLog.read(ageAt === null ? 0 : Math.max(0, ageAt - BACKUP_TAKES_MS));
  await recallWrites(
    connection,
    lines.filter((line) => line.store === store),
  );
  const known = await reader.selectFrom('integrations').select('id').execute();
  for (const { id } of known) await placeWrites(connection, fingerprint, id);
  return { ...done, ...logReach(entries, ageAt) };
}

/**
 * Returns the time up to which the log is complete. Ignores a log that was copied together with the backup, because
 * this copy lacks later erasures. A pure function.
 */
function logReach(entries: readonly ErasureEntry[], madeAt: number | null): LogReach {
  const last = lastLineAt(entries);
  const isCurrent = last !== null && last > (madeAt ?? Number.NEGATIVE_INFINITY);
  return { logReachesTo: last, unknownAfter: isCurrent ? null : (madeAt ?? last ?? 0) };
}

/**
 * Returns the time at which a restored database's backup was made (epoch ms). If a different program restored the
 * database, returns the time of its last audit entry, or null if the audit is empty.
 */
export async function findBackupAge(reader: Reader, madeAt: number | null): Promise<number | null> {
  return madeAt ?? (await lastEntryAt(reader));
}

async function lastEntryAt(reader: Reader): Promise<number | null> {
  const { at } = await reader
    .selectFrom('audit_entries')
    .select((eb) => eb.fn.max('at').as('at'))
    .executeTakeFirstOrThrow();
  return at === null ? null : Number(at);
}
