import { pino } from 'pino';
import { z } from 'zod';
import type { Log } from '../../../core/log.ts';
import { plainJson, plainLine } from '../../../core/printable.ts';
import type { LogLevel } from '../../../settings/environment.ts';
import { createStyle, forTerminal, type Style, type TextStream } from './output.ts';

/** The output of log lines, which is JSON in a pipe and readable text in a terminal. */
export interface LogStream {
  write(line: string): void;
  /** Lets other output clear its lines before each log line is written. The returned function ends this. */
  stepAside(interrupt: (write: () => void) => void): () => void;
}

/**
 * Properties that could contain a secret or a request body if they were logged by mistake. The log removes the values
 * of these properties.
 */
const REDACTED = [
  'apiKey',
  'token',
  'accessToken',
  'refreshToken',
  'clientSecret',
  'privateKey',
  'password',
  'authorization',
  'headers',
  'body',
];

/** Creates the log. The log contains no secrets and no data about the machine. */
export function createLog(level: LogLevel, stream: LogStream): Log {
  const paths = REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  return pino({ level, base: null, redact: { paths, censor: '[redacted]' } }, stream);
}

/** `hasColor` applies to text on a terminal. */
export function createLogStream(stderr: TextStream, hasColor: boolean): LogStream {
  const direct = (write: () => void) => write();
  let through = direct;
  return {
    write(line) {
      const text = stderr.isTTY ? forTerminal(readableLine(line, hasColor)) : plainJson(line);
      through(() => {
        stderr.write(text);
      });
    },
    stepAside(interrupt) {
      through = interrupt;
      return () => {
        through = direct;
      };
    },
  };
}

const lineSchema = z.looseObject({ level: z.number(), time: z.number(), msg: z.string() });

/** Formats a log line for users, for example `warning: partner call is tried again (attempt=1, waitMs=2000)`. */
function readableLine(line: string, hasColor: boolean): string {
  const { level, time: _time, msg, ...facts } = lineSchema.parse(JSON.parse(line));
  const style = createStyle(hasColor);
  const said = Object.entries(facts).map(([name, value]) => `${name}=${plainLine(toWord(value))}`);
  const more = said.length === 0 ? '' : ` ${style.faint(`(${said.join(', ')})`)}`;
  return `${levelWord(level, style)} ${plainLine(msg)}${more}\n`;
}

function toWord(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The numbers that pino writes for its levels. */
const LEVELS = { info: 30, warn: 40, error: 50 } as const;

function levelWord(level: number, style: Style): string {
  if (level >= LEVELS.error) return style.bad('error:');
  if (level >= LEVELS.warn) return style.warn('warning:');
  return style.faint(level >= LEVELS.info ? 'info:' : 'debug:');
}
