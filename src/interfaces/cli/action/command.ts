import { Command, CommanderError, Help, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { ConfigurationError } from '../../../core/errors.ts';
import { plainText } from '../../../core/printable.ts';
import type { Environment } from '../../../settings/environment.ts';
import {
  createOutput,
  EXIT_CODES,
  type ExitCode,
  type Output,
  type TextStream,
  usageError,
} from '../terminal/output.ts';

export interface CommandDeps {
  stdout: TextStream;
  stderr: TextStream;
  env: Environment;
  /** Sets the exit code. The process exits when its streams are empty. */
  setExitCode(code: ExitCode): void;
}

/** Creates a command with `--json`, with the usual help text, and with thrown errors instead of an exit. */
export function createCommand(name: string, deps: Pick<CommandDeps, 'stdout' | 'stderr'>): Command {
  const command = new Command(name);
  return command
    .option('--json', 'print exactly one JSON document on stdout')
    .configureOutput({
      writeOut: (text) => deps.stdout.write(plainText(text)),
      writeErr: (text) => deps.stderr.write(plainText(text)),
      outputError: (text, write) => write(`${text}See ${wholeName(command)} --help.\n`),
      getOutHelpWidth: () => deps.stdout.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => deps.stderr.columns ?? HELP_WIDTH,
    })
    .configureHelp({ subcommandTerm })
    .exitOverride();
}

/**
 * Returns the name of a subcommand in the help. Leaves out arguments if they would leave no space for the description.
 */
function subcommandTerm(command: Command): string {
  const term = new Help().subcommandTerm(command);
  return term.length > MAX_TERM ? command.name() : term;
}

/**
 * The maximum width of a term in the help. Commander needs 40 of 80 characters for descriptions. With fewer characters,
 * it does not wrap descriptions.
 */
const MAX_TERM = 34;

function wholeName(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${wholeName(parent)} ${command.name()}`;
}

/** The width of the help in a file or a pipe, in characters. */
const HELP_WIDTH = 80;

/**
 * Runs a command's action, and converts a thrown error into an exit code. `--json` works before and after the command's
 * name.
 */
export async function runAction(
  deps: CommandDeps,
  command: Command,
  work: (output: Output) => Promise<ExitCode | undefined>,
): Promise<void> {
  const isJson = command.optsWithGlobals()['json'] === true;
  const output = createOutput({ ...deps, isJson });
  try {
    deps.setExitCode((await work(output)) ?? EXIT_CODES.done);
  } catch (error) {
    deps.setExitCode(output.fail(error));
  }
}

/** Reads the options. Throws a ConfigurationError with the schema's message if an option is invalid. */
export function readOptions<Options>(command: Command, schema: z.ZodType<Options>): Options {
  const parsed = schema.safeParse(command.optsWithGlobals());
  if (parsed.success) return parsed.data;
  const words = parsed.error.issues.map(({ message }) => message).join(' ');
  throw usageError(words);
}

/**
 * Parses and runs the whole command line. Commander has already printed usage errors and help. With `--json`, this
 * function also prints the JSON document.
 */
export async function runProgram(
  program: Command,
  deps: CommandDeps,
  argv: readonly string[],
): Promise<void> {
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    const isHelp = error instanceof CommanderError && error.exitCode === 0;
    if (isHelp) return deps.setExitCode(EXIT_CODES.done);
    const isShown = error instanceof CommanderError;
    const stderr = isShown ? { write: () => undefined } : deps.stderr;
    const output = createOutput({ ...deps, stderr, isJson: argv.includes('--json') });
    deps.setExitCode(output.fail(error));
  }
}

/** Reads an option as a whole number of at least 1. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('Enter a whole number of at least 1, for example 20.');
}

/**
 * Throws a ConfigurationError unless the output is a terminal. CRM messages may contain names and amounts, so they are
 * shown only on a terminal.
 */
export function requireTerminal(
  stdout: Pick<TextStream, 'isTTY'>,
  { isJson }: { isJson: boolean },
): void {
  if (stdout.isTTY && !isJson) return;
  const message = isJson
    ? '--show works only on a terminal, because texts from the CRM must not be in a JSON document. Leave --json out.'
    : '--show works only on a terminal, because texts from the CRM must not be in a pipe or a file. Run it on a terminal.';
  throw usageError(message);
}

export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** Creates the error for a port that another program uses. `next` names the option or setting for another port. */
export function portInUse(
  port: number,
  next: string,
  { cause, host }: { cause: unknown; host?: string },
): ConfigurationError {
  const details = { ...(host !== undefined && { host }), port };
  const where = host === undefined ? `${port}` : `${port} of ${host}`;
  return new ConfigurationError(`Port ${where} is in use. ${next}`, {
    code: 'port_in_use',
    cause,
    details,
  });
}

/** Creates the error for an address at which the server cannot listen. */
export function listenFailed(
  where: string,
  why: string,
  facts: { cause: unknown; details: Readonly<Record<string, unknown>> },
): ConfigurationError {
  return new ConfigurationError(`donor-sync cannot listen at ${where}: ${why}`, {
    code: 'listen_failed',
    ...facts,
  });
}
