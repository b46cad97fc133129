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

/** The same number for all sandboxes, so their people are the same. */
const DEFAULT_DONORS = 10_000;

/** The behaviour of a sandbox. Every option has a default. */
export interface SandboxOptions extends LatencyOptions {
  /** By default, this is 0, which uses any free port. */
  port?: number;
  /** Defaults to 127.0.0.1. */
  host?: string;
  /** The same seed creates the same people and the same first credentials. Defaults to 1. */
  seed?: number;
  /** The number of fictional donors in the world. Defaults to 10,000. */
  donors?: number;
  /** A file for the database. If it is omitted, all data is lost at the end. */
  db?: string;
  /** Fault rules as read from JSON. Invalid rules are an error. */
  faults?: unknown;
  /** People to use instead of the seed's people. */
  world?: World;
  /** Milliseconds since 1970. */
  clock?: () => number;
  /** Returns a number from 0 up to 1, for all random events. */
  random?: () => number;
  /** Receives unexpected errors. They go to standard error by default. */
  report?: (error: Error) => void;
}

export interface SandboxParts<Fault> {
  clock: () => number;
  random: () => number;
  report: (error: Error) => void;
  world: World;
  faults: Faults<Fault>;
  /** The travel time of the next request. */
  drawLatency: DrawLatency;
  wait: Wait;
}

/** The functions that a sandbox has to provide for its faults. */
export type FaultKinds<Fault> = Pick<FaultsOptions<Fault>, 'rulesSchema' | 'basePath'>;

/** Missing options have defaults. */
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

/** Returns the invented people that the options describe. */
export function worldPlanOf({ seed = 1, donors = DEFAULT_DONORS }: SandboxOptions) {
  return { seed, donors };
}
