import { type Environment, wantsColor, wantsStack } from '../../config/environment.ts';
import { plainJson } from '../../core/printable.ts';
import { describeFailure, type ExitCode, UNEXPECTED } from './exit-codes.ts';
import { createStyle, forTerminal, type Style } from './style.ts';
import { type Column, formatTable } from './table.ts';

/** A stream to write to, as far as it matters here; `process.stdout` is one. */
export interface TextStream {
  write(text: string): unknown;
  isTTY?: boolean;
  /** The width of the terminal in characters. */
  columns?: number;
}

/**
 * What every command writes through. For people: text on stdout. With `--json`: exactly one JSON
 * document on stdout and nothing else there. Remarks and errors go to stderr in both cases.
 */
export interface Output {
  readonly isJson: boolean;
  /** True if stdout is a terminal, where a person looks at what is written, and nothing keeps it. */
  readonly isTerminal: boolean;
  /** Colours for stdout. */
  readonly style: Style;
  /** A line (or lines) for a person; silent with `--json`. */
  print(text?: string): void;
  /** A table for a person, fitted to the terminal; silent with `--json`. */
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void;
  /** The command's answer: the one document, or what `render` shows a person. Once a command. */
  finish<Document>(document: Document, render: (document: Document) => void): void;
  /** A remark on stderr, in both cases. */
  note(text: string): void;
  /**
   * Reports anything thrown: words on stderr and, with `--json`, `{ "error": { code, message,
   * details? } }` as the one document, unless the answer is out already.
   */
  fail(error: unknown): ExitCode;
}

export interface OutputOptions {
  stdout: TextStream;
  stderr: TextStream;
  env: Environment;
  isJson: boolean;
}

/** Makes the output of one command. */
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
    if (isFinished) throw new Error('a command gives one answer');
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

/** Characters of a terminal that does not tell its width. */
const FALLBACK_WIDTH = 80;
