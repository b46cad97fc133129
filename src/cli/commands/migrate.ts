import { access } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { readRuntimeOptions } from '../../config/environment.ts';
import type { Log } from '../../core/log.ts';
import { installPgBoss, isPgBossInstalled } from '../../engine/pg-boss.ts';
import { type OpenDatabase, openDatabase } from '../../store/engine/database.ts';
import { type DatabaseLocation, parseDatabaseUrl } from '../../store/engine/database-url.ts';
import { migrateToLatest, pendingMigrations } from '../../store/engine/migrate.ts';
import { MIGRATIONS } from '../../store/engine/migrations.ts';
import type { Tables } from '../../store/engine/tables.ts';
import { type Bound, bindSeals, hasUnboundSeals } from '../../store/secrets/bind-seals.ts';
import { findKeyRing, type KeyRing, loadKeyRing } from '../../store/secrets/key-ring.ts';
import { resealAll } from '../../store/secrets/reseal.ts';
import { createSealer, createUnboundOpener } from '../../store/secrets/sealed.ts';
import { readOptions, runAction } from '../action/command.ts';
import {
  baseOptions,
  loadProductSettings,
  type ProductDeps,
  productCommand,
} from '../action/product.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../terminal/output.ts';
import { countOf } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync migrate
  donor-sync migrate --check
  donor-sync migrate --reseal    after a new key was put before the old one

A SQLite file is brought up to date by every command that opens it; Postgres waits for this one.
With --check nothing is changed, and the exit code is 3 if steps are missing.`;

const optionsSchema = baseOptions.extend({
  check: z.boolean().default(false),
  reseal: z.boolean().default(false),
});

/** What was found, and done about it. */
interface MigrateReport {
  /** The database without its password. */
  database: string;
  /** Migrations taken now, oldest first. */
  applied: string[];
  /** Migrations that are still missing, oldest first; empty unless only checking. */
  pending: string[];
  /** Secrets that the current key sealed anew; null if that was not asked for. */
  resealed: number | null;
  /**
   * What an older version sealed for no row and is sealed for its own now; null if nothing was to be
   * done, or if the key is not at hand, and the first start does it.
   */
  bound: Bound | null;
}

/** The command `migrate`: brings the database's schema up to this program's version. */
export function migrateCommand(deps: ProductDeps): Command {
  const command = productCommand('migrate', deps)
    .description("bring the database's schema up to date")
    .addOption(new Option('--check', 'list what is missing and change nothing').conflicts('reseal'))
    .option('--reseal', 'then seal every secret with the first key of DONOR_SYNC_SECRET_KEY')
    .addHelpText('after', EXAMPLES);
  return command.action(() =>
    runAction(deps, command, async (output) => {
      const options = readOptions(command, optionsSchema);
      const { database } = await loadProductSettings(deps, options.config);
      const report = options.check
        ? await check(database, deps.log)
        : await migrate(deps, database, options.reseal);
      output.finish(report, () => render(output, report));
      return exitCodeOf(report);
    }),
  );
}

async function migrate(
  { env, log }: Pick<ProductDeps, 'env' | 'log'>,
  url: string,
  isToReseal: boolean,
): Promise<MigrateReport> {
  const name = nameOf(parseDatabaseUrl(url));
  const database = await openDatabase<Tables>(url, { log });
  try {
    const applied = await migrateToLatest(database.db);
    if (database.kind === 'postgres') await installPgBoss({ url, log });
    const secretKey = readRuntimeOptions(env, true).secretKey ?? undefined;
    const keyRing = await (isToReseal ? loadKeyRing : findKeyRing)(secretKey, url);
    const bound = keyRing === null ? null : await bind(database, keyRing);
    const resealed =
      isToReseal && keyRing !== null ? await resealAll(database.db, createSealer(keyRing)) : null;
    return { database: name, applied, pending: [], resealed, bound };
  } finally {
    await database.close();
  }
}

async function bind({ db }: OpenDatabase<Tables>, keyRing: KeyRing): Promise<Bound | null> {
  const isDue = await hasUnboundSeals(db);
  const seals = { sealer: createSealer(keyRing), unbound: createUnboundOpener(keyRing) };
  const bound = await bindSeals(db, seals);
  return isDue || bound.bound > 0 ? bound : null;
}

async function check(url: string, log: Log): Promise<MigrateReport> {
  const location = parseDatabaseUrl(url);
  const pending = await findPending(url, location, log);
  return { database: nameOf(location), applied: [], pending, resealed: null, bound: null };
}

async function findPending(url: string, location: DatabaseLocation, log: Log): Promise<string[]> {
  // Opening a file makes it, and a check changes nothing.
  if (location.kind === 'sqlite' && !(await exists(location.path))) return Object.keys(MIGRATIONS);
  const database = await openDatabase<Tables>(url, { log });
  try {
    const pending = await pendingMigrations(database.db);
    const isServer = location.kind === 'postgres';
    const lacksQueue = isServer && pending.length === 0 && !(await isPgBossInstalled({ url, log }));
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

function nameOf(location: DatabaseLocation): string {
  return location.kind === 'postgres' ? location.name : (location.path ?? 'memory');
}

/** Missing steps are work that the next `migrate` does, so a check that finds some ends as 3. */
function exitCodeOf({ pending }: MigrateReport): ExitCode {
  return pending.length > 0 ? EXIT_CODES.stopped : EXIT_CODES.done;
}

function render(output: Output, report: MigrateReport): void {
  const { database, applied, pending, resealed, bound } = report;
  if (pending.length > 0) {
    const lack = countOf(pending.length, 'step');
    output.print(`The schema of ${database} lacks ${lack}; \`donor-sync migrate\` takes them:`);
  } else if (applied.length > 0) {
    output.print(`Brought the schema of ${database} up to date:`);
  } else {
    output.print(`The schema of ${database} is up to date.`);
  }
  for (const step of [...applied, ...pending]) output.print(`  ${step}`);
  if (bound !== null) renderBound(output, bound);
  if (resealed !== null)
    output.print(`${countOf(resealed, 'secret')} sealed with the current key.`);
}

function renderBound(output: Output, { bound, missingKeys, damaged }: Bound): void {
  output.print(`${countOf(bound, 'secret')} of an older version sealed for their rows.`);
  if (missingKeys.length > 0) {
    const names = missingKeys.map((kid) => `"${kid}"`).join(', ');
    output.print(
      `Some stay closed until DONOR_SYNC_SECRET_KEY has the key that sealed them: ${names}.`,
    );
  }
  if (damaged > 0) output.print(`${countOf(damaged, 'secret')} cannot be opened by any key.`);
}
