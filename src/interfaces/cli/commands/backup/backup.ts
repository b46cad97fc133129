import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { backupDatabase, recordBackupFolder } from '../../../../backup/backup.ts';
import { isoTime } from '../../../../core/clock.ts';
import { ConfigurationError } from '../../../../core/errors.ts';
import { parseDatabaseUrl } from '../../../../database/database-url.ts';
import { findKeyRing, type KeyRing } from '../../../../database/encryption/key-ring.ts';
import { readRuntimeOptions } from '../../../../settings/environment.ts';
import type { Settings } from '../../../../settings/settings.ts';
import { readOptions, runAction } from '../../action/command.ts';
import {
  baseOptions,
  loadProductSettings,
  type ProductDeps,
  productCommand,
} from '../../action/product.ts';
import { formatTimestamp } from '../../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync backup /mnt/safe/donor-sync-2026-11-22.backup
  donor-sync restore /mnt/safe/donor-sync-2026-11-22.backup --check

You can make a backup while donor-sync is running. The file is encrypted with the key that encrypts the secrets in the
database (DONOR_SYNC_SECRET_KEY, or the file that ends in ".key"). Keep that key in another place. The command is for
SQLite databases. For Postgres, use the backup tools of the server.`;

export function backupCommand(deps: ProductDeps): Command {
  const command = productCommand('backup', deps)
    .description('copy the database into one encrypted file, while it is in use')
    .argument('<file>', 'the file to create; it must not exist yet')
    .addHelpText('after', EXAMPLES);
  return command.action((file: string) =>
    runAction(deps, command, async (output) => {
      const options = readOptions(command, baseOptions);
      const settings = await loadProductSettings(deps, options.config);
      const path = databaseFile(settings, 'pg_dump --format=custom --file=donor-sync.dump');
      const target = resolve(deps.cwd, file);
      const keyRing = await keysFor(deps, settings);
      const made = await backupDatabase(path, target, keyRing, deps.clock.now());
      const erasureLog = await recordBackupFolder(settings, dirname(target), deps.clock.now());
      const backup = { ...made, file: target, madeAt: isoTime(made.madeAt) };
      output.finish({ backup: { ...backup, erasureLog } }, () => {
        output.print(`Backup of ${formatTimestamp(made.madeAt)}: ${target}`);
        output.print(`  ${made.bytes} bytes of database, read again and complete`);
        output.print(`  SHA-256 of the content: ${made.digest}`);
        output.print(`  Only the key "${made.kid}" can open it. Keep the key somewhere else.`);
        output.print(
          erasureLog === null
            ? '  The erasure log could not be written next to it. To find out why, run: donor-sync doctor'
            : `  From now on, erasures are also recorded in ${erasureLog}, so that a restore repeats them.`,
        );
      });
      return undefined;
    }),
  );
}

/**
 * Returns the path of the database file. For a database server, throws a ConfigurationError that names the right tools.
 */
export function databaseFile({ database }: Pick<Settings, 'database'>, instead: string): string {
  const location = parseDatabaseUrl(database);
  if (location.kind === 'sqlite' && location.path !== null) return location.path;
  const how =
    location.kind === 'postgres'
      ? `The database is on a Postgres server, which has its own tools for this: ${instead} "$DATABASE_URL".`
      : 'The database exists only in memory.';
  throw new ConfigurationError(`${how} Nothing was changed.`, { code: 'backup_not_of_file' });
}

/** Returns the existing keys. A missing key cannot be replaced with a new key. */
export async function keysFor(
  { env }: Pick<ProductDeps, 'env'>,
  { database }: Pick<Settings, 'database'>,
): Promise<KeyRing> {
  const keyRing = await findKeyRing(readRuntimeOptions(env, true).secretKey ?? undefined, database);
  if (keyRing !== null) return keyRing;
  throw new ConfigurationError(
    'There is no key. Set DONOR_SYNC_SECRET_KEY, or put the key file back next to the database. Nothing was changed.',
    { code: 'secret_key_missing' },
  );
}
