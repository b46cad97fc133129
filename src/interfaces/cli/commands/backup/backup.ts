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

It may be made while donor-sync works. The file opens with the key that seals the secrets of the database
(DONOR_SYNC_SECRET_KEY, or the file that ends in ".key"): keep that elsewhere. An SQLite database; of a
Postgres server its own tools make backups.`;

/** The command `backup`: the database as one encrypted file. */
export function backupCommand(deps: ProductDeps): Command {
  const command = productCommand('backup', deps)
    .description('copy the database into one sealed file, while it is in use')
    .argument('<file>', 'the file to make; it must not be there')
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
        output.print(`  ${made.bytes} bytes of database, read again and found whole`);
        output.print(`  SHA-256 of what is inside: ${made.digest}`);
        output.print(`  It opens with the key "${made.kid}" alone: keep that elsewhere.`);
        output.print(
          erasureLog === null
            ? '  The log of erasures could not be written next to it: `donor-sync doctor` says why.'
            : `  Erasures from now on are also noted in ${erasureLog}, so that a restore repeats them.`,
        );
      });
      return undefined;
    }),
  );
}

/** Returns the database file. For a server, throws a ConfigurationError that names the tools to use instead. */
export function databaseFile({ database }: Pick<Settings, 'database'>, instead: string): string {
  const location = parseDatabaseUrl(database);
  if (location.kind === 'sqlite' && location.path !== null) return location.path;
  const how =
    location.kind === 'postgres'
      ? `The database is on a Postgres server, which has its own tools for this: ${instead} "$DATABASE_URL".`
      : 'The database is in memory alone.';
  throw new ConfigurationError(`${how} Nothing was changed.`, { code: 'backup_not_of_file' });
}

/** Returns the existing keys. It creates none, because a new key would not replace the missing one. */
export async function keysFor(
  { env }: Pick<ProductDeps, 'env'>,
  { database }: Pick<Settings, 'database'>,
): Promise<KeyRing> {
  const keyRing = await findKeyRing(readRuntimeOptions(env, true).secretKey ?? undefined, database);
  if (keyRing !== null) return keyRing;
  throw new ConfigurationError(
    'There is no key: set DONOR_SYNC_SECRET_KEY, or put the key file back next to the database. Nothing was changed.',
    { code: 'secret_key_missing' },
  );
}
