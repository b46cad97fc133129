import { access } from 'node:fs/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { moveLogs } from '../../../backup/move-logs.ts';
import { lockFile, type MovedTable, moveStore } from '../../../backup/move-store.ts';
import type { Actor } from '../../../core/actor.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import { type OpenDatabase, openDatabase } from '../../../database/database.ts';
import { connectionUrl, parseDatabaseUrl } from '../../../database/database-url.ts';
import { createFingerprint, loadFingerprintKey } from '../../../database/encryption/fingerprint.ts';
import { keyFilePath, loadKeyRing } from '../../../database/encryption/key-ring.ts';
import { createSealer } from '../../../database/encryption/sealed.ts';
import { requireUsable } from '../../../database/migrate.ts';
import type { Tables } from '../../../database/tables/tables.ts';
import { installPgBoss } from '../../../jobs/engine/pg-boss.ts';
import { auditRecorder } from '../../../privacy/audit/record.ts';
import { storeTag } from '../../../privacy/statements/erasure-log.ts';
import { readRuntimeOptions } from '../../../settings/environment.ts';
import type { Settings } from '../../../settings/settings.ts';
import { readOptions, runAction } from '../action/command.ts';
import {
  baseOptions,
  loadProductSettings,
  type ProductDeps,
  productCommand,
} from '../action/product.ts';
import { describeCount } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync move --to postgres://donor_sync:SECRET@db.example.org/donor_sync
  donor-sync move --to postgres://donor_sync:SECRET@db.example.org/donor_sync --start-over

Copies the SQLite file that the settings name into an empty Postgres database, compares both, and marks the
file as moved. After that, every command refuses the file. No other process may have the file open. If the
move is interrupted, repeat it to continue. Until it is finished, the file stays in use, and every other command
refuses the new database. The logs of erasures and writes are also moved. --start-over empties a new database
with an unfinished move, which may have been from another file, and starts again.
The new database needs the same DONOR_SYNC_SECRET_KEY.`;

const optionsSchema = baseOptions.extend({
  to: z.string(),
  startOver: z.boolean().default(false),
});

interface MoveReport {
  from: string;
  /** The address of the new database, without its password. */
  to: string;
  tables: readonly MovedTable[];
  /** The erasure log of the new database. The write log of the new database is next to its erasure log. */
  erasureLog: string | null;
  /**
   * The spending journal that the new database does not continue. Null if there is no journal, or if the new database
   * continues it.
   */
  journalLeft: string | null;
}

export function moveCommand(deps: ProductDeps): Command {
  const command = productCommand('move', deps)
    .description('move a SQLite database into an empty Postgres database, and stop using it')
    .requiredOption('--to <url>', 'the new database, postgres://…')
    .option('--start-over', 'first empty the new database if it contains an unfinished move')
    .addHelpText('after', EXAMPLES);
  return command.action(() =>
    runAction(deps, command, async (output) => {
      const { config, to, startOver } = readOptions(command, optionsSchema);
      const settings = await loadProductSettings(deps, config);
      const moved = await loadProductSettings(deps, config, { database: to });
      const report = await move(deps, { from: settings, to: moved, startOver });
      output.finish(report, () => {
        const rows = report.tables.reduce((sum, table) => sum + table.rows, 0);
        output.print(
          `Moved ${describeCount(rows, 'row')} of ${describeCount(report.tables.length, 'table')}.`,
        );
        const { erasureLog, journalLeft } = report;
        output.print(
          `donor-sync now records erasures in ${erasureLog}, and records writes in a file next to it.`,
        );
        if (journalLeft !== null) {
          output.print(
            `Spending is not recorded outside the new database yet. If only one host will run the syncs, set \`spendingJournal: ${journalLeft}\`. Without this setting, you might have to decide after a restore which contacts were paid for since the backup.`,
          );
        }
        output.print(`Set \`database\` to the new address, and restart donor-sync.`);
        output.print(
          `Once everything works, delete ${report.from}, because people who are erased from now on stay in it.`,
        );
      });
    }),
  );
}

async function move(
  deps: ProductDeps,
  { from: here, to: there, startOver }: { from: Settings; to: Settings; startOver: boolean },
): Promise<MoveReport> {
  const { clock, log } = deps;
  const [fromUrl, toUrl] = [here.database, there.database];
  const [from, to] = [parseDatabaseUrl(fromUrl), parseDatabaseUrl(toUrl)];
  if (from.kind !== 'sqlite' || from.path === null || to.kind !== 'postgres') {
    throw new ConfigurationError(
      'A move needs a SQLite file in the setting `database`, and `--to postgres://…`.',
      { code: 'move_impossible' },
    );
  }
  // Opening the database would create a missing file.
  await access(from.path).catch((cause: unknown) => {
    const message = `There is no database at ${from.path}, so there is nothing to move. Check the setting \`database\`.`;
    throw new ConfigurationError(message, { code: 'database_file_missing', cause });
  });
  const secretKey = readRuntimeOptions(deps.env, false).secretKey ?? undefined;
  if (secretKey === undefined) throw keyStaysBehind(keyFilePath(from.path));
  const sealer = createSealer(await loadKeyRing(secretKey, toUrl));
  const opened: OpenDatabase<Tables>[] = [];
  try {
    const source = { ...(await open(fromUrl)), name: from.path };
    await lockFile(source);
    // Checks that the key can decrypt the secrets.
    const fingerprint = createFingerprint(await loadFingerprintKey(source.db, sealer));
    const actor: Actor = { kind: 'command', name: deps.user, from: deps.owner.host };
    const target = { ...(await open(toUrl)), name: to.name };
    await requireUsable(target.db);
    await installPgBoss({ url: connectionUrl(toUrl), log });
    const tables = await moveStore(source, target, {
      startsOver: startOver,
      now: () => clock.now(),
      onArrived: () => moveLogs(here, there, storeTag(fingerprint)),
      onTable: ({ table, rows }) => log.info({ table, rows }, 'a table was moved'),
      record: auditRecorder({ clock, fingerprint, actor }),
    });
    const journalLeft = there.spendingJournal === null ? (here.spendingJournal ?? null) : null;
    return { from: from.path, to: to.name, tables, erasureLog: there.erasureLog, journalLeft };
  } finally {
    for (const { close } of opened) await close();
  }

  async function open(url: string): Promise<OpenDatabase<Tables>> {
    const database = await openDatabase<Tables>(url, { log });
    opened.push(database);
    return database;
  }
}

function keyStaysBehind(keyFile: string): ConfigurationError {
  return new ConfigurationError(
    `The new database needs the key of this database. Set DONOR_SYNC_SECRET_KEY here and for all processes that use the new database. The key is currently in ${keyFile}.`,
    { code: 'secret_key_missing' },
  );
}
