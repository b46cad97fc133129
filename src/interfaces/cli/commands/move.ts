import { access } from 'node:fs/promises';
import type { Command } from 'commander';
import { z } from 'zod';
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
import { readRuntimeOptions } from '../../../settings/environment.ts';
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

Copies everything of the SQLite file that the settings name into an empty Postgres database, compares
it, and marks the file as moved; after that the file is refused by every command. No other process may
have the file open. If it was killed or cut off, repeat it to continue. Until it ends, the file stays in use,
and the new database is refused by every other command. --start-over empties a new database in which a
move did not finish, and starts again: that move may have been another file's.
The new database needs the same DONOR_SYNC_SECRET_KEY.`;

const optionsSchema = baseOptions.extend({
  to: z.string(),
  startOver: z.boolean().default(false),
});

interface MoveReport {
  from: string;
  /** The new database without its password. */
  to: string;
  tables: readonly MovedTable[];
}

/** The command `move`: from one machine's file to a server for many. */
export function moveCommand(deps: ProductDeps): Command {
  const command = productCommand('move', deps)
    .description('move a SQLite database into an empty Postgres, and use it no more')
    .requiredOption('--to <url>', 'the new database, postgres://…')
    .option('--start-over', 'empty the new database first if an unfinished move is in it')
    .addHelpText('after', EXAMPLES);
  return command.action(() =>
    runAction(deps, command, async (output) => {
      const { config, to, startOver } = readOptions(command, optionsSchema);
      const { database } = await loadProductSettings(deps, config);
      const report = await move(deps, { fromUrl: database, toUrl: to, startOver });
      output.finish(report, () => {
        const rows = report.tables.reduce((sum, table) => sum + table.rows, 0);
        output.print(
          `Moved ${describeCount(rows, 'row')} of ${describeCount(report.tables.length, 'table')}.`,
        );
        output.print(`Write the new address into the setting \`database\`, and start again.`);
        output.print(`Once all is well, delete ${report.from}: people who are erased stay in it.`);
      });
    }),
  );
}

async function move(
  deps: ProductDeps,
  { fromUrl, toUrl, startOver }: { fromUrl: string; toUrl: string; startOver: boolean },
): Promise<MoveReport> {
  const { clock, log } = deps;
  const [from, to] = [parseDatabaseUrl(fromUrl), parseDatabaseUrl(toUrl)];
  if (from.kind !== 'sqlite' || from.path === null || to.kind !== 'postgres') {
    throw new ConfigurationError(
      'A move goes from the SQLite file of the setting `database` to `--to postgres://…`.',
      { code: 'move_impossible' },
    );
  }
  // Opening a file would make it.
  await access(from.path).catch((cause: unknown) => {
    const message = `There is no database at ${from.path}: nothing is to be moved. Check the setting \`database\`.`;
    throw new ConfigurationError(message, { code: 'database_file_missing', cause });
  });
  const secretKey = readRuntimeOptions(deps.env, false).secretKey ?? undefined;
  if (secretKey === undefined) throw keyStaysBehind(keyFilePath(from.path));
  const sealer = createSealer(await loadKeyRing(secretKey, toUrl));
  const opened: OpenDatabase<Tables>[] = [];
  try {
    const source = { ...(await open(fromUrl)), name: from.path };
    await lockFile(source);
    // A key that does not open what is in the file would not open it in the new database.
    const fingerprint = createFingerprint(await loadFingerprintKey(source.db, sealer));
    const actor: Actor = { kind: 'command', name: deps.user, from: deps.owner.host };
    const target = { ...(await open(toUrl)), name: to.name };
    await requireUsable(target.db);
    await installPgBoss({ url: connectionUrl(toUrl), log });
    const tables = await moveStore(source, target, {
      startsOver: startOver,
      now: () => clock.now(),
      onTable: ({ table, rows }) => log.info({ table, rows }, 'a table was moved'),
      record: auditRecorder({ clock, fingerprint, actor }),
    });
    return { from: from.path, to: to.name, tables };
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
    `The key of this database must come along: set DONOR_SYNC_SECRET_KEY, here and for all processes that use the new database. Without it the key is in ${keyFile}.`,
    { code: 'secret_key_missing' },
  );
}
