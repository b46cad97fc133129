/**
 * Gives a name to each moment at which the process writes to disk or sends a request. Records the name when the process
 * reaches the moment. Kills the process with SIGKILL at the requested moment. Node loads this file before the product
 * (`node --import`). The product contains no code for this file.
 *
 * `FAILPOINTS_TRACE` is the file to which the names are appended, one name per line.
 *
 * `FAILPOINT` is the name of a point. The process is killed when it first reaches this point.
 */
import { appendFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type OutgoingRequest, watchOutgoing } from '../helpers/outgoing-requests.ts';

const { FAILPOINTS_TRACE: trace, FAILPOINT: deadly } = process.env;

function pass(point: string): void {
  if (trace !== undefined) appendFileSync(trace, `${point}\n`);
  if (point === deadly) process.kill(process.pid, 'SIGKILL');
}

/** Records the point before the work and the point after the work. */
async function around<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  pass(`before ${name}`);
  const result = await work();
  pass(`after ${name}`);
  return result;
}

watchDatabase();
watchRequests();
watchFiles();

/** Names each transaction after its changes, for example `commit: insert submissions, update contacts`. */
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

  /** Returns the changes that are on disk after this statement. */
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

/**
 * Returns the names of the changes. Each transaction of a run also changes its lease. The list therefore omits the
 * lease if there are other changes.
 */
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

/** Names each request by its method and path. The name contains no IDs or numbers. */
function watchRequests(): void {
  const nameOf = ({ method, url }: OutgoingRequest) =>
    `${method} ${url.pathname.replace(/\/(?=[^/]*\d)[^/]+/g, '/*')}`;
  watchOutgoing({
    beforeRequest: (request) => pass(`before ${nameOf(request)}`),
    onResponse: (request) => pass(`after ${nameOf(request)}`),
  });
}

/** Names each file by the parts of its path that are the same in every run. */
function watchFiles(): void {
  const { open, rename, rm } = fs;
  const nameOf = (path: unknown) => basename(String(path)).replace(/[0-9a-f-]{8,}/g, '*');
  const isOfDatabase = (path: unknown) => /\.(db|key)\b/.test(String(path));
  fs.rename = (from, to) =>
    around(`rename ${nameOf(from)} to ${nameOf(to)}`, () => rename(from, to));
  fs.rm = (path, options) => around(`rm ${nameOf(path)}`, () => rm(path, options));
  fs.open = async (path, ...rest) => {
    const handle = await open(path, ...rest);
    // The names of folders do not matter.
    if (isOfDatabase(path) || !basename(String(path)).includes('.')) return handle;
    const { sync, datasync } = handle;
    handle.sync = () => around(`sync ${nameOf(path)}`, () => sync.call(handle));
    handle.datasync = () => around(`datasync ${nameOf(path)}`, () => datasync.call(handle));
    return handle;
  };
  syncBuiltinESMExports();
}
