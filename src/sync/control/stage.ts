import type { Run, SyncDeps } from './context.ts';

/**
 * Work that a run does in addition to the stations. It finds in the store what an earlier run left
 * unfinished, and checks `run.control` between its steps. An error that it throws stops the run.
 */
export type Stage = (deps: SyncDeps, run: Run) => Promise<void>;

/**
 * The stages before contacts are read, and the stages after all of them are delivered, in order.
 */
export interface Stages {
  before: readonly Stage[];
  after: readonly Stage[];
}

export const NO_STAGES: Stages = { before: [], after: [] };
