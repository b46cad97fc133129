/**
 * Makes a backup of the database, which is a file that only the key's owner can read, and restores it. A backup does
 * not contain later erasures and payments. A log outside the database records the erasures. After a restore, the
 * integrations spend no credits until a user has seen the planned spending.
 */

import { rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Application } from '../application.ts';
import { ConfigurationError, messageOf } from '../core/errors.ts';
import { openDatabase } from '../database/database.ts';
import type { KeyRing } from '../database/encryption/key-ring.ts';
import { openSealedFile, type SealedFile, sealFile } from '../database/encryption/sealed-file.ts';
import { pendingMigrations, requireUsable } from '../database/migrate.ts';
import { overwriteErased } from '../database/sqlite/erased-bytes.ts';
import {
  copyDatabase,
  lockDatabase,
  removeDatabase,
  settleFile,
} from '../database/sqlite/sqlite-copy.ts';
import { hasCode } from '../database/system-error.ts';
import type { Tables } from '../database/tables/tables.ts';
import { dropErasedTexts } from '../fields/erasing/erased-mentions.ts';
import type { ErasedAgain } from '../privacy/statements/erase-again.ts';
import { FOLDER_LOG, openErasureLog } from '../privacy/statements/erasure-log.ts';
import { openErasurePlaces } from '../privacy/statements/erasure-places.ts';
import {
  findBackupAge,
  type LogReach,
  repeatErasures,
} from '../privacy/statements/repeat-erasures.ts';
import type { Settings } from '../settings/settings.ts';
import { type RecalledSpending, recallSpending } from './recall-spending.ts';
import { holdRestored } from './restores.ts';

/** Makes a backup of a database file that may be in use. Resolves after the whole backup has been read and checked. */
export async function backupDatabase(
  path: string,
  file: string,
  keyRing: KeyRing,
  now: number,
): Promise<SealedFile> {
  await requireFree(file);
  const copy = `${path}.backup-copy`;
  const draft = `${file}.part`;
  try {
    await removeDatabase(copy);
    await rm(draft, { force: true });
    await copyDatabase(path, copy);
    await requireUsableFile(copy);
    await sealFile(copy, draft, keyRing, now);
    const made = await openSealedFile(draft, null, keyRing);
    await requireFree(file);
    await rename(draft, file);
    return made;
  } catch (error) {
    throw asUnusable(file, error);
  } finally {
    await removeDatabase(copy);
    await rm(draft, { force: true });
  }
}

async function requireUsableFile(copy: string): Promise<void> {
  const { db, close } = await openDatabase<Tables>(`sqlite:${copy}`);
  await requireUsable(db).finally(close);
  settleFile(copy);
}

/**
 * Records that backups are made in this folder. From now on, a copy of the erasure log is kept in it. A log that was
 * copied together with a backup lacks later erasures. Returns the log's path, or null if donor-sync cannot write to the
 * folder.
 */
export async function recordBackupFolder(
  { erasureLog, moreErasureLogs = [] }: Pick<Settings, 'erasureLog' | 'moreErasureLogs'>,
  folder: string,
  now: number,
): Promise<string | null> {
  if (erasureLog === null) return null;
  const files = { live: erasureLog, named: moreErasureLogs, open: openErasureLog };
  const places = openErasurePlaces({ ...files, store: null });
  await places.append({ what: 'backups', at: now, folder });
  const path = join(folder, FOLDER_LOG);
  return (await places.bringUp()).includes(path) ? null : path;
}

async function requireFree(file: string): Promise<void> {
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return;
  throw new ConfigurationError(
    `${resolve(file)} already exists. Choose a file name that does not exist yet.`,
    {
      code: 'file_exists',
    },
  );
}

export interface Restored extends ErasedAgain, LogReach {
  backup: SealedFile;
  /** The path of the previous database file, or null if there was none. */
  keptAs: string | null;
  /** The integrations that spend no credits until a user agrees. */
  held: readonly string[];
  /** The spending since the backup, according to the spending journal. */
  spending: RecalledSpending;
}

export interface RestoreOptions {
  /** The database file. */
  path: string;
  file: string;
  keyRing: KeyRing;
  /** Opens donor-sync with a different database file. */
  openWith(path: string): Promise<Application>;
}

/** Reads a backup completely, including the database in it. Nothing is changed. */
export async function checkBackup({ path, file, keyRing }: Omit<RestoreOptions, 'openWith'>) {
  const draft = `${path}.checking`;
  try {
    return await unpack(file, draft, keyRing);
  } finally {
    await removeDatabase(draft);
  }
}

/**
 * Restores a backup. The new file is complete before it replaces the old file. If the process is killed, either the old
 * or the new file is in place.
 */
export async function restoreDatabase(options: RestoreOptions): Promise<Restored> {
  const { path, file, keyRing } = options;
  const draft = `${path}.restoring`;
  // From here on, erasures by other processes reach the new database.
  const locked = await lockDatabase(path);
  try {
    const backup = await unpack(file, draft, keyRing);
    const application = await options.openWith(draft);
    const prepared = await holdAll(application, backup.madeAt).finally(application.close);
    settleFile(draft);
    const keptAs = await locked.replaceBy(draft, `${path}.before-restore`);
    return { ...prepared, backup, keptAs };
  } finally {
    locked.release();
    await removeDatabase(draft);
  }
}

/** Holds all spending of the integrations in a restored database. */
export async function holdAll(
  {
    store,
    integrations,
    erasureLogs,
    sealer,
  }: Pick<Application, 'store' | 'integrations' | 'erasureLogs' | 'sealer'>,
  madeAt: number | null,
): Promise<ErasedAgain & LogReach & { held: string[]; spending: RecalledSpending }> {
  const ageAt = await findBackupAge(store.reader, madeAt);
  const erased = await repeatErasures(store, madeAt);
  const spending = await recallSpending(store, ageAt, erased.integrations);
  const { unknownAfter } = erased;
  const { isJournaled } = spending;
  const held = await store.act((trx) =>
    holdRestored(trx, integrations.keys(), { madeAt: ageAt, unknownAfter, isJournaled }),
  );
  await erasureLogs?.bringUp();
  for (const id of held) await dropErasedTexts({ store, sealer }, id);
  if (erased.erased + erased.integrations.length > 0) await overwriteErased(store.connection);
  return { ...erased, held, spending };
}

async function unpack(file: string, to: string, keyRing: KeyRing): Promise<SealedFile> {
  try {
    await removeDatabase(to);
    const backup = await openSealedFile(file, to, keyRing);
    settleFile(to);
    const database = await openDatabase<Tables>(`sqlite:${to}`);
    await pendingMigrations(database.db).finally(database.close);
    return backup;
  } catch (error) {
    throw asUnusable(file, error);
  }
}

function asUnusable(file: string, error: unknown): unknown {
  const codes = ['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR', 'EROFS', 'ENOSPC', 'EPERM'];
  if (!codes.some((code) => hasCode(error, code))) return error;
  return new ConfigurationError(
    `The backup ${resolve(file)} cannot be read or written: ${messageOf(error)}. Nothing was changed.`,
    { code: 'backup_unusable', cause: error },
  );
}
