/**
 * The methods of the log that donor-sync uses. pino has the same methods. donor-sync never logs names, amounts of
 * wealth or keys.
 */
export interface Log {
  debug(facts: LogFacts, message: string): void;
  info(facts: LogFacts, message: string): void;
  warn(facts: LogFacts, message: string): void;
  error(facts: LogFacts, message: string): void;
}

export type LogFacts = Readonly<Record<string, unknown>>;

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
