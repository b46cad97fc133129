import type { Command } from 'commander';
import type { z } from 'zod';

/** One of the commands below `sandbox`. */
export interface StandIn<Flags> {
  kind: 'partner' | 'salesforce' | 'hubspot';
  description: string;
  /** Stands below the help. */
  examples: string;
  addOptions(command: Command): Command;
  /** Reads the options. */
  flagsSchema: z.ZodType<Flags>;
  /** Starts the sandbox; files are named from the folder `cwd`. */
  start(flags: Flags, cwd: string): Promise<Serving>;
}

/** A sandbox that is serving, and what its one line on stdout says. */
export interface Serving {
  line: Readonly<Record<string, string | number>>;
  close(): Promise<void>;
}
