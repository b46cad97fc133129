/**
 * The log as the product uses it; pino fits. Facts are ids, counts, states and durations: no
 * names, no wealth figures and no keys ever go into it.
 */
export interface Log {
  debug(facts: LogFacts, message: string): void;
  info(facts: LogFacts, message: string): void;
  warn(facts: LogFacts, message: string): void;
  error(facts: LogFacts, message: string): void;
}

export type LogFacts = Readonly<Record<string, unknown>>;

/** A log that says nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
