/**
 * Creates the world whose responses are recorded. It has four clients, users and tokens of each role, runs, held
 * contacts, a pending approval, an invitation, and an unfinished set-up. The world is built once. Each case that
 * changes something opens a copy of its folder, at the same path and one at a time. Cases therefore do not affect
 * each other.
 */
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { findConnectorDefinition } from '../../connectors/index.ts';
import { type PartnerSandbox, startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { type Application, openApplication } from '../../src/application.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { ROLES, type Role } from '../../src/core/role.ts';
import { createHttpApp } from '../../src/interfaces/api/app.ts';
import { startHttpServer } from '../../src/interfaces/api/server.ts';
import { runProgram } from '../../src/interfaces/cli/action/command.ts';
import type { AllDeps } from '../../src/interfaces/cli/commands.ts';
import { createProgram } from '../../src/interfaces/cli/program.ts';
import { createLogStream } from '../../src/interfaces/cli/terminal/log.ts';
import { createRunner } from '../../src/jobs/runner.ts';
import { hashToken } from '../../src/people/access-token.ts';
import { addAccessToken } from '../../src/people/statements/access.ts';
import { invitePerson } from '../../src/people/user-accounts.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { findRunById } from '../../src/sync/statements/runs.ts';
import { findFolderInMemory } from '../folder-in-memory.ts';
import { holdJobs } from '../helpers/held-jobs.ts';
import { watchOutgoing } from '../helpers/outgoing-requests.ts';
import { controlService } from '../helpers/service-control.ts';
import { aStream } from '../interfaces/cli/a-terminal.ts';
import type { KnownNames } from './placeholders.ts';

/** The day on which everything happens, so that days and months are the same in each recording. */
const STARTED_AT = Date.UTC(2026, 10, 18, 12);
const VERSION = '0.0.0';
const PASSWORD = 'three blue herons';
const PUBLIC_URL = 'http://127.0.0.1:8787';
const SETTINGS = 'donor-sync.yaml';

/** The client to which limited tokens and users have access. */
export const LIMITED_TO = 'harbor';

/** The possible callers. */
export const PRINCIPALS = [
  'nobody',
  ...ROLES,
  'limited viewer',
  'limited decider',
  'limited admin',
  'limited owner',
] as const;
export type Principal = (typeof PRINCIPALS)[number];

/** Returns a principal's role, and whether it has access to `harbor` only. */
export function readRights(principal: Principal): { role: Role | null; isLimited: boolean } {
  const word = principal.split(' ').at(-1);
  const role = ROLES.find((one) => one === word) ?? null;
  return { role, isLimited: principal.startsWith('limited ') };
}

export interface World {
  /** The values for placeholders in requests, for example `{run}`. */
  values: Readonly<Record<string, string>>;
  /** The names that a recording contains instead of these values and of others that differ between runs. */
  known: KnownNames;
  /** The caller closes it before it opens a further copy. */
  open(): Promise<OpenWorld>;
  /** Opens a copy in which only commands run. Commands open the product themselves. */
  openFolder(): Promise<Pick<OpenWorld, 'run' | 'close'>>;
  close(): Promise<void>;
}

/** A copy of the world. It is served, or commands run in its folder. */
export interface OpenWorld {
  url: string;
  /** The routes that the app has registered. */
  routes: readonly { method: string; path: string }[];
  /** Returns the headers with which a principal sends requests to the API. */
  headersOf(principal: Principal): Record<string, string>;
  /** Returns a signed-in user's cookie. Returns an empty string if nobody is signed in. */
  cookieOf(principal: Principal): string;
  run(args: readonly string[], options?: RunOptions): Promise<CommandEnd>;
  close(): Promise<void>;
}

export interface RunOptions {
  user?: string;
  env?: Record<string, string>;
}

export interface CommandEnd {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/**
 * The time by which the recording's clock is ahead. The clock starts on the world's day and advances with the
 * machine's clock.
 */
const AHEAD_MS = STARTED_AT - Date.now();
const clock: Clock = { ...systemClock, now: () => Date.now() + AHEAD_MS };

/**
 * Sets the world's time in all responses to the product. With the machine's time, runs would report a wrong clock.
 * Returns a function that ends this.
 */
function dateResponses(): () => void {
  const { fetch } = globalThis;
  globalThis.fetch = datedFetch(fetch);
  const leaveAlone = watchOutgoing({
    onResponse(_, { headers }) {
      headers.date = worldDate();
    },
  });
  return () => {
    globalThis.fetch = fetch;
    leaveAlone();
  };
}

const worldDate = () => new Date(clock.now()).toUTCString();

/** Wraps `fetch`. It sends the requests to addresses that a user set in a browser. */
function datedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const headers = new Headers(response.headers);
    headers.set('date', worldDate());
    return new Proxy(response, {
      get: (target, name) => {
        if (name === 'headers') return headers;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
}

const portOf = (url: string) => Number(new URL(url).port);

/** The number of ports to try. The search ends when a port is lower than the given port. */
const MAX_PORTS = 200;

/**
 * Starts an alert receiver that accepts everything. Its port is lower than `below`, so it always comes first in sorted
 * lists.
 */
async function startReceiver(below: number): Promise<{ url: string; close(): void }> {
  for (let tried = 0; tried < MAX_PORTS; tried += 1) {
    const receiver = await startReceiverAnywhere();
    if (portOf(receiver.url) < below) return receiver;
    receiver.close();
  }
  throw new Error(`there is no free port below ${below}`);
}

async function startReceiverAnywhere(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}/alerts`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function settingsText(service: PartnerSandbox, alertsUrl: string): string {
  const csv = (id: string) => `
      kind: csv
      path: ${id}.csv
      columns: { id: Id, firstName: First, lastName: Last, addresses: [Address], employers: [Employer] }`;
  const partner = `{ baseUrl: "${service.baseUrl}", apiKey: "\${PARTNER_API_KEY}" }`;
  return `database: "sqlite:store.db"
server: { publicUrl: "${PUBLIC_URL}" }
alerts: { webhook: { url: "${alertsUrl}" } }
twoPeople: { approvals: 5, undo: 0, forgetEverywhere: true }
integrations:
  - id: riverside
    name: Riverside Food Bank
    partner: ${partner}
    crm:${csv('riverside')}
    settleAfterMs: 100
    schedule: { cron: "0 2 * * *", timezone: America/Chicago }
    guards: { trial: { size: 0 } }
    networks: [{ name: Board, group: { column: Role, equals: board } }]
  - id: harbor
    partner: ${partner}
    crm:${csv('harbor')}
    settleAfterMs: 100
    refresh: { whenIdentityChanges: false }
    guards: { trial: { size: 0 } }
  - id: hillside
    partner: ${partner}
    crm:
      kind: salesforce
      url: http://127.0.0.1:9
      auth: { type: oauth, clientId: "app", clientSecret: "hush" }
`;
}

/** Returns a client that is in the database but not in the settings file. */
function appliedText(service: PartnerSandbox): string {
  return `integrations:
  - id: meadow
    name: Meadow Clinic
    partner: { baseUrl: "${service.baseUrl}", apiKey: "${service.apiKey}" }
    crm:
      kind: csv
      path: meadow.csv
      columns: { id: Id, firstName: First, lastName: Last, addresses: [Address] }
    schedule: { cron: "0 3 * * 1", timezone: UTC }
`;
}

type Row = Record<string, string>;

interface Built {
  folder: string;
  env: Record<string, string>;
}

/** Builds the world once, so that copies of it can be opened. */
export async function buildWorld(): Promise<World> {
  const leaveDates = dateResponses();
  const jobs = holdJobs();
  const service = await startPartnerSandbox({
    ...{ donors: 300, rate: 0, networkJobTimeMs: 0 },
    ...jobs.service,
    clock: () => jobs.service.clock() + AHEAD_MS,
  });
  jobs.letEnd();
  const receiver = await startReceiver(portOf(service.rootUrl));
  // The folder is in memory, because the tests copy the world more than a thousand times.
  const parent = await mkdtemp(join(findFolderInMemory() ?? tmpdir(), 'donor-sync-replies-'));
  // Settings contain the full paths of clients' files. The product treats a different path as a different CRM.
  const [folder, kept] = [join(parent, 'world'), join(parent, 'kept')];
  await mkdir(folder);
  const env = {
    PARTNER_API_KEY: service.apiKey,
    NO_COLOR: '1',
    DONOR_SYNC_SETUP_HOSTS: '127.0.0.1:*',
  };
  const built: Built = { folder, env };
  await writeFile(join(folder, SETTINGS), settingsText(service, receiver.url));
  await writeFile(join(folder, 'meadow.yaml'), appliedText(service));
  await writeFile(
    join(folder, 'broken.yaml'),
    'integrations:\n  - id: Meadow!\n    crm: { kind: abacus }\n',
  );
  await writeFile(
    join(folder, 'riverside.yaml'),
    appliedText(service).replace('meadow', 'riverside'),
  );
  await writeFile(join(folder, 'key.txt'), service.apiKey);
  const people = await controlService(service).people(200);
  const whole = people.filter(({ firstName, lastName }) => firstName && lastName);
  const rows: Row[] = whole.slice(0, 51).map((person, at) => ({
    Id: `c${String(at + 1).padStart(3, '0')}`,
    First: person.firstName ?? '',
    Last: person.lastName ?? '',
    Address: person.addresses[0] ?? '',
    Employer: person.employers[0] ?? '',
    Role: at < 12 ? 'board' : '',
  }));
  const save = (name: string, some: readonly Row[]) =>
    writeFile(join(folder, `${name}.csv`), stringify([...some], { header: true }));
  const ofRiverside = rows.slice(0, 40);
  const ofHarbor = rows.slice(40).map(({ Role: _, ...row }) => row);
  await save('riverside', ofRiverside);
  await save('harbor', ofHarbor.slice(0, 8));
  await save('meadow', rows.slice(0, 3));

  await must(built, ['apply', 'meadow.yaml']);
  const tokens = new Map<Principal, string>();
  const cookies = new Map<Principal, string>();
  const serving = await serve(built, true);
  const { application } = serving;
  const values: Record<string, string> = {};
  for (const principal of PRINCIPALS) {
    const { role, isLimited } = readRights(principal);
    if (role === null) continue;
    const token = `dst_${principal.replace(' ', '_').padEnd(43, 'x')}`;
    tokens.set(principal, token);
    const id = `token-${principal.replace(' ', '-')}`;
    const integrations = isLimited ? [LIMITED_TO] : null;
    await application.store.act((trx) =>
      addAccessToken(trx, { id, name: principal, role, hash: hashToken(token), integrations }),
    );
    if (principal === 'limited owner') continue;
    const { cookie, id: person } = await joinAs(serving, principal, role, integrations);
    cookies.set(principal, cookie);
    values[`user ${principal}`] = person;
  }
  const invited = await invite(serving, 'Zoe', 'viewer', null);
  Object.assign(values, { invited: invited.id, invitation: invited.secret });

  const ask = askOf(serving.url, { authorization: `Bearer ${tokens.get('owner')}` });
  const asOwner = askOf(serving.url, { cookie: cookies.get('owner') ?? '', origin: serving.url });
  const sync = async (client: string) => {
    const reply = await ask('POST', `/v1/integrations/${client}/runs`);
    const { id } = startedSchema.parse(reply).run;
    return { id, ended: untilEnded(application, id) };
  };

  // Riverside has a completed run, and a run in which all addresses changed at the same time.
  const finished = await sync('riverside');
  await finished.ended;
  await save(
    'riverside',
    ofRiverside.map((row, at) => ({ ...row, Address: `${at + 1} Quarry Lane, Reno, NV 89501` })),
  );
  const held = await sync('riverside');
  await held.ended;

  // Harbor has a stopped run, profiles with other names, and lost responses.
  jobs.hold();
  const submitted = await countSubmissions(service);
  const stopped = await sync('harbor');
  await untilSubmitted(service, submitted + 1);
  await ask('POST', `/v1/runs/${stopped.id}/stop`);
  await stopped.ended;
  jobs.letEnd();
  const renamed = ofHarbor.slice(0, 8).map((row) => ({ ...row, Last: 'Quillfeather-Onyx' }));
  await save('harbor', renamed);
  const mismatched = await sync('harbor');
  await mismatched.ended;
  await save('harbor', [...renamed, ...ofHarbor.slice(8, 11)]);
  await controlService(service).putFaults([
    { on: { method: 'POST' }, times: 1, fault: { kind: 'resetAfter' } },
  ]);
  const lost = await sync('harbor');
  await lost.ended;
  await controlService(service).putFaults([]);

  const { holds, batches } = heldSchema.parse(await ask('GET', '/v1/holds'));
  const ofKind = (kind: string) =>
    holds
      .filter((hold) => hold.kind === kind)
      .sort((a, b) => ((a.contact ?? '') < (b.contact ?? '') ? -1 : 1));
  const mismatches = ofKind('name_mismatch');
  const losses = ofKind('lost_answer');
  const batch = batches[0]?.id ?? '';
  const approval = approvalSchema.parse(await ask('POST', `/v1/holds/batches/${batch}/approve`));
  const hookPath = '/v1/integrations/riverside/webhook';
  const webhook = webhookSchema.parse(await asOwner('POST', hookPath, {}));
  const decided = mismatches.at(-1)?.id ?? '';
  await ask('POST', `/v1/holds/${decided}/reject`);
  const setup = await beginSetup(serving.url, cookies.get('owner') ?? '');
  Object.assign(values, {
    ...{ run: finished.id, 'run held': held.id, 'run stopped': stopped.id },
    ...{ 'run mismatched': mismatched.id, 'run lost': lost.id },
    ...{ batch, 'hold mismatch': mismatches[0]?.id ?? '', 'hold lost': losses[0]?.id ?? '' },
    'end of user viewer': values['user viewer']?.slice(-8) ?? '',
    ...{ 'hold decided': decided, approval: approval.approval.id, setup },
    'hold in batch': holds.find((hold) => hold.batch === batch)?.id ?? '',
    ...{ service: service.baseUrl, 'service key': service.apiKey },
    hook: new URL(webhook.url).pathname.split('/').at(-1) ?? '',
  });
  await serving.close();
  const undo = await execute(built, ['undo', finished.id, '--yes', '--json']);
  values['approval undo'] = approvalSchema.parse(JSON.parse(undo.stdout)).approval.id;

  // A run that waits until a process works on it. No such process is running.
  const idle = await serve(built, false);
  const queued = await askOf(idle.url, { authorization: `Bearer ${tokens.get('owner')}` })(
    'POST',
    '/v1/integrations/meadow/runs',
  );
  values['run queued'] = startedSchema.parse(queued).run.id;
  await idle.close();
  await rename(folder, kept);

  const missing = Object.entries(values).filter(([, value]) => value === '');
  if (missing.length > 0) throw new Error(`the world lacks ${missing.map(([name]) => name)}`);
  const known = new Map(Object.entries(values).map(([name, value]) => [value, name]));
  known.set(folder, 'folder');
  known.set(service.rootUrl, 'service');
  known.set(new URL(service.rootUrl).host, 'service host');
  known.set(receiver.url, 'receiver');
  known.set(String(portOf(service.rootUrl)), 'service port');
  known.set(String(portOf(receiver.url)), 'receiver port');
  for (const [principal, token] of tokens) known.set(token, `access token of ${principal}`);

  const copy = () => cp(kept, folder, { recursive: true, preserveTimestamps: true });
  return {
    values,
    known,
    async open() {
      await copy();
      const open = await serve(built, false);
      return {
        ...{ url: open.url, routes: open.routes },
        headersOf: (principal) => {
          const token = tokens.get(principal);
          return token === undefined ? {} : { authorization: `Bearer ${token}` };
        },
        cookieOf: (principal) => cookies.get(principal) ?? '',
        run: (args, options) => execute(built, args, options),
        async close() {
          await open.close();
          await rm(folder, { recursive: true });
        },
      };
    },
    async openFolder() {
      await copy();
      return {
        run: (args, options) => execute(built, args, options),
        close: () => rm(folder, { recursive: true }),
      };
    },
    async close() {
      leaveDates();
      receiver.close();
      await service.close();
      await rm(parent, { recursive: true });
    },
  };
}

const startedSchema = z.object({ run: z.object({ id: z.string() }) });
const approvalSchema = z.object({ approval: z.object({ id: z.string() }) });
const webhookSchema = z.object({ url: z.string() });
const heldSchema = z.object({
  holds: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      contact: z.string().nullable(),
      batch: z.string().nullable(),
    }),
  ),
  batches: z.array(z.object({ id: z.string() })),
});

/** Serves the folder on a free port. Requested runs start only while the world is built. */
async function serve({ folder, env }: Built, works: boolean) {
  const settings = await loadSettings({
    path: SETTINGS,
    cwd: folder,
    env,
    findConnectorDefinition,
  });
  const application = await openApplication({
    ...{ settings, secretKey: undefined, clock, log: silentLog },
    pace: { ratePerSecond: null },
    setup: { serviceUrl: null, hosts: ['127.0.0.1:*'] },
    owner: { host: 'replies', processId: process.pid, start: crypto.randomUUID() },
  });
  const runner = createRunner(application, { clock, log: silentLog, maxRunsAtOnce: 2 });
  const stopping = new AbortController();
  const app = createHttpApp({
    ...{ application, runner, clock, log: silentLog, publicUrl: PUBLIC_URL, version: VERSION },
    ...{ lastTickAt: () => clock.now(), stopping: stopping.signal },
  });
  const http = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
  if (works) runner.start();
  return {
    ...{ application, url: http.url, routes: app.routes },
    async close() {
      stopping.abort();
      await runner.stop();
      await http.close();
      await application.close();
    },
  };
}

type Serving = Awaited<ReturnType<typeof serve>>;

function invite(
  { application: { store, sealer } }: Serving,
  name: string,
  role: Role,
  integrations: readonly string[] | null,
) {
  const email = `${name.toLowerCase().replace(' ', '.')}@example.org`;
  return store.act((trx) => invitePerson(trx, sealer, { name, email, role, integrations }));
}

async function joinAs(
  serving: Serving,
  name: string,
  role: Role,
  integrations: readonly string[] | null,
) {
  const { id, secret } = await invite(serving, name, role, integrations);
  const response = await fetch(`${serving.url}/join/${secret}`, {
    ...{ method: 'POST', redirect: 'manual', headers: { origin: serving.url } },
    body: new URLSearchParams({ fresh: PASSWORD }),
  });
  const cookie = /donor_sync_session=[\w-]{43}/.exec(response.headers.get('set-cookie') ?? '')?.[0];
  if (cookie === undefined) throw new Error(`${name} did not join: ${await response.text()}`);
  return { id, cookie };
}

function askOf(url: string, credentials: Record<string, string>) {
  return async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...credentials,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text);
  };
}

/** Starts a set-up that has a name and a file, and waits for the service key. */
async function beginSetup(url: string, cookie: string): Promise<string> {
  const send = (path: string, body: FormData | URLSearchParams) =>
    fetch(url + path, {
      ...{ method: 'POST', redirect: 'manual' as const, body },
      headers: { cookie, origin: url },
    });
  const begun = await send('/setup', new URLSearchParams({ name: 'Lakeside Clinic' }));
  const id = /^\/setup\/([^/]+)\/crm$/.exec(begun.headers.get('location') ?? '')?.[1] ?? '';
  const form = new FormData();
  const text = 'Donor ID,First Name,Last Name,Role\n1,Ada,Vale,Board\n2,Ben,Hill,Donor\n';
  form.set('file', new File([text], 'donors.csv'));
  const sent = await send(`/setup/${id}/file`, form);
  if (sent.status !== 303) throw new Error(`the file was not taken: ${await sent.text()}`);
  return id;
}

const LOOK_INTERVAL_MS = 20;
const MAX_LOOKS = 3_000;

async function untilEnded({ store }: Application, runId: string): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const row = await findRunById(store.reader, runId);
    const isOver = row !== undefined && row !== null && row.status !== 'running';
    if (isOver && (await store.leases.holder(row.integrationId)) === null) return;
    await sleep(LOOK_INTERVAL_MS);
  }
  throw new Error(`the run ${runId} did not end`);
}

/** Waits until the service has accepted this many submissions. */
async function untilSubmitted(service: PartnerSandbox, count: number): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    if ((await countSubmissions(service)) >= count) return;
    await sleep(LOOK_INTERVAL_MS);
  }
  throw new Error('nothing was submitted');
}

async function countSubmissions(service: PartnerSandbox): Promise<number> {
  const requests = await controlService(service).requests();
  return requests.filter(({ method, path }) => method === 'POST' && /enhance/.test(path)).length;
}

async function must(built: Built, args: readonly string[]): Promise<CommandEnd> {
  const end = await execute(built, args);
  if (end.exitCode !== 0) throw new Error(`${args.join(' ')}: ${end.stderr}`);
  return end;
}

/** Runs `donor-sync …` in this process, in the world's folder. */
async function execute(
  { folder: cwd, env }: Built,
  args: readonly string[],
  { user = 'anna', env: more = {} }: RunOptions = {},
): Promise<CommandEnd> {
  const stdin = aStream({ isTTY: false });
  const stdout = aStream({ isTTY: false });
  const stderr = aStream({ isTTY: false });
  let exitCode = 0;
  const deps: AllDeps = {
    ...{ stdin, stdout, stderr, env: { ...env, ...more }, cwd, clock, user, log: silentLog },
    timezone: () => 'UTC',
    findConnectorDefinition,
    logStream: createLogStream(stderr, false),
    owner: { host: 'replies', processId: process.pid, start: crypto.randomUUID() },
    stopSignal: () => new AbortController().signal,
    setExitCode(code) {
      exitCode = code;
    },
  };
  const program = await createProgram({ ...deps, loadDeps: async () => deps }, VERSION, args);
  await runProgram(program, deps, args);
  // By now, the streams have delivered the last output.
  await setImmediate();
  return { exitCode, stdout: stdout.written(), stderr: stderr.written() };
}
