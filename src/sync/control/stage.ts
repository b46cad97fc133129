import type { Run, SyncDeps } from './context.ts';

/**
 * Work of a run beside the way of its contacts. It finds in the store what an earlier run has left
 * undone, and looks at `run.control` between its steps. What it throws stops the run.
 */
export type Stage = (deps: SyncDeps, run: Run) => Promise<void>;

/** What is done before contacts are read, and what once all of them are delivered, in order. */
export interface Stages {
  before: readonly Stage[];
  after: readonly Stage[];
}

export const NO_STAGES: Stages = { before: [], after: [] };
