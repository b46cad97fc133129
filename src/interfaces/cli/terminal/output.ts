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

/** The part of an output stream that is used here, such as `process.stdout`. */
export interface TextStream {
  write(text: string): unknown;
  isTTY?: boolean;
  /** The width of the terminal in characters. */
  columns?: number;
}

/**
 * The output of every command. For people, it writes text to stdout. With `--json`, it writes exactly one JSON document
 * to stdout. Remarks and errors always go to stderr.
 */
export interface Output {
  readonly isJson: boolean;
  /** True if stdout is a terminal, where a user reads the text and nothing stores it. */
  readonly isTerminal: boolean;
  /** Colours for stdout. */
  readonly style: Style;
  /** Prints one or more human-readable lines. Silent with `--json`. */
  print(text?: string): void;
  /** Prints a human-readable table that fits the terminal. Silent with `--json`. */
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void;
  /** Outputs the command's result: the one JSON document, or the text that `render` prints. Called once per command. */
  finish<Document>(document: Document, render: (document: Document) => void): void;
  /** A remark on stderr, in both cases. */
  note(text: string): void;
  /**
   * Reports a thrown error as text on stderr. With `--json`, it is also the one document `{ "error": { code, message,
   * details? } }`, unless the result was already printed.
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

/** The number of characters for a terminal that does not report its width. */
const FALLBACK_WIDTH = 80;

/** The exit codes for scripts and cron (design, section 4.1). */
export const EXIT_CODES = {
  done: 0,
  unexpected: 1,
  /** Wrong usage or settings. Nothing was changed. */
  usage: 2,
  /** The run stopped early, and the next run continues from there. */
  stopped: 3,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** An error in the form in which a command reports it. */
export interface Failure {
  exitCode: ExitCode;
  /** A stable word in snake_case. */
  code: string;
  /** The human-readable message. */
  message: string;
  details: Readonly<Record<string, unknown>>;
}

/** The code of unexpected errors. */
const UNEXPECTED = 'unexpected_error';

/** Turns a thrown error into an exit code and a message. No other code does this. */
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
 * Returns an error's exit code. A temporary problem is a stop and not a failure, because the next attempt continues
 * from there. A lost lease is also a stop, because the process that now has the lease continues.
 */
function toExitCode(error: DonorSyncError): ExitCode {
  if (isConfigurationError(error)) return EXIT_CODES.usage;
  const isStop = isRetriableError(error) || error.code === 'lease_lost';
  return isStop ? EXIT_CODES.stopped : EXIT_CODES.unexpected;
}

/** Describes a usage error. Commander also throws for `--help` and `--version`, with the exit code 0. */
function describeUsage(error: CommanderError): Failure {
  const exitCode = error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
  const message = error.message.replace(/^error: /, '');
  return { exitCode, code: 'usage', message, details: {} };
}

/**
 * Colours for text on a terminal. Without colours, each function returns its text unchanged. Coloured text is only
 * written through `forTerminal`, which distinguishes our colours from colours in text from elsewhere.
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

/** Our colour sequences contain these numbers, which text from elsewhere cannot guess. */
const OURS = [randomInt(1_000, 10_000), randomInt(1_000, 10_000)].join(';');
const OUR_SEQUENCE = new RegExp(`\\u001b\\[(\\d+);${OURS}m`);

/** Returns the text for a stream, with our colours as terminal sequences and without other control sequences. */
export function forTerminal(text: string): string {
  const parts = text.split(OUR_SEQUENCE);
  return parts.map((part, at) => (at % 2 === 0 ? plainText(part) : `\u001b[${part}m`)).join('');
}

function painter(format: Format, hasColor: boolean): (text: string) => string {
  if (!hasColor) return (text) => text;
  // The decision has already been made, so Node must not check the process's own streams again.
  const [begin = '', end = ''] = styleText(format, '|', { validateStream: false })
    .replaceAll('m', `;${OURS}m`)
    .split('|');
  return (text) => begin + text + end;
}

/** Creates the error for an invalid option or answer. */
export function usageError(message: string): ConfigurationError {
  return new ConfigurationError(message, { code: 'usage' });
}
