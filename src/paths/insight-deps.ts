/** What warm paths need of the world and of the run they are part of. */
import type { Run, SyncDeps } from '../sync/control/context.ts';

export type InsightDeps = Omit<SyncDeps, 'takeLease'>;

export type InsightRun = Pick<
  Run,
  | 'id'
  | 'lease'
  | 'integration'
  | 'mappings'
  | 'fields'
  | 'forgotten'
  | 'erased'
  | 'only'
  | 'control'
>;
