/**
 * Loaded into the product's process before the product itself (`node --import`). It names each point between
 * disk and network, and records the names as the process passes the points. At the requested point, it kills
 * the process with SIGKILL. The product does not know about it.
 *
 * - `FAILPOINTS_TRACE`: the file that the names are added to, a line each.
 * - `FAILPOINT`: the name at whose first passing the process is killed.
 */
import { appendFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import Sqlite from 'better-sqlite3';

const { FAILPOINTS_TRACE: trace, FAILPOINT: deadly } = process.env;

function pass(point: string): void {
  if (trace !== undefined) appendFileSync(trace, `${point}\n`);
  if (point === deadly) process.kill(process.pid, 'SIGKILL');
}

/** Returns the point before a piece of work and the one after it. */
async function around<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  pass(`before ${name}`);
  const result = await work();
  pass(`after ${name}`);
  return result;
}

watchDatabase();
watchRequests();
watchFiles();

/** A transaction is named after what it writes: `commit: insert submissions, update contacts`. */
function watchDatabase(): void {
  const { prepare } = Sqlite.prototype;
  const written = new Set<string>();
  Object.defineProperty(Sqlite.prototype, 'prepare', { value: prepareWatched });

  function prepareWatched(this: Sqlite.Database, sql: string): Sqlite.Statement {
    const statement = prepare.call(this, sql);
    for (const method of ['run', 'all', 'get'] as const) {
      const execute = statement[method];
      const watched = (...parameters: unknown[]) => {
        const run = () => Reflect.apply(execute, statement, parameters);
        const kept = keptBy(this, sql);
        if (kept.length === 0) return run();
        pass(`before commit: ${kept.join(', ')}`);
        const result = run();
        pass(`after commit: ${kept.join(', ')}`);
        return result;
      };
      Object.defineProperty(statement, method, { value: watched });
    }
    return statement;
  }

  /** The changes that are on disk once this statement is done. */
  function keptBy(database: Sqlite.Database, sql: string): string[] {
    const change = changeOf(sql);
    if (change !== null && !database.inTransaction) return [change];
    if (change !== null) written.add(change);
    if (!/^\s*(commit|rollback)\b/i.test(sql)) return [];
    const kept = namesOf(written);
    written.clear();
    return /commit/i.test(sql) ? kept : [];
  }
}

/** Each transaction of a run touches its lease, so next to other changes the lease means nothing. */
function namesOf(written: ReadonlySet<string>): string[] {
  const others = [...written].filter((name) => name !== 'update integrations').sort();
  return others.length > 0 ? others : [...written];
}

const CHANGE = /\b(insert|update|delete)\s+(?:or [a-z]+ )?(?:into |from )?"?([a-z_]+)"?/i;

function changeOf(sql: string): string | null {
  if (/^\s*select\b/i.test(sql)) return null;
  const [, verb, table] = CHANGE.exec(sql) ?? [];
  return verb === undefined ? null : `${verb.toLowerCase()} ${table}`;
}

/** A request is named after its method and path, with ids and numbers left out. */
function watchRequests(): void {
  const send = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const path = url.pathname.replace(/\/(?=[^/]*\d)[^/]+/g, '/*');
    return around(`${init?.method ?? 'GET'} ${path}`, () => send(input, init));
  };
}

/** Files are named without the parts that differ from run to run. */
function watchFiles(): void {
  const { open, rename, rm } = fs;
  const nameOf = (path: unknown) => basename(String(path)).replace(/[0-9a-f-]{8,}/g, '*');
  const isOfDatabase = (path: unknown) => /\.(db|key)\b/.test(String(path));
  fs.rename = (from, to) =>
    around(`rename ${nameOf(from)} to ${nameOf(to)}`, () => rename(from, to));
  fs.rm = (path, options) => around(`rm ${nameOf(path)}`, () => rm(path, options));
  fs.open = async (path, ...rest) => {
    const handle = await open(path, ...rest);
    // The name of a folder is of no meaning.
    if (isOfDatabase(path) || !basename(String(path)).includes('.')) return handle;
    const { sync, datasync } = handle;
    handle.sync = () => around(`sync ${nameOf(path)}`, () => sync.call(handle));
    handle.datasync = () => around(`datasync ${nameOf(path)}`, () => datasync.call(handle));
    return handle;
  };
  syncBuiltinESMExports();
}
