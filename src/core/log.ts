/**
 * The methods of the log that the product uses. pino has the same methods. Names, wealth figures and keys are never
 * logged.
 */
export interface Log {
  debug(facts: LogFacts, message: string): void;
  info(facts: LogFacts, message: string): void;
  warn(facts: LogFacts, message: string): void;
  error(facts: LogFacts, message: string): void;
}

export type LogFacts = Readonly<Record<string, unknown>>;

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
