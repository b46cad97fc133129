import type { Run, SyncDeps } from './context.ts';

/**
 * Work that a run does in addition to reading, submitting, polling and delivering. It continues unfinished work that it
 * finds in the store, and checks `run.control` between its steps. If it throws an error, the run stops.
 */
export type Stage = (deps: SyncDeps, run: Run) => Promise<void>;

/**
 * The stages that run before contacts are read, and the stages that run after all contacts are delivered. Each list is
 * in order.
 */
export interface Stages {
  before: readonly Stage[];
  after: readonly Stage[];
}

export const NO_STAGES: Stages = { before: [], after: [] };
