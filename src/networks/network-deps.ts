/** The dependencies of the network stages, and the parts of a run that they need. */
import type { Reader } from '../database/reader.ts';
import type { Store } from '../store.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';

/** The dependencies for reading the stored networks. */
export interface MirrorReader {
  store: { reader: Reader; fingerprint: Store['fingerprint'] };
}

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
  | 'mirroredAll'
  | 'only'
  | 'control'
>;
