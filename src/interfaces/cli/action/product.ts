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

/** The dependencies of commands that use the settings, the database and the integrations. */
export interface ProductDeps
  extends CommandDeps,
    Pick<LoadOptions, 'cwd' | 'findConnectorDefinition'> {
  stdin: Readable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean; columns?: number; rows?: number };
  clock: Clock;
  log: Log;
  logStream: LogStream;
  owner: Owner;
  user: string | null;
  /**
   * Returns a signal that is aborted when the process must end. After this call, a stop no longer ends the process, so
   * the command must finish its work. Before this call, a stop ends the process immediately.
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

export type Opening = Pick<ApplicationOptions, 'restores' | 'backupFolders' | 'recordsSettings'>;

/** Opens the application for some work. Closes the application even after an error. */
export async function withApplication<Result>(
  deps: ProductDeps,
  config: string | undefined,
  work: (application: Application, settings: Settings) => Promise<Result>,
  how: Opening = {},
): Promise<Result> {
  const settings = await loadProductSettings(deps, config);
  return withProduct(deps, settings, (application) => work(application, settings), how);
}

/** Opens donor-sync's database for some work. Closes the database even after an error. */
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

export function loadProductSettings(
  deps: ProductDeps,
  config: string | undefined,
  instead: Pick<LoadOptions, 'database'> = {},
): Promise<Settings> {
  return loadSettings({ ...deps, ...instead, path: settingsPath(config, deps.env) });
}

/** Opens donor-sync's database. The caller has to close the database. By default, the keys in the database are used. */
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

/** Returns a signal that is never aborted, for work that takes little time. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal;
}

export const baseOptions = z.object({ config: z.string().optional() });

export interface ProductAction<Options> {
  application: Application;
  settings: Settings;
  options: Options;
  output: Output;
}

/**
 * Creates the action of a command. The action may return an exit code. If the action returns no exit code, the command
 * has succeeded.
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
 * Asks the user to confirm. If the user refuses, throws a ConfigurationError and changes nothing. If there is no
 * terminal and no `--yes`, throws the same error with `details` for scripts.
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
