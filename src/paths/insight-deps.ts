/** The dependencies for warm paths, and the parts of the run that are needed. */
import type { Run, SyncDeps } from '../sync/control/context.ts';

export type InsightDeps = Omit<SyncDeps, 'takeLease'>;

export type InsightRun = Pick<
  Run,
  | 'id'
  | 'lease'
  | 'integration'
  | 'partnerKey'
  | 'mappings'
  | 'fields'
  | 'forgotten'
  | 'erased'
  | 'only'
  | 'control'
>;
