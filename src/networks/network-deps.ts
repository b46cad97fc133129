/** The dependencies of mirroring, and the part of the run that it needs. */
import type { Run, SyncDeps } from '../sync/control/context.ts';

export type NetworkDeps = Omit<SyncDeps, 'sealer'>;

export type NetworkRun = Pick<
  Run,
  | 'id'
  | 'lease'
  | 'integration'
  | 'partnerKey'
  | 'forgotten'
  | 'erased'
  | 'groupMembers'
  | 'only'
  | 'control'
>;
