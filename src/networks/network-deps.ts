/** What mirroring needs of the world and of the run it is part of. */
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
