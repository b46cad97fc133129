import { ConfigurationError } from '../core/errors.ts';
import { didYouMean } from '../core/near-miss.ts';

/** The environment variables, as Node provides them. */
export type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** The level of detail of the log. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The options from environment variables. These options do not belong to the settings file. */
export interface RuntimeOptions {
  /** The value of DONOR_SYNC_SECRET_KEY, or null if it is not set. */
  secretKey: string | null;
  /**
   * The value of DONOR_SYNC_LOG_LEVEL. If the variable is not set, the level is `warn` on a terminal, which shows
   * progress, and `info` otherwise.
   */
  logLevel: LogLevel;
}

/** Reads the options. Throws a ConfigurationError if a variable has an invalid value. */
export function readRuntimeOptions(env: Environment, isTerminal: boolean): RuntimeOptions {
  const word = env['DONOR_SYNC_LOG_LEVEL'] || (isTerminal ? 'warn' : 'info');
  const logLevel = LOG_LEVELS.find((level) => level === word.toLowerCase());
  if (logLevel === undefined) {
    const hint = didYouMean(word, LOG_LEVELS);
    const expected = `expected one of ${LOG_LEVELS.join(', ')}`;
    throw invalidVariable('DONOR_SYNC_LOG_LEVEL', `is "${word}": ${expected}${hint}`);
  }
  return { secretKey: env['DONOR_SYNC_SECRET_KEY'] || null, logLevel };
}

/** The operator's environment variables for set-ups in a browser. */
export interface SetupEnvironment {
  /** The base URL of the service that the set-up offers, or null if there is none. */
  serviceUrl: string | null;
  /** Hosts in the private network that users may enter in a browser. */
  hosts: readonly string[];
}

/**
 * Reads which sandboxes and services are in the operator's network, from PARTNER_BASE_URL and DONOR_SYNC_SETUP_HOSTS.
 */
export function readSetupEnvironment(env: Environment): SetupEnvironment {
  const hosts = (env['DONOR_SYNC_SETUP_HOSTS'] ?? '').split(',').map((host) => host.trim());
  return {
    serviceUrl: env['PARTNER_BASE_URL'] || null,
    hosts: hosts.filter((host) => host !== ''),
  };
}

/** Returns true on a terminal that can show colours, unless NO_COLOR is set (no-color.org). */
export function wantsColor(stream: { isTTY?: boolean }, env: Environment): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** True if the log should show where in the program an unexpected error occurred. */
export function wantsStack(env: Environment): boolean {
  return env['DONOR_SYNC_LOG_LEVEL'] === 'debug';
}

/** Creates the error for an unusable environment variable. `why` follows the variable's name in the message. */
export function invalidVariable(variable: string, why: string): ConfigurationError {
  return new ConfigurationError(`The environment variable ${variable} ${why}`, {
    code: 'environment_invalid',
    details: { variable },
  });
}
