import { randomInt } from 'node:crypto';
import { styleText } from 'node:util';
import { CommanderError } from 'commander';
import {
  ConfigurationError,
  type DonorSyncError,
  isConfigurationError,
  isDonorSyncError,
  isRetriableError,
  messageOf,
} from '../../../core/errors.ts';
import { plainJson, plainText } from '../../../core/printable.ts';
import { type Environment, wantsColor, wantsStack } from '../../../settings/environment.ts';
import { type Column, formatTable } from './table.ts';

export interface TextStream {
  write(text: string): unknown;
  isTTY?: boolean;
  /** The width of the terminal in characters. */
  columns?: number;
}

/**
 * The output of a command. Text for users goes to stdout. With `--json`, stdout contains exactly one document. Remarks
 * and errors go to stderr.
 */
export interface Output {
  readonly isJson: boolean;
  readonly isTerminal: boolean;
  /** Colours for stdout. */
  readonly style: Style;
  /** Prints one or more human-readable lines. Prints nothing with `--json`. */
  print(text?: string): void;
  /** Prints a human-readable table that fits the terminal. Prints nothing with `--json`. */
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void;
  /** Prints the command's result. Each command calls `finish` once. */
  finish<Document>(document: Document, render: (document: Document) => void): void;
  note(text: string): void;
  /**
   * Reports an error on stderr. With `--json`, also prints `{ "error": { code, message, details? } }` to stdout, unless
   * a result was printed.
   */
  fail(error: unknown): ExitCode;
}

export interface OutputOptions {
  stdout: TextStream;
  stderr: TextStream;
  env: Environment;
  isJson: boolean;
}

/** Creates one command's output. */
export function createOutput({ stdout, stderr, env, isJson }: OutputOptions): Output {
  const style = createStyle(wantsColor(stdout, env));
  const errorStyle = createStyle(wantsColor(stderr, env));
  let isFinished = false;

  function print(text = ''): void {
    if (!isJson) stdout.write(`${forTerminal(text)}\n`);
  }

  function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void {
    const width = stdout.isTTY ? stdout.columns || FALLBACK_WIDTH : Number.POSITIVE_INFINITY;
    print(formatTable(columns, rows, { width, styleHeader: style.faint }));
  }

  function finish<Document>(document: Document, render: (document: Document) => void): void {
    if (isFinished) throw new Error('a command has only one result');
    isFinished = true;
    if (isJson) writeJson(document);
    else render(document);
  }

  function note(text: string): void {
    stderr.write(`${forTerminal(text)}\n`);
  }

  function fail(error: unknown): ExitCode {
    const { exitCode, code, message, details } = describeFailure(error);
    note(`${errorStyle.bad('error:')} ${message}`);
    if (code === UNEXPECTED && error instanceof Error && wantsStack(env)) note(error.stack ?? '');
    if (isJson && !isFinished) {
      const hasDetails = Object.keys(details).length > 0;
      writeJson({ error: { code, message, ...(hasDetails ? { details } : {}) } });
    }
    isFinished = true;
    return exitCode;
  }

  function writeJson(document: unknown): void {
    stdout.write(`${plainJson(JSON.stringify(document, null, 2))}\n`);
  }

  const isTerminal = stdout.isTTY === true;
  return { isJson, isTerminal, style, print, table, finish, note, fail };
}

/** The width for a terminal that does not report its width. */
const FALLBACK_WIDTH = 80;

/** The exit codes for scripts and cron (design, section 4.1). */
export const EXIT_CODES = {
  done: 0,
  unexpected: 1,
  /** The command line or the settings are wrong. Nothing was changed. */
  usage: 2,
  /** The run stopped early, and the next run continues its work. */
  stopped: 3,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** An error as a command reports it. */
export interface Failure {
  exitCode: ExitCode;
  /** A permanent code in snake_case. */
  code: string;
  /** The human-readable message. */
  message: string;
  details: Readonly<Record<string, unknown>>;
}

/** The code of unexpected errors. */
const UNEXPECTED = 'unexpected_error';

/** Converts a thrown error into an exit code and a message. No other code does this. */
export function describeFailure(error: unknown): Failure {
  if (isDonorSyncError(error)) {
    const { code, message, details } = error;
    return { exitCode: toExitCode(error), code, message, details };
  }
  if (error instanceof CommanderError) return describeUsage(error);
  return {
    exitCode: EXIT_CODES.unexpected,
    code: UNEXPECTED,
    message: `An unexpected error occurred: ${messageOf(error)} (set DONOR_SYNC_LOG_LEVEL=debug to see where)`,
    details: {},
  };
}

/**
 * Returns the exit code of an error. A temporary problem is not a failure, because the next attempt continues. After a
 * lost lease, another process continues.
 */
function toExitCode(error: DonorSyncError): ExitCode {
  if (isConfigurationError(error)) return EXIT_CODES.usage;
  const isStop = isRetriableError(error) || error.code === 'lease_lost';
  return isStop ? EXIT_CODES.stopped : EXIT_CODES.unexpected;
}

/** Describes an error of commander. For `--help` and `--version`, commander also throws an error, with code 0. */
function describeUsage(error: CommanderError): Failure {
  const exitCode = error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
  const message = error.message.replace(/^error: /, '');
  return { exitCode, code: 'usage', message, details: {} };
}

/**
 * Functions that colour text. If the output has no colours, the functions return the text unchanged. `forTerminal`
 * removes control sequences from outside.
 */
export interface Style {
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

export function createStyle(hasColor: boolean): Style {
  return {
    strong: painter('bold', hasColor),
    faint: painter('dim', hasColor),
    good: painter('green', hasColor),
    warn: painter('yellow', hasColor),
    bad: painter('red', hasColor),
  };
}

type Format = 'bold' | 'dim' | 'green' | 'yellow' | 'red';

/** Random numbers that mark donor-sync's own colours. Text from outside cannot contain these numbers. */
const OURS = [randomInt(1_000, 10_000), randomInt(1_000, 10_000)].join(';');
const OUR_SEQUENCE = new RegExp(`\\u001b\\[(\\d+);${OURS}m`);

/**
 * Converts donor-sync's own colours into terminal sequences. Terminal sequences that are not donor-sync's own colours
 * are removed.
 */
export function forTerminal(text: string): string {
  const parts = text.split(OUR_SEQUENCE);
  return parts.map((part, at) => (at % 2 === 0 ? plainText(part) : `\u001b[${part}m`)).join('');
}

function painter(format: Format, hasColor: boolean): (text: string) => string {
  if (!hasColor) return (text) => text;
  // The streams have already been checked.
  const [begin = '', end = ''] = styleText(format, '|', { validateStream: false })
    .replaceAll('m', `;${OURS}m`)
    .split('|');
  return (text) => begin + text + end;
}

/** Creates the error for an invalid option or answer. */
export function usageError(message: string): ConfigurationError {
  return new ConfigurationError(message, { code: 'usage' });
}
