/**
 * What `donor-sync sandbox` needs to know about a CRM's stand-in: its options, and how to start it. It is plain data,
 * so showing the command's help does not load a stand-in.
 */
import type { CrmSandboxOptions } from './options.ts';

/** A stand-in for a CRM, in the form in which `sandbox/stand-ins.ts` registers it. */
export interface CrmStandIn {
  /** The value of `crm.kind` in the settings. It is also the command's name. */
  kind: string;
  /** What the command serves, for example `a HubSpot account`. */
  serves: string;
  /** The text below the command's help. It has examples and lists the controls at its root. */
  examples: string;
  /** The options that only this CRM's stand-in has. The help lists them in this order. */
  options: readonly StandInOption[];
  /** The token whose lifetime users can set, and its default lifetime (ms). Omitted if there is none. */
  token?: { noun: string; lifetimeMs: number };
  /** `own` contains the given values of `options`, by name. Resolves when it accepts requests. */
  start(options: CrmSandboxOptions, own: Readonly<Record<string, unknown>>): Promise<CrmServing>;
}

export interface StandInOption {
  /** The option's name in the values that `start` receives. */
  name: string;
  /** The option's flags in the command's help, for example `--search-lag <ms>`. */
  flags: string;
  description: string;
  /**
   * The kind of value. It is a non-negative integer, a delay or the duration of a job in milliseconds, or a flag. A
   * list contains the allowed words, with the default first.
   */
  value: 'count' | 'latency' | 'jobTime' | 'given' | readonly [string, ...string[]];
}

/** A running stand-in. */
export interface CrmServing {
  /** Addresses and credentials. The command prints them in this order. */
  line: Readonly<Record<string, string | number>> & { baseUrl: string };
  close(): Promise<void>;
}
