import { ConfigurationError } from '../core/errors.ts';
import { didYouMean } from '../core/near-miss.ts';

/** The environment as Node gives it. */
export type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** How much the log says. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What the environment says besides the settings file and its variables. */
export interface RuntimeOptions {
  /** DONOR_SYNC_SECRET_KEY: the key that secrets at rest are encrypted with; null if unset. */
  secretKey: string | null;
  /** DONOR_SYNC_LOG_LEVEL; unset: `warn` on a terminal, where progress is shown, else `info`. */
  logLevel: LogLevel;
}

/** Throws a ConfigurationError if a variable has a value that means nothing. */
export function readRuntimeOptions(env: Environment, isTerminal: boolean): RuntimeOptions {
  const word = env['DONOR_SYNC_LOG_LEVEL'] || (isTerminal ? 'warn' : 'info');
  const logLevel = LOG_LEVELS.find((level) => level === word.toLowerCase());
  if (logLevel === undefined) {
    const hint = didYouMean(word, LOG_LEVELS);
    const expected = `expected one of ${LOG_LEVELS.join(', ')}`;
    throw new ConfigurationError(`DONOR_SYNC_LOG_LEVEL is "${word}": ${expected}${hint}`, {
      code: 'environment_invalid',
      details: { variable: 'DONOR_SYNC_LOG_LEVEL' },
    });
  }
  return { secretKey: env['DONOR_SYNC_SECRET_KEY'] || null, logLevel };
}

/** What the operator's environment says of the set-up in a browser, besides the settings file. */
export interface SetupEnvironment {
  /** The base URL of the service that is offered; null for none. */
  serviceUrl: string | null;
  /** Hosts inside the network that a browser may set all the same. */
  hosts: readonly string[];
}

/** Stand-ins and services of the operator's own network: PARTNER_BASE_URL and DONOR_SYNC_SETUP_HOSTS. */
export function readSetupEnvironment(env: Environment): SetupEnvironment {
  const hosts = (env['DONOR_SYNC_SETUP_HOSTS'] ?? '').split(',').map((host) => host.trim());
  return {
    serviceUrl: env['PARTNER_BASE_URL'] || null,
    hosts: hosts.filter((host) => host !== ''),
  };
}

/** True on a terminal that can show colours, unless NO_COLOR asks for none (no-color.org). */
export function wantsColor(stream: { isTTY?: boolean }, env: Environment): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** True if the log should show where in the program an unexpected error came from. */
export function wantsStack(env: Environment): boolean {
  return env['DONOR_SYNC_LOG_LEVEL'] === 'debug';
}
