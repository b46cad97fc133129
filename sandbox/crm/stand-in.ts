/**
 * Describes a CRM's stand-in for the command `donor-sync sandbox`: its options and the function that starts it. The
 * description contains only data, so the command's help does not load a stand-in.
 */
import type { CrmSandboxOptions } from './options.ts';

/** A stand-in for a CRM. The file `sandbox/stand-ins.ts` lists all stand-ins. */
export interface CrmStandIn {
  /** The value of `crm.kind` in the settings, which is also the name of the subcommand. */
  kind: string;
  /** A noun phrase that describes the stand-in, for example `a HubSpot account`. */
  serves: string;
  /** The text below the command's help, with examples and a list of the stand-in's controls. */
  examples: string;
  /** The options that only this CRM's stand-in has, in the order of the help. */
  options: readonly StandInOption[];
  /**
   * The token whose lifetime users can set, and its default lifetime (ms). The token is omitted if users cannot set any
   * token's lifetime.
   */
  token?: { noun: string; lifetimeMs: number };
  /**
   * Starts the stand-in. `own` contains the values of `options` by name. The promise resolves when the stand-in accepts
   * requests.
   */
  start(options: CrmSandboxOptions, own: Readonly<Record<string, unknown>>): Promise<CrmServing>;
}

export interface StandInOption {
  /** The option's name in the values that `start` receives. */
  name: string;
  /** The option's flags in the command's help, for example `--search-lag <ms>`. */
  flags: string;
  description: string;
  /**
   * The kind of value. The kinds are a non-negative integer, a delay (ms), the duration of a job (ms) and a flag. A
   * list contains the allowed words, with the default first.
   */
  value: 'count' | 'latency' | 'jobTime' | 'given' | readonly [string, ...string[]];
}

/** A running stand-in. */
export interface CrmServing {
  /** The addresses and credentials of the stand-in, in the order in which the command prints them. */
  line: Readonly<Record<string, string | number>> & { baseUrl: string };
  close(): Promise<void>;
}
