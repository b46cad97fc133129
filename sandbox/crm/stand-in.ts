/**
 * The data that `donor-sync sandbox` needs about a CRM's stand-in: its options and its start. It is plain data, so that the
 * help of a command does not load a stand-in.
 */
import type { CrmSandboxOptions } from './options.ts';

/** A stand-in for a CRM, in the form in which `sandbox/stand-ins.ts` registers it. */
export interface CrmStandIn {
  /** The same as `crm.kind` of the settings, and the name of the command. */
  kind: string;
  /** The thing that the command serves: `a HubSpot account`. */
  serves: string;
  /** The text below the help, with examples and the controls at its root. */
  examples: string;
  /** The options in addition to those of every CRM's stand-in, in the order of the help. */
  options: readonly StandInOption[];
  /** The token whose lifetime users can set, and its usual lifetime in milliseconds. Omitted if there is none. */
  token?: { noun: string; lifetimeMs: number };
  /**
   * Starts it. `own` has the given values of its `options`, by their names. Resolves when it accepts requests.
   */
  start(options: CrmSandboxOptions, own: Readonly<Record<string, unknown>>): Promise<CrmServing>;
}

export interface StandInOption {
  /** The name that `start` receives. */
  name: string;
  /** As in the help: `--search-lag <ms>`. */
  flags: string;
  description: string;
  /**
   * The form of the value: a whole number from 0, a delay or the time of a job in milliseconds, or true if the option is
   * given. A list contains the possible words, the default first.
   */
  value: 'count' | 'latency' | 'jobTime' | 'given' | readonly [string, ...string[]];
}

/** A running stand-in. */
export interface CrmServing {
  /** Everything that signs in, in the order in which the command prints it. */
  line: Readonly<Record<string, string | number>> & { baseUrl: string };
  close(): Promise<void>;
}
