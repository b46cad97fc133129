import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { memoryCrms, memoryDefaultFields } from '../../../connectors/memory/connector.ts';
import { createMemoryCrm, type MemoryCrm } from '../../../connectors/memory/crm.ts';
import {
  type PartnerSandbox,
  type PartnerSandboxOptions,
  startPartnerSandbox,
} from '../../../sandbox/partner/index.ts';
import {
  type Application,
  type ApplicationOptions,
  openApplication,
} from '../../../src/application.ts';
import { createHookAddress, type HookSigning } from '../../../src/clients/hook-address.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import type { Role } from '../../../src/core/role.ts';
import type { PlainHttp, ProviderSettings } from '../../../src/core/sign-in-settings.ts';
import { createHttpApp } from '../../../src/interfaces/api/app.ts';
import type { WithoutToken } from '../../../src/interfaces/api/request/secret.ts';
import { type ServerLimits, startHttpServer } from '../../../src/interfaces/api/server.ts';
import { createLog } from '../../../src/interfaces/cli/terminal/log.ts';
import { createRunner, type Runner } from '../../../src/jobs/runner.ts';
import { hashToken, newAccessToken } from '../../../src/people/access-token.ts';
import { addAccessToken } from '../../../src/people/statements/access.ts';
import type { SetupEnvironment } from '../../../src/settings/environment.ts';
import { settingsSchema } from '../../../src/settings/settings-schema.ts';
import { findRunById } from '../../../src/sync/statements/runs.ts';
import { findFreePort } from '../../helpers/free-port.ts';
import { controlService } from '../../helpers/service-control.ts';

/**
 * Starts the service over HTTP with a real store, a real runner and stand-ins for other services. The CRM is in memory.
 */
export interface HttpWorld {
  url: string;
  application: Application;
  runner: Runner;
  crm: MemoryCrm;
  /** Returns the CRM of another client. */
  crmOf(id: string): MemoryCrm;
  service: PartnerSandbox;
  /** All lines of the log, at the most verbose level. */
  logLines: string[];
  /** The folder that contains the database. */
  folder: string;
  /** The clock that the HTTP server and the store use. */
  clock: Clock;
  /** Returns the contents of the database files as text. */
  files(): Promise<string[]>;
  /** Sends a request. The path starts with a slash. */
  request(path: string, options?: RequestOptions): Promise<Answer>;
  /** All routes of the app. */
  routes: readonly { method: string; path: string }[];
  addToken(role: Role, integrations?: readonly string[]): Promise<string>;
  /** Creates a webhook address for `riverside` and returns its path. */
  addHook(signing?: HookSigning): Promise<string>;
  /** Adds the first people of the sandbox's contact list to the CRM. Returns their ids. */
  addPeople(count: number): Promise<string[]>;
  /** Makes the service fail as the rules describe. */
  putFaults(rules: unknown): Promise<void>;
  /** Waits until the run with this ID has ended. */
  untilEnded(runId: string): Promise<void>;
  close(): Promise<void>;
}

export interface HttpWorldOptions {
  service?: PartnerSandboxOptions;
  publicUrl?: string;
  /** True if the settings contain no address. An owner then sets the address later. */
  hasOwnUrl?: boolean;
  /** True if `publicUrl` is the server's actual address. Callers sign this address. */
  isPublic?: boolean;
  /** The host name in that address. Defaults to `127.0.0.1`. */
  publicName?: string;
  /** The ids of more clients, each with a separate, empty CRM. */
  others?: readonly string[];
  /**
   * Further settings for each of these clients. A client with settings has a CRM with the default fields. Otherwise
   * the CRM has no fields.
   */
  other?: Record<string, unknown>;
  /** The client's display name. */
  name?: string;
  /** The client's service key. Defaults to a key that the service accepts. */
  apiKey?: string;
  /** Further settings of the client. */
  integration?: Record<string, unknown>;
  /** The alert settings. By default, no alerts are sent. */
  alerts?: Record<string, unknown>;
  limits?: Partial<ServerLimits>;
  /** True if no run may start. Requested runs then wait. */
  isIdle?: boolean;
  lastTickAt?: () => number | null;
  /** The clock that HTTP and the store use. The test moves this clock. */
  clock?: Clock;
  /** While there is no token, the service accepts these callers. The default is every caller on this machine. */
  withoutToken?: WithoutToken;
  trustedProxies?: readonly string[];
  pagesFrom?: readonly string[];
  plainHttp?: PlainHttp;
  passwords?: boolean;
  /** The folder that contains a built guide. */
  guideFolder?: string;
  provider?: ProviderSettings;
  /** The operator's environment variables for the set-up. */
  setup?: SetupEnvironment;
  /** The application calls other services with these functions. The default is the usual functions. */
  neighbours?: ApplicationOptions['neighbours'];
  /** The URL of the database. Defaults to a new SQLite file. */
  database?: string;
  /** Settings in the file other than the clients. */
  settings?: Record<string, unknown>;
}

export interface RequestOptions {
  method?: string;
  token?: string;
  headers?: Record<string, string>;
  /** The body. It is sent as JSON, unless it is a string. */
  body?: unknown;
}

/** A response whose body has been read. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Returns the body, validated with this schema. */
  read<Body>(schema: z.ZodType<Body>): Body;
}

export const errorSchema = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});

/** A key like the file that the program creates next to an SQLite database. */
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

export async function openHttpWorld(options: HttpWorldOptions = {}): Promise<HttpWorld> {
  const { clock = systemClock } = options;
  const port = options.isPublic ? await findFreePort() : 0;
  const { publicName = '127.0.0.1' } = options;
  const { publicUrl = `http://${publicName}:${port || 8787}` } = options;
  const { name = 'Riverside Food Bank', withoutToken = 'thisMachine' } = options;
  const { trustedProxies = [], others = [] } = options;
  const service = await startPartnerSandbox({
    donors: 500,
    rate: 0,
    jobTimeMs: 0,
    ...options.service,
  });
  const control = controlService(service);
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-http-'));
  const crmName = randomUUID();
  const fields = memoryDefaultFields.map(({ to }) => to);
  const crm = createMemoryCrm({ fields });
  memoryCrms.set(crmName, crm);
  const otherCrms = new Map(
    others.map((id) => [
      id,
      // Each CRM belongs to a separate organisation with separate contacts.
      createMemoryCrm(options.other ? { fields, account: { id, name: id } } : { fields: [] }),
    ]),
  );
  for (const [id, each] of otherCrms) memoryCrms.set(`${crmName}-${id}`, each);
  const logLines: string[] = [];
  const log = createLog('debug', {
    write: (line) => void logLines.push(line),
    stepAside: () => () => {},
  });
  const application = await openApplication({
    settings: {
      path: join(folder, 'donor-sync.yaml'),
      ...settingsSchema.parse({
        ...options.settings,
        server: { publicUrl, ...(options.plainHttp && { plainHttp: options.plainHttp }) },
        ...(options.alerts === undefined ? {} : { alerts: options.alerts }),
        database: options.database ?? `sqlite:${join(folder, 'store.db')}`,
        integrations: [
          {
            id: 'riverside',
            name,
            partner: { baseUrl: service.baseUrl, apiKey: options.apiKey ?? service.apiKey },
            crm: { kind: 'memory', name: crmName },
            settleAfterMs: 200,
            ...options.integration,
          },
          ...others.map((id) => ({
            id,
            partner: { baseUrl: service.baseUrl, apiKey: service.apiKey },
            crm: { kind: 'memory', name: `${crmName}-${id}` },
            ...options.other,
          })),
        ],
      }),
    },
    ...{ secretKey: options.database && SECRET_KEY, clock, log, pace: { ratePerSecond: null } },
    ...(options.setup && { setup: options.setup }),
    neighbours: options.neighbours ?? {},
    owner: { host: 'test', processId: process.pid, start: randomUUID() },
  });
  const runner = createRunner(application, { clock, log, maxRunsAtOnce: 2 });
  const stopping = new AbortController();
  const app = createHttpApp({
    application,
    runner,
    clock,
    log,
    publicUrl,
    hasOwnUrl: options.hasOwnUrl ?? false,
    withoutToken,
    provider: options.provider ?? null,
    trustedProxies,
    pagesFrom: options.pagesFrom ?? null,
    ...(options.plainHttp && { plainHttp: options.plainHttp }),
    ...(options.passwords !== undefined && { passwords: options.passwords }),
    ...(options.guideFolder !== undefined && { guideFolder: options.guideFolder }),
    version: '0.0.0',
    lastTickAt: options.lastTickAt ?? (() => clock.now()),
    stopping: stopping.signal,
  });
  const { limits = {} } = options;
  const http = await startHttpServer({ app, host: '127.0.0.1', port, limits, trustedProxies });
  if (!options.isIdle) runner.start();

  return {
    url: http.url,
    application,
    runner,
    routes: app.routes,
    crm,
    crmOf(id) {
      const found = otherCrms.get(id);
      if (found === undefined) throw new Error(`There is no integration "${id}".`);
      return found;
    },
    service,
    logLines,
    folder,
    clock,
    files: async () =>
      Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'latin1'))),
    request: (path, options) => request(http.url + path, options),
    async addToken(role, integrations) {
      const token = newAccessToken();
      const hash = hashToken(token);
      await application.store.act((trx) =>
        addAccessToken(trx, {
          ...{ id: randomUUID(), name: role, role, hash },
          integrations: integrations ?? null,
        }),
      );
      return token;
    },
    async addHook(signing) {
      const { store, sealer } = application;
      const address = await store.act((trx) =>
        createHookAddress(trx, sealer, publicUrl, 'riverside', signing ?? null),
      );
      return address.slice(publicUrl.length);
    },
    async addPeople(count) {
      return (await control.people(count)).map((person) => crm.addContact(person));
    },
    putFaults: control.putFaults,
    untilEnded: (runId) => untilEnded(application, runId),
    async close() {
      stopping.abort();
      await runner.stop();
      await http.close();
      await application.close();
      for (const name of [crmName, ...others.map((id) => `${crmName}-${id}`)]) {
        memoryCrms.delete(name);
      }
      await service.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function request(url: string, options: RequestOptions = {}): Promise<Answer> {
  const { method = 'GET', token, headers = {}, body } = options;
  const isText = typeof body === 'string';
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    read: (schema) => schema.parse(JSON.parse(text)),
  };
}

const LOOK_INTERVAL_MS = 20;
const MAX_LOOKS = 3_000;

/** A run releases its lease immediately after its end is stored. Until then, no other run can start. */
async function untilEnded({ store }: Application, runId: string): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const row = await findRunById(store.reader, runId);
    if (row && row.status !== 'running' && (await isFree(row.integrationId))) return;
    await systemClock.sleep(LOOK_INTERVAL_MS);
  }
  throw new Error(`The run ${runId} did not end.`);

  async function isFree(integrationId: string): Promise<boolean> {
    return (await store.leases.holder(integrationId)) === null;
  }
}
