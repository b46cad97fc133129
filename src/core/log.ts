/**
 * The log, in the form that the product uses and that pino has. Facts are IDs, counts, states and durations. Names,
 * wealth figures and keys are never logged.
 */
export interface Log {
  debug(facts: LogFacts, message: string): void;
  info(facts: LogFacts, message: string): void;
  warn(facts: LogFacts, message: string): void;
  error(facts: LogFacts, message: string): void;
}

export type LogFacts = Readonly<Record<string, unknown>>;

/** A log that writes nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
