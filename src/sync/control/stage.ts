import type { Run, SyncDeps } from './context.ts';

/**
 * Additional work of a run, in addition to reading, submitting, polling and delivering. A stage continues unfinished
 * work that it finds in the database, and checks `run.control` between its steps. If a stage throws an error, the run
 * stops.
 */
export type Stage = (deps: SyncDeps, run: Run) => Promise<void>;

/** The stages before reading and the stages after the last delivery, each in order. */
export interface Stages {
  before: readonly Stage[];
  after: readonly Stage[];
}

export const NO_STAGES: Stages = { before: [], after: [] };
