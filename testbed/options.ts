/** The options of every sandbox, and the parts that they create. */

import { createWorld, type World } from '../people/world.ts';
import { type Faults, type FaultsOptions, openFaults } from './fault-rules.ts';
import {
  createLatency,
  type DrawLatency,
  type LatencyOptions,
  type Wait,
  waitByTimer,
} from './latency.ts';
import { reportToStandardError } from './serving.ts';

/** The default number of donors. It is the same for all sandboxes, so they contain the same people. */
const DEFAULT_DONORS = 10_000;

/** The options of a sandbox. Every option has a default value. */
export interface SandboxOptions extends LatencyOptions {
  /** The port. The default is 0, which means any free port. */
  port?: number;
  /** The host. The default is 127.0.0.1. */
  host?: string;
  /** The same seed creates the same people and the same first credentials. The default is 1. */
  seed?: number;
  /** The number of fictional donors in the world. The default is 10,000. */
  donors?: number;
  /** The path of the database file. If the path is omitted, all data is lost when the sandbox ends. */
  db?: string;
  /** Fault rules as read from JSON. Invalid rules are an error. */
  faults?: unknown;
  /** People to use in the place of the people that the seed creates. */
  world?: World;
  /** Returns the current time in milliseconds since 1970. */
  clock?: () => number;
  /** Returns a random number from 0 up to 1. */
  random?: () => number;
  /** Receives unexpected errors. By default, errors are printed to standard error. */
  report?: (error: Error) => void;
}

export interface SandboxParts<Fault> {
  clock: () => number;
  random: () => number;
  report: (error: Error) => void;
  world: World;
  faults: Faults<Fault>;
  /** Returns the latency of the next request (ms). */
  drawLatency: DrawLatency;
  wait: Wait;
}

/** The functions for faults that each sandbox must provide. */
export type FaultKinds<Fault> = Pick<FaultsOptions<Fault>, 'rulesSchema' | 'basePath'>;

/** Creates the parts. If an option is missing, uses its default value. */
export function createParts<Fault>(
  options: SandboxOptions,
  faultKinds: FaultKinds<Fault>,
): SandboxParts<Fault> {
  const random = options.random ?? Math.random;
  return {
    clock: options.clock ?? Date.now,
    random,
    report: options.report ?? reportToStandardError,
    world: options.world ?? createWorld(worldPlanOf(options)),
    faults: openFaults({ ...faultKinds, rules: options.faults, random }),
    drawLatency: createLatency(options, random),
    wait: options.wait ?? waitByTimer,
  };
}

/** Returns the plan of the fictional people that the options describe. */
export function worldPlanOf({ seed = 1, donors = DEFAULT_DONORS }: SandboxOptions) {
  return { seed, donors };
}
