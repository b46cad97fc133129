import type { Command } from 'commander';
import { z } from 'zod';
import packageFile from '../../../package.json' with { type: 'json' };
import { followIntegrations } from '../../application/integrations.ts';
import { createRunner } from '../../application/runner.ts';
import type { Application } from '../../application.ts';
import { ownUrl, type Settings } from '../../config.ts';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { createHttpApp } from '../../http/app.ts';
import {
  createFirstVisit,
  FIRST_VISIT_LIFE_MS,
  type FirstVisit,
} from '../../http/request/secret.ts';
import { type HttpServer, type ServerOptions, startHttpServer } from '../../http/server.ts';
import { createScheduler } from '../../schedule/scheduler.ts';
import { listSchedules, planSchedules } from '../../schedule/schedules.ts';
import { isPortTaken, readOptions, runAction } from '../action/command.ts';
import {
  baseOptions,
  loadProductSettings,
  type ProductDeps,
  productCommand,
  withProduct,
} from '../action/product.ts';
import type { Output } from '../terminal/output.ts';
import { untilStopped } from '../terminal/stop-signal.ts';
import { countOf } from '../terminal/words.ts';
import { productAlerts } from './alerts.ts';
import { wholeNumber } from './sandbox/stand-in.ts';
import { requireServer } from './worker.ts';

const EXAMPLES = `
Examples:
  donor-sync serve
  donor-sync serve --host 0.0.0.0 --port 8080     needs an access token: donor-sync tokens create
  donor-sync serve --no-work                      on Postgres: leaves the runs to donor-sync worker
  donor-sync serve --json                         one line when it is ready: {"ready":true,"url":…}

While there is no access token, it prints a link that lets one browser on this machine in, once.
Runs begin by the schedules of the settings, by POST /v1/integrations/ID/runs and by webhooks. The
settings are read at the start. SIGTERM or Ctrl-C ends within ten seconds; runs that it interrupts
go on at the next start. Several may serve one database.`;

const optionsSchema = baseOptions.extend({
  host: z.string().trim().min(1, { error: 'Write an address after --host.' }).optional(),
  port: z.number().optional(),
  work: z.boolean(),
});

/** Where only this machine can reach us. */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

/** The command `serve`: HTTP, schedules and webhooks, until it is stopped. */
export function serveCommand(deps: ProductDeps): Command {
  const command = productCommand('serve', deps)
    .description('serve HTTP and run by schedule until stopped')
    .option('--host <address>', 'where to listen (default: server.host of the settings)')
    .option('--port <n>', 'at which port; 0 for any free one', wholeNumber(0, 65_535))
    .option('--no-work', 'take up no runs: `donor-sync worker` does, on Postgres alone')
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
  const settings = await loadProductSettings(deps, options.config);
  if (!options.work) requireServer(settings);
  const { host = settings.server.host, port = settings.server.port } = options;
  await withProduct(deps, settings, async (application) => {
    await requireTokenBeyondLoopback(application, host);
    await warnOfOverriding(application, settings, deps.log);
    const service = { application, settings, address: { host, port }, works: options.work };
    await serveUntil(stopped, deps, output, service);
  });
}

/** Every caller that reaches this service may spend credits: beyond this machine only with a token. */
async function requireTokenBeyondLoopback(
  { store }: Pick<Application, 'store'>,
  host: string,
): Promise<void> {
  if (LOOPBACK_HOSTS.has(host) || (await store.access.listTokens()).length > 0) return;
  throw new ConfigurationError(
    `At ${host} others could reach the service, and there is no access token yet. Make one: donor-sync tokens create --role admin --name NAME`,
    { code: 'access_token_missing', details: { host } },
  );
}

/** A user who applies settings waits for them to count. */
async function warnOfOverriding(
  { store }: Pick<Application, 'store'>,
  { integrations }: Settings,
  log: ProductDeps['log'],
): Promise<void> {
  const overriding = new Set(integrations.map(({ id }) => id));
  for (const { id } of await store.integrations.listSealedSettings()) {
    if (!overriding.has(id)) continue;
    log.warn(
      { integration: id },
      'the settings file overrides applied settings: take the integration out of the settings file if the applied ones are to count',
    );
  }
}

interface Service {
  application: Application;
  settings: Settings;
  address: { host: string; port: number };
  /** Whether it takes up runs, or others do. */
  works: boolean;
}

async function serveUntil(
  stopped: AbortSignal,
  deps: ProductDeps,
  output: Output,
  { application, settings, address, works }: Service,
): Promise<void> {
  const { clock, log } = deps;
  await application.engine.open();
  const { server } = settings;
  const runner = createRunner(application, { clock, log, maxRunsAtOnce: server.maxRunsAtOnce });
  const { store, integrations } = application;
  const bySchedule = store.actingAs({ kind: 'schedule', name: null, from: deps.owner.host });
  const scheduled = { store: bySchedule, integrations, clock, log, wake: runner.wake };
  const scheduler = createScheduler(scheduled);
  const alerts = productAlerts(deps, application, settings);
  runner.onRunEnded(({ report }) => alerts.afterRun(report));
  const firstVisit = await firstVisitOf(application, clock);
  const { trustedProxies } = server;
  // An address that the settings do not name goes with --port.
  const isOwn = server.publicUrl === ownUrl(server.port);
  const publicUrl = isOwn ? ownUrl(address.port) : server.publicUrl;
  const app = createHttpApp({
    application,
    runner,
    clock,
    log,
    publicUrl,
    trustedProxies,
    withoutToken: firstVisit,
    lastTickAt: scheduler.lastTickAt,
    stopping: stopped,
    version: packageFile.version,
  });
  const http = await listen({ app, ...address, trustedProxies });
  let unfollow = async () => {};
  try {
    if (works) runner.start();
    await scheduler.start();
    unfollow = followIntegrations(application, deps, async (changed) => {
      await planSchedules(scheduled, changed);
      runner.wake();
    });
    alerts.start();
    await announce(deps, output, application, { http, firstVisit });
    await untilStopped(stopped);
  } finally {
    // Clients that watch a run get its end before the connections are cut.
    await Promise.all([unfollow(), scheduler.stop(), runner.stop()]);
    await alerts.close();
    await http.close();
  }
}

/** Listening depends on nothing but the address, so that one is to blame. */
async function listen(options: ServerOptions): Promise<HttpServer> {
  const { host, port } = options;
  try {
    return await startHttpServer(options);
  } catch (cause) {
    const isTaken = isPortTaken(cause);
    const words = isTaken
      ? `The port ${port} of ${host} is in use. Choose another with --port or server.port in the settings.`
      : `Nothing can listen at ${host}, port ${port}: ${messageOf(cause)}`;
    const code = isTaken ? 'port_in_use' : 'listen_failed';
    throw new ConfigurationError(words, { code, cause, details: { host, port } });
  }
}

/** For the log, which is where the output of a service is looked for; the link itself is a secret. */
const NO_TOKEN_WARNING =
  'there is no access token: only the one-time link on stdout lets a browser on this machine in';

/** Made once: a token that is revoked later leaves no way in until the next start. */
async function firstVisitOf(
  { store }: Pick<Application, 'store'>,
  clock: ProductDeps['clock'],
): Promise<FirstVisit | null> {
  const hasTokens = (await store.access.listTokens()).length > 0;
  return hasTokens ? null : createFirstVisit(clock);
}

async function announce(
  { stdout, clock, log }: ProductDeps,
  output: Output,
  { store, integrations }: Application,
  { http: { url }, firstVisit }: { http: HttpServer; firstVisit: FirstVisit | null },
): Promise<void> {
  const signInUrl = firstVisit && url + firstVisit.path;
  // One line, so that a program that started us can read it and go on.
  if (output.isJson) {
    const link = signInUrl === null ? {} : { signInUrl };
    stdout.write(`${JSON.stringify({ ready: true, url, ...link })}\n`);
    if (signInUrl !== null) log.warn({}, NO_TOKEN_WARNING);
    return;
  }
  if (signInUrl !== null) {
    const minutes = FIRST_VISIT_LIFE_MS / 60_000;
    output.print(
      `There is no access token. Only one browser on this machine gets in, as the admin, by this link, once, within ${minutes} minutes:`,
    );
    output.print(`  ${signInUrl}`);
    output.print(
      'For programs and other people: donor-sync tokens create --role admin --name NAME',
    );
  }
  const schedules = await listSchedules({ store, clock }, integrations.values());
  const served = countOf(integrations.size, 'integration');
  output.print(`Serving ${served} at ${url}, ${schedules.length} by schedule. Ctrl-C ends it.`);
}
