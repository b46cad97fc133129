import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import packageFile from '../../../../package.json' with { type: 'json' };
import type { Application } from '../../../application.ts';
import { createProductAlerts } from '../../../clients/alerts/product-alerts.ts';
import { noteRecovery } from '../../../clients/alerts/recovery-notices.ts';
import { followIntegrations } from '../../../clients/integrations.ts';
import { createProductMails } from '../../../clients/mails/product-mails.ts';
import { listSchedules, planSchedules } from '../../../clients/schedules/schedules.ts';
import { listSealedSettings } from '../../../clients/statements/integrations.ts';
import { createClientReader } from '../../../clients/views/clients.ts';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { getDatabaseTime } from '../../../database/database-time.ts';
import { createRunner } from '../../../jobs/runner.ts';
import { createScheduler } from '../../../jobs/scheduler.ts';
import { readAddresses } from '../../../people/server-address.ts';
import { getRelyingParty } from '../../../people/sign-in/passkeys.ts';
import { requireOtherWays } from '../../../people/sign-in/require-other-ways.ts';
import { listAccessTokens } from '../../../people/statements/access.ts';
import { hasOwner } from '../../../people/statements/owners.ts';
import { listPersonRecords } from '../../../people/statements/people.ts';
import {
  DEFAULT_SETTINGS_PATH,
  hasOwnUrl,
  ownUrl,
  type Settings,
} from '../../../settings/settings.ts';
import { createHttpApp } from '../../api/app.ts';
import {
  createFirstVisit,
  FIRST_VISIT_LIFE_MS,
  type FirstVisit,
} from '../../api/request/secret.ts';
import { type HttpServer, type ServerOptions, startHttpServer } from '../../api/server.ts';
import { warmHome } from '../../pages/home/warm.ts';
import { isPortTaken, listenFailed, portInUse, readOptions, runAction } from '../action/command.ts';
import {
  baseOptions,
  loadProductSettings,
  type ProductDeps,
  productCommand,
  withProduct,
} from '../action/product.ts';
import { type LinkPlace, openLinkPlace } from '../action/secret-link.ts';
import type { Output } from '../terminal/output.ts';
import { untilStopped } from '../terminal/stop-signal.ts';
import { describeCount } from '../terminal/words.ts';
import {
  firstSettingsText,
  MAIL_VARIABLES,
  PRICE_VARIABLE,
  readPrice,
} from './init/settings-text.ts';
import { wholeNumber } from './sandbox/stand-in.ts';
import { requireServer } from './worker.ts';

const EXAMPLES = `
Examples:
  donor-sync serve
  donor-sync serve --host 0.0.0.0 --port 8080     needs a user or a token: donor-sync users invite
  donor-sync serve --no-work                      on Postgres: leaves runs to donor-sync worker
  donor-sync serve --json                         one line when it is ready: {"ready":true,"url":…}
  donor-sync serve --recover                      if no owner can sign in any more: a link for a new password
  donor-sync serve --out link.txt                 without a terminal: writes the link into this file

In a folder without donor-sync.yaml, the command writes one, and the link leads to the set-up in the browser. While
no owner has a way to sign in, it creates a link with which one browser on this machine creates the owner's account.
It shows the link only on a terminal, or writes it into the file of --out, which only you can read.
Runs are started by the schedules in the settings, by POST /v1/integrations/ID/runs and by webhooks. The
settings are read at the start. SIGTERM or Ctrl-C ends the command within ten seconds, and interrupted runs
continue at the next start. Several processes can serve one database.`;

const optionsSchema = baseOptions.extend({
  host: z.string().trim().min(1, { error: 'Enter an address after --host.' }).optional(),
  port: z.number().optional(),
  work: z.boolean(),
  recover: z.boolean().default(false),
  out: z.string().trim().min(1, { error: 'Enter a file name after --out.' }).optional(),
});

/** Host names that only this machine can reach. */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

export function serveCommand(deps: ProductDeps): Command {
  const command = productCommand('serve', deps)
    .description('serve HTTP and start scheduled runs, until stopped')
    .option('--host <address>', 'where to listen (default: server.host of the settings)')
    .option('--port <n>', 'the port to listen at; 0 for any free port', wholeNumber(0, 65_535))
    .option('--no-work', 'do not start runs; `donor-sync worker` does (only on Postgres)')
    .option(
      '--recover',
      'create a link with which an owner sets a new password, once, within 15 minutes',
    )
    .option('--out <file>', 'write the link into this new file, which only you can read')
    .addHelpText('after', EXAMPLES);
  return command.action(() =>
    runAction(deps, command, async (output) => {
      await serve(deps, readOptions(command, optionsSchema), output);
    }),
  );
}

async function serve(
  deps: ProductDeps,
  options: z.infer<typeof optionsSchema>,
  output: Output,
): Promise<void> {
  const stopped = deps.stopSignal();
  if (options.work) await beginSettings(deps, options.config, output);
  const settings = await loadProductSettings(deps, options.config);
  if (!options.work) requireServer(settings);
  const { host = settings.server.host, port = settings.server.port } = options;
  await withProduct(deps, settings, async (application) => {
    await requireUserBeyondLoopback(application, host);
    await warnOfOverriding(application, settings, deps.log);
    const { signIn } = settings.server;
    const given = { ...settings.server, hasOwnUrl: hasOwnUrl(settings.server) };
    const { url: publicUrl } = await readAddresses(application.store.reader, given);
    warnOfPlainHttp({ ...settings.server, publicUrl }, host, deps.log);
    // A recovery link gives the owner a new way to sign in.
    if (!signIn.passwords && !options.recover) {
      const ways = {
        passkeyHost: getRelyingParty(publicUrl)?.id ?? null,
        provider: signIn.oidc !== null,
      };
      await requireOtherWays(application.store.reader, ways);
    }
    const door = await prepareVisit(deps, application, options, output);
    const service = { application, settings, address: { host, port }, works: options.work, door };
    // Without this signal, background work would keep the process alive.
    const over = new AbortController();
    try {
      await serveUntil(AbortSignal.any([stopped, over.signal]), deps, output, service);
    } finally {
      over.abort();
      await door?.place.drop();
    }
  });
}

/**
 * If there is no settings file, writes one without clients, so that users can set up clients in a browser. Existing
 * files are kept. If the user names a file, it must exist.
 */
async function beginSettings(
  { cwd, env }: ProductDeps,
  config: string | undefined,
  output: Output,
): Promise<void> {
  if (config || env['DONOR_SYNC_CONFIG']) return;
  const missing = MAIL_VARIABLES.filter((name) => !env[name]);
  const typedPrice = env[PRICE_VARIABLE];
  const price = typedPrice === undefined ? null : readPrice(typedPrice);
  const text = firstSettingsText({ hasMail: missing.length === 0, price });
  try {
    await writeFile(resolve(cwd, DEFAULT_SETTINGS_PATH), text, {
      flag: 'wx',
      mode: 0o600,
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw new ConfigurationError(
      `There is no settings file, and none can be written here: ${messageOf(error)}. Run the command in a separate folder that it can write to.`,
      { code: 'settings_unwritable', cause: error },
    );
  }
  output.note(
    `There was no settings file, so donor-sync created ${DEFAULT_SETTINGS_PATH}. Set up clients in the browser.`,
  );
  if (missing.length > 0 && missing.length < MAIL_VARIABLES.length) {
    output.note(
      `${DEFAULT_SETTINGS_PATH} names no mail server, because ${missing.join(' and ')} is not set in the environment.`,
    );
  }
  if (typedPrice !== undefined && price === null) {
    output.note(
      `${DEFAULT_SETTINGS_PATH} has no price, because ${PRICE_VARIABLE} is not an amount and a currency such as "0.50 USD".`,
    );
  }
}

/**
 * Requires a user or an access token if other machines can reach the server, because every caller could otherwise spend
 * credits. An invited user is enough.
 */
async function requireUserBeyondLoopback(
  { store }: Pick<Application, 'store'>,
  host: string,
): Promise<void> {
  if (LOOPBACK_HOSTS.has(host) || (await listAccessTokens(store.reader)).length > 0) return;
  if ((await listPersonRecords(store.reader)).length > 0) return;
  throw new ConfigurationError(
    `Other computers can reach donor-sync at ${host}, but there are no users or access tokens yet. Invite a user: donor-sync users invite --name NAME --email ADDRESS --role owner. Or create a token: donor-sync tokens create --role admin --name NAME`,
    { code: 'access_token_missing', details: { host } },
  );
}

/** Warns about plain HTTP, and explains the effects on signing in. */
function warnOfPlainHttp(
  { publicUrl, plainHttp, trustedProxies }: Settings['server'],
  host: string,
  log: ProductDeps['log'],
): void {
  if (plainHttp === 'allow') {
    log.warn(
      {},
      'server.plainHttp is allow: others on the network can read passwords, access tokens and sessions',
    );
    return;
  }
  const isBehindTls = publicUrl.startsWith('https:') || trustedProxies.length > 0;
  if (LOOPBACK_HOSTS.has(host) || isBehindTls) return;
  log.warn(
    { host, publicUrl },
    'users can sign in only at http://localhost, on the machine of the service: its address does not start with https. Put a TLS proxy in front, and set its address under Users, Address, or in server.publicUrl',
  );
}

/** Warns if the settings file overrides applied settings, because users expect applied settings to take effect. */
async function warnOfOverriding(
  { store }: Pick<Application, 'store'>,
  { integrations }: Settings,
  log: ProductDeps['log'],
): Promise<void> {
  const overriding = new Set(integrations.map(({ id }) => id));
  for (const { id } of await listSealedSettings(store.reader)) {
    if (!overriding.has(id)) continue;
    log.warn(
      { integration: id },
      'the settings file overrides applied settings. To use the applied settings, remove the client from the settings file',
    );
  }
}

interface Service {
  application: Application;
  settings: Settings;
  address: { host: string; port: number };
  /** True if this process works on runs. False if other processes start runs. */
  works: boolean;
  door: Door | null;
}

async function serveUntil(
  stopped: AbortSignal,
  deps: ProductDeps,
  output: Output,
  { application, settings, address, works, door }: Service,
): Promise<void> {
  const { clock, log } = deps;
  await application.engine.open();
  const { server } = settings;
  const runner = createRunner(application, { clock, log, maxRunsAtOnce: server.maxRunsAtOnce });
  const { store, integrations } = application;
  const bySchedule = store.actingAs({ kind: 'schedule', name: null, from: deps.owner.host });
  const scheduled = { store: bySchedule, integrations, clock, log, wake: runner.wake };
  const scheduler = createScheduler(scheduled);
  // Replaced with the actual port when the server listens, because port 0 means any free port.
  let { port } = address;
  const listensAt = () => ownUrl(port);
  const alerts = createProductAlerts(deps, application, listensAt);
  runner.onRunEnded(({ report }) => alerts.afterRun(report));
  const mails = createProductMails(deps, application, listensAt);
  const { trustedProxies } = server;
  // The default address depends on `--port`.
  const isOwn = hasOwnUrl(server);
  const publicUrl = isOwn ? listensAt() : server.publicUrl;
  const takeUp = async (changed: readonly Integration[]) => {
    await planSchedules(scheduled, changed, await getDatabaseTime(application.store.reader));
    runner.wake();
  };
  const { version } = packageFile;
  const clients = createClientReader(store.reader, clock);
  const app = createHttpApp({
    clients,
    alerts,
    takeUp: async () => takeUp(await application.refresh()),
    application,
    runner,
    clock,
    log,
    publicUrl,
    hasOwnUrl: isOwn,
    trustedProxies,
    pagesFrom: server.pagesFrom,
    plainHttp: server.plainHttp,
    withoutToken: door?.visit ?? null,
    provider: server.signIn.oidc,
    passwords: server.signIn.passwords,
    lastTickAt: scheduler.lastTickAt,
    stopping: stopped,
    version,
  });
  await warmHome({ application, clients, clock, log, version });
  const http = await listen({ app, ...address, trustedProxies });
  port ||= Number(new URL(http.url).port);
  let unfollow = async () => {};
  try {
    if (works) runner.start();
    await scheduler.start();
    unfollow = followIntegrations(application, deps, takeUp);
    alerts.start();
    mails.start();
    await announce(deps, output, application, { http, door });
    await untilStopped(stopped);
  } finally {
    // Listeners learn how a run ended before the connections close.
    await Promise.all([unfollow(), scheduler.stop(), runner.stop()]);
    await Promise.all([alerts.close(), mails.close()]);
    await http.close();
  }
}

/** Starts the server. Only the address of the server can cause an error. */
async function listen(options: ServerOptions): Promise<HttpServer> {
  const { host, port } = options;
  try {
    return await startHttpServer(options);
  } catch (cause) {
    if (isPortTaken(cause)) {
      const next = 'Choose another port with --port or server.port in the settings.';
      throw portInUse(port, next, { cause, host });
    }
    throw listenFailed(`${host}, port ${port}`, messageOf(cause), {
      cause,
      details: { host, port },
    });
  }
}

interface Door {
  visit: FirstVisit;
  place: LinkPlace;
}

/**
 * Prepares a one-time link. If `--recover` is not set, prepares a link only if no owner can sign in. The identity
 * provider does not have to respond, because a temporary failure must not give anyone access. Returns null if no link
 * is needed or if nobody could see it.
 */
async function prepareVisit(
  { cwd, clock, log }: ProductDeps,
  { store }: Pick<Application, 'store'>,
  { recover, out }: Pick<z.infer<typeof optionsSchema>, 'recover' | 'out'>,
  output: Output,
): Promise<Door | null> {
  if (recover) {
    const place = await openLinkPlace(cwd, out, output);
    await store.act((trx) => noteRecovery(trx, null));
    return { place, visit: createFirstVisit(clock, 'recovery') };
  }
  if (await hasOwner(store.reader)) return null;
  if (out === undefined && (output.isJson || !output.isTerminal)) {
    log.warn({}, NO_OWNER_WARNING);
    return null;
  }
  return { place: await openLinkPlace(cwd, out, output), visit: createFirstVisit(clock) };
}

/** The warning that is logged if there is no terminal. */
const NO_OWNER_WARNING =
  'no owner can sign in, and the link that creates one is shown only on a terminal. Start with --out FILE, or run donor-sync users invite';

async function announce(
  { stdout }: ProductDeps,
  output: Output,
  { store, integrations }: Application,
  { http: { url }, door }: { http: HttpServer; door: Door | null },
): Promise<void> {
  const link = door && url + door.visit.path;
  const file = door?.place.file ?? null;
  if (link !== null) await door?.place.write(link);
  // The output is one line, so that a parent process can read it and continue.
  if (output.isJson) {
    const linkFile = file === null ? {} : { linkFile: file };
    stdout.write(`${JSON.stringify({ ready: true, url, ...linkFile })}\n`);
    return;
  }
  if (door !== null) {
    const minutes = FIRST_VISIT_LIFE_MS / 60_000;
    const what =
      door.visit.kind === 'first'
        ? "No owner can sign in yet. With this link, one browser creates the owner's account"
        : 'With this link, one browser sets a new password for an owner';
    output.print(`${what}, once, within ${minutes} minutes:`);
    output.print(`  ${file ?? link}`);
    if (file !== null) output.print('The link is in this file, which only you can read.');
    output.print(
      'After that, invite others under Users. For programs: donor-sync tokens create --role admin --name NAME',
    );
  }
  const schedules = await listSchedules(store.reader, integrations.values());
  const served = describeCount(integrations.size, 'integration');
  output.print(
    `Serving ${served} at ${url}, ${schedules.length} by schedule. Press Ctrl-C to stop.`,
  );
}
