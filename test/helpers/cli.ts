import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { findConnectorDefinition } from '../../connectors/index.ts';
import packageFile from '../../package.json' with { type: 'json' };
import {
  type PartnerSandbox,
  type PartnerSandboxOptions,
  startPartnerSandbox,
} from '../../sandbox/partner/index.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { readProcessSpace } from '../../src/core/owner.ts';
import { generateKey } from '../../src/database/encryption/key-ring.ts';
import { runProgram } from '../../src/interfaces/cli/action/command.ts';
import type { AllDeps } from '../../src/interfaces/cli/commands.ts';
import { createProgram } from '../../src/interfaces/cli/program.ts';
import { createLog, createLogStream } from '../../src/interfaces/cli/terminal/log.ts';
import { readRuntimeOptions } from '../../src/settings/environment.ts';
import { aStream } from '../interfaces/cli/a-terminal.ts';
import { builtProgram } from './built-program.ts';
import { controlService, type ServiceControl } from './service-control.ts';

/** The key that encrypts secrets in a Postgres database. */
export const SECRET_KEY = generateKey('test');

/** The result of a command's process. */
export interface CliEnd {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** A command in a process that keeps running. */
export interface CliProcess {
  child: ChildProcessWithoutNullStreams;
  ended: Promise<CliEnd>;
}

/** A folder with CSV files and their settings, and a service over HTTP. */
export interface CliWorld {
  service: PartnerSandbox;
  /** Returns the path of a file in the test's folder. */
  path(name: string): string;
  /**
   * Runs `donor-sync …` until it ends. The command runs in this process, so the program is loaded only once. `user` is
   * the name of the machine's user. The default is anna.
   */
  run(args: readonly string[], env?: Record<string, string>, user?: string): Promise<CliEnd>;
  /** Runs a command with `--json` and returns the parsed output. */
  runJson<Document>(args: readonly string[], schema: z.ZodType<Document>): Promise<Document>;
  /**
   * Starts a command in a separate process. The test can kill the process and can run several processes at the same
   * time.
   */
  start(args: readonly string[], env?: Record<string, string>): Promise<CliProcess>;
  /** Returns the rows of a CSV file in the folder. */
  rows(name?: string): Promise<Record<string, string>[]>;
  saveRows(rows: readonly Record<string, string>[], name?: string): Promise<void>;
  /** Returns the charges minus the refunds of the enhancements bucket. */
  spent(): Promise<number>;
  /** Returns the methods and paths of the requests to the service. */
  requests(): Promise<string[]>;
  putFaults(rules: unknown): Promise<void>;
  close(): Promise<void>;
}

export interface CliWorldOptions {
  service?: PartnerSandboxOptions;
  /** The clock for commands in this process. The default is the machine's clock. */
  clock?: Clock;
  /** The number of contacts in the CSV file. The default is 12. */
  people?: number;
  /** Lines of YAML for the client's settings. Each line is indented by four spaces. */
  settings?: string;
  /** The IDs of the clients. Each client has a CSV file `ID.csv`. The default is only `riverside`. */
  integrations?: readonly string[];
  /** The URL of an empty Postgres database, which is then migrated. The default is an SQLite file. */
  databaseUrl?: string | undefined;
}

export async function openCliWorld(options: CliWorldOptions = {}): Promise<CliWorld> {
  const service = await startPartnerSandbox({
    donors: 500,
    rate: 0,
    jobTimeMs: 0,
    networkJobTimeMs: 0,
    ...options.service,
  });
  const control = controlService(service);
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-cli-'));
  const path = (name: string) => join(folder, name);
  const variables = (env: Record<string, string>) => ({
    PARTNER_API_KEY: service.apiKey,
    NO_COLOR: '1',
    ...(options.databaseUrl === undefined ? {} : { DONOR_SYNC_SECRET_KEY: SECRET_KEY }),
    ...env,
  });
  const ids = options.integrations ?? ['riverside'];
  const world: CliWorld = {
    service,
    path,
    run: (args, env = {}, user = 'anna') =>
      runHere(args, folder, variables(env), { user, clock: options.clock ?? systemClock }),
    async runJson(args, schema) {
      const { stdout, stderr, exitCode } = await world.run([...args, '--json']);
      if (exitCode !== 0) throw new Error(`exit code ${exitCode}: ${stderr}`);
      return schema.parse(JSON.parse(stdout));
    },
    start: (args, env = {}) => startCli(args, folder, variables(env)),
    rows: async (name = 'riverside.csv') => parseRows(await readFile(path(name), 'utf8')),
    saveRows: (rows, name = 'riverside.csv') =>
      writeFile(path(name), stringify([...rows], { header: true })),
    spent: control.spent,
    async requests() {
      const requests = await control.requests();
      return requests.map(({ method, path: asked }) => `${method} ${asked}`);
    },
    putFaults: control.putFaults,
    async close() {
      await service.close();
      await rm(folder, { recursive: true });
    },
  };
  await writeFile(path('donor-sync.yaml'), settingsFor(service, ids, options));
  const rows = rowsOf(await control.people(options.people ?? 12));
  for (const id of ids) await world.saveRows(rows, `${id}.csv`);
  if (options.databaseUrl !== undefined) await world.run(['migrate']);
  return world;
}

/** The maximum time (ms) until a process submits people. */
const SUBMIT_TIMEOUT_MS = 60_000;
const LOOK_INTERVAL_MS = 50;

/** Starts a sync. Resolves after the sync has submitted its people. */
export async function startAndSubmit(
  { start, requests }: CliWorld,
  options: readonly string[] = [],
): Promise<CliProcess> {
  const sync = await start(['sync', ...options]);
  for (let waitedMs = 0; waitedMs < SUBMIT_TIMEOUT_MS; waitedMs += LOOK_INTERVAL_MS) {
    if ((await requests()).some((request) => /^POST .*enhancements/.test(request))) return sync;
    await sleep(LOOK_INTERVAL_MS);
  }
  sync.child.kill();
  throw new Error(`no contact was submitted: ${(await sync.ended).stderr}`);
}

/**
 * Runs a command. Creates its dependencies from the given folder and variables, as `src/wiring.ts` does for a real
 * process.
 */
async function runHere(
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
  { user, clock }: Pick<AllDeps, 'user' | 'clock'>,
): Promise<CliEnd> {
  const stdin = aStream({ isTTY: false });
  const stdout = aStream({ isTTY: false });
  const stderr = aStream({ isTTY: false });
  const logStream = createLogStream(stderr, false);
  let exitCode = 0;
  const deps: AllDeps = {
    stdin,
    stdout,
    stderr,
    env,
    cwd,
    timezone: () => 'UTC',
    clock,
    findConnectorDefinition,
    log: createLog(readRuntimeOptions(env, false).logLevel, logStream),
    logStream,
    owner: {
      host: hostname(),
      processId: process.pid,
      start: randomUUID(),
      space: readProcessSpace(),
    },
    user,
    stopSignal: () => new AbortController().signal,
    setExitCode(code) {
      exitCode = code;
    },
  };
  await runProgram(
    await createProgram({ ...deps, loadDeps: async () => deps }, packageFile.version, args),
    deps,
    args,
  );
  // All output has been received by now.
  await setImmediate();
  return { exitCode, stdout: stdout.written(), stderr: stderr.written() };
}

async function startCli(
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<CliProcess> {
  const child = spawn(process.execPath, [await builtProgram(), ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...env,
    },
  });
  child.stdin.end();
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const ended = new Promise<CliEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, ...texts }));
  });
  return { child, ended };
}

function settingsFor(
  service: PartnerSandbox,
  ids: readonly string[],
  { settings = '', databaseUrl = 'sqlite:store.db' }: CliWorldOptions,
): string {
  const integrations = ids.map(
    (id) => `
  - id: ${id}
    partner: { baseUrl: "${service.baseUrl}", apiKey: "\${PARTNER_API_KEY}" }
    crm:
      kind: csv
      path: ${id}.csv
      columns: { id: Id, firstName: First, lastName: Last, addresses: [Address], employers: [Employer] }
    settleAfterMs: 200
${settings}`,
  );
  return `database: "${databaseUrl}"\nintegrations:${integrations.join('')}`;
}

function rowsOf(people: Awaited<ReturnType<ServiceControl['people']>>): Record<string, string>[] {
  return people.map(({ id, firstName, lastName, addresses, employers }) => ({
    Id: id,
    First: firstName ?? '',
    Last: lastName ?? '',
    Address: addresses[0] ?? '',
    Employer: employers[0] ?? '',
  }));
}

function parseRows(text: string): Record<string, string>[] {
  return z.array(z.record(z.string(), z.string())).parse(parse(text, { columns: true, bom: true }));
}
