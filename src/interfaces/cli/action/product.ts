import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { z } from 'zod';
import {
  type Application,
  type ApplicationOptions,
  type OpenIntegration,
  openApplication,
} from '../../../application.ts';
import type { Actor } from '../../../core/actor.ts';
import type { Clock } from '../../../core/clock.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import type { Log } from '../../../core/log.ts';
import type { Owner } from '../../../core/owner.ts';
import type { KeyRing } from '../../../database/encryption/key-ring.ts';
import { readRuntimeOptions, readSetupEnvironment } from '../../../settings/environment.ts';
import { withEnvironmentFile } from '../../../settings/environment-file.ts';
import {
  type LoadOptions,
  loadSettings,
  type Settings,
  settingsPath,
} from '../../../settings/settings.ts';
import type { LogStream } from '../terminal/log.ts';
import type { ExitCode, Output } from '../terminal/output.ts';
import { type CommandDeps, createCommand, readOptions, runAction } from './command.ts';

/** Helpers for commands that work with settings, database and integrations. */
export interface ProductDeps
  extends CommandDeps,
    Pick<LoadOptions, 'cwd' | 'findConnectorDefinition'> {
  stdin: Readable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean; columns?: number; rows?: number };
  clock: Clock;
  log: Log;
  logStream: LogStream;
  owner: Owner;
  /** The user of the machine who typed the command, for the audit, or null if the system does not report it. */
  user: string | null;
  /**
   * Returns a signal that is aborted when the process has to end. After this was called, the command itself has to
   * finish its work after a stop. Before that, a stop ends the process immediately.
   */
  stopSignal(): AbortSignal;
}

/** Returns a command that reads the settings. */
export function productCommand(name: string, deps: CommandDeps): Command {
  return createCommand(name, deps).option(
    '--config <file>',
    'the settings file (default: DONOR_SYNC_CONFIG or donor-sync.yaml)',
  );
}

/** Options for opening the product for a special purpose. */
export type Opening = Pick<ApplicationOptions, 'restores' | 'backupFolders' | 'recordsSettings'>;

/** Opens the product of the settings file, passes it to `work`, and closes it even after an error. */
export async function withApplication<Result>(
  deps: ProductDeps,
  config: string | undefined,
  work: (application: Application, settings: Settings) => Promise<Result>,
  how: Opening = {},
): Promise<Result> {
  const settings = await loadProductSettings(deps, config);
  return withProduct(deps, settings, (application) => work(application, settings), how);
}

/** Opens the product of these settings, passes it to `work`, and closes it even after an error. */
export async function withProduct<Result>(
  deps: ProductDeps,
  settings: Settings,
  work: (application: Application) => Promise<Result>,
  how: Opening = {},
): Promise<Result> {
  const application = await openProduct(deps, settings, undefined, how);
  try {
    return await work(application);
  } finally {
    await application.close();
  }
}

/** Reads the settings file that the command line or the environment names. */
export function loadProductSettings(
  deps: ProductDeps,
  config: string | undefined,
  instead: Pick<LoadOptions, 'database'> = {},
): Promise<Settings> {
  return loadSettings({ ...deps, ...instead, path: settingsPath(config, deps.env) });
}

/** Opens the product of these settings. The caller closes it. By default, it uses the database's keys. */
export async function openProduct(
  deps: ProductDeps,
  settings: Settings,
  keyRing?: KeyRing,
  how: Opening = {},
): Promise<Application> {
  const { secretKey } = readRuntimeOptions(deps.env, deps.stderr.isTTY === true);
  const actor: Actor = { kind: 'command', name: deps.user, from: deps.owner.host };
  const keys = { secretKey: secretKey ?? undefined, ...(keyRing && { keyRing }) };
  const setup = readSetupEnvironment(await withEnvironmentFile({ ...deps, path: settings.path }));
  return openApplication({ ...deps, actor, settings, setup, ...keys, ...how });
}

/** Opens an integration's clients, passes them to `work`, and closes them even after an error. */
export async function withIntegration<Result>(
  application: Application,
  integration: Integration,
  work: (open: OpenIntegration) => Promise<Result>,
  signal: AbortSignal = neverAborted(),
): Promise<Result> {
  const open = await application.open(integration, signal);
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}

/** Returns a signal that is never aborted, for work that takes little time anyway. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal;
}

/** The options that every command with the product has. Most commands have more. */
export const baseOptions = z.object({ config: z.string().optional() });

/** The objects that the action of a command uses once the product is open. */
export interface ProductAction<Options> {
  application: Application;
  settings: Settings;
  options: Options;
  output: Output;
}

/**
 * Sets a command's action, which receives the open product and may return an exit code. Without an exit code, the
 * command has succeeded.
 */
export function productAction<Options extends z.infer<typeof baseOptions>, Args extends unknown[]>(
  deps: ProductDeps,
  command: Command,
  schema: z.ZodType<Options>,
  work: (action: ProductAction<Options>, ...args: Args) => Promise<ExitCode | undefined>,
  how: Opening = {},
): Command {
  return command.action((...args: Args) =>
    runAction(deps, command, (output) => {
      const options = readOptions(command, schema);
      return withApplication(
        deps,
        options.config,
        (application, settings) => work({ application, settings, options, output }, ...args),
        how,
      );
    }),
  );
}

/**
 * Asks before doing something that cannot easily be undone. Throws a ConfigurationError (nothing was changed) if the
 * user answers no. Also throws it, with the `details` for scripts, without a terminal for the question and without
 * `--yes`.
 */
export async function confirmOrStop(
  { stdin, stderr }: Pick<ProductDeps, 'stdin' | 'stderr'>,
  question: string,
  yes: boolean,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  if (yes) return;
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new ConfigurationError(
      `${question} There is no terminal to ask you in. To confirm it, add --yes.`,
      { code: 'confirmation_missing', details },
    );
  }
  const { createPrompts } = await import('../terminal/prompts.ts');
  if (await createPrompts({ input: stdin, output: stderr }).confirm(question)) return;
  throw new ConfigurationError('Nothing was changed.', { code: 'not_confirmed' });
}
