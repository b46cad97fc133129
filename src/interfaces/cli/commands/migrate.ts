import { access } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { Log } from '../../../core/log.ts';
import { openDatabase } from '../../../database/database.ts';
import {
  connectionUrl,
  type DatabaseLocation,
  parseDatabaseUrl,
} from '../../../database/database-url.ts';
import { loadKeyRing } from '../../../database/encryption/key-ring.ts';
import { resealAll } from '../../../database/encryption/reseal.ts';
import { createSealer } from '../../../database/encryption/sealed.ts';
import { migrateToLatest, pendingMigrations } from '../../../database/migrate.ts';
import { MIGRATIONS } from '../../../database/migrations.ts';
import type { Tables } from '../../../database/tables/tables.ts';
import { installPgBoss, isPgBossInstalled } from '../../../jobs/engine/pg-boss.ts';
import { readRuntimeOptions } from '../../../settings/environment.ts';
import { readOptions, runAction } from '../action/command.ts';
import {
  baseOptions,
  loadProductSettings,
  type ProductDeps,
  productCommand,
} from '../action/product.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../terminal/output.ts';
import { describeCount } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync migrate
  donor-sync migrate --check
  donor-sync migrate --reseal    after you have put a new key before the old one

Every command that opens a SQLite file updates its schema. For Postgres, only this command does.
With --check, nothing is changed, and the exit code is 3 if migrations are missing.`;

const optionsSchema = baseOptions.extend({
  check: z.boolean().default(false),
  reseal: z.boolean().default(false),
});

interface MigrateReport {
  /** The database address without its password. */
  database: string;
  /** The migrations that were applied now, oldest first. */
  applied: string[];
  /** The migrations that still have to be applied, oldest first. Empty unless the command only checks. */
  pending: string[];
  /** The number of values that were encrypted again. Null if the user did not request this. */
  resealed: number | null;
}

export function migrateCommand(deps: ProductDeps): Command {
  const command = productCommand('migrate', deps)
    .description("update the database's schema")
    .addOption(
      new Option('--check', 'list missing migrations and change nothing').conflicts('reseal'),
    )
    .option('--reseal', 'then encrypt every secret with the first key in DONOR_SYNC_SECRET_KEY')
    .addHelpText('after', EXAMPLES);
  return command.action(() =>
    runAction(deps, command, async (output) => {
      const options = readOptions(command, optionsSchema);
      const { database } = await loadProductSettings(deps, options.config);
      const report = options.check
        ? await check(database, deps.log)
        : await migrate(deps, database, options.reseal);
      output.finish(report, () => render(output, report));
      return toExitCode(report);
    }),
  );
}

async function migrate(
  { env, log }: Pick<ProductDeps, 'env' | 'log'>,
  url: string,
  isToReseal: boolean,
): Promise<MigrateReport> {
  const name = getDatabaseName(parseDatabaseUrl(url));
  const database = await openDatabase<Tables>(url, { log });
  try {
    const applied = await migrateToLatest(database.db);
    if (database.kind === 'postgres') await installPgBoss({ url: connectionUrl(url), log });
    const secretKey = readRuntimeOptions(env, true).secretKey ?? undefined;
    const resealed = isToReseal
      ? await resealAll(database.db, createSealer(await loadKeyRing(secretKey, url)))
      : null;
    return { database: name, applied, pending: [], resealed };
  } finally {
    await database.close();
  }
}

async function check(url: string, log: Log): Promise<MigrateReport> {
  const location = parseDatabaseUrl(url);
  const pending = await findPending(url, location, log);
  return { database: getDatabaseName(location), applied: [], pending, resealed: null };
}

async function findPending(url: string, location: DatabaseLocation, log: Log): Promise<string[]> {
  // A check must not create a database file.
  if (location.kind === 'sqlite' && !(await exists(location.path))) return Object.keys(MIGRATIONS);
  const database = await openDatabase<Tables>(url, { log });
  try {
    const pending = await pendingMigrations(database.db);
    const isServer = location.kind === 'postgres';
    const lacksQueue =
      isServer &&
      pending.length === 0 &&
      !(await isPgBossInstalled({ url: connectionUrl(url), log }));
    return lacksQueue ? ['pg-boss'] : pending;
  } finally {
    await database.close();
  }
}

async function exists(path: string | null): Promise<boolean> {
  if (path === null) return false;
  return access(path).then(
    () => true,
    () => false,
  );
}

function getDatabaseName(location: DatabaseLocation): string {
  return location.kind === 'postgres' ? location.name : (location.path ?? 'memory');
}

/** Returns the exit code. If migrations still have to be applied, it is 3. */
function toExitCode({ pending }: MigrateReport): ExitCode {
  return pending.length > 0 ? EXIT_CODES.stopped : EXIT_CODES.done;
}

function render(output: Output, report: MigrateReport): void {
  const { database, applied, pending, resealed } = report;
  if (pending.length > 0) {
    const lack = describeCount(pending.length, 'step');
    output.print(
      `The schema of ${database} lacks ${lack}. To apply them, run \`donor-sync migrate\`:`,
    );
  } else if (applied.length > 0) {
    output.print(`Updated the schema of ${database}:`);
  } else {
    output.print(`The schema of ${database} is up to date.`);
  }
  for (const step of [...applied, ...pending]) output.print(`  ${step}`);
  if (resealed !== null)
    output.print(`${describeCount(resealed, 'secret')} encrypted with the current key.`);
}
