/** What mirroring networks needs, and the parts of its run. */
import type { Reader } from '../database/reader.ts';
import type { Store } from '../store.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';

/** The dependencies of reading the mirror. */
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
