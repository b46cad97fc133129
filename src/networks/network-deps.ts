/** What mirroring needs of the world and of the run it is part of. */
import type { Reader } from '../database/reader.ts';
import type { Store } from '../store.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';

/** What reading the mirror needs. */
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
  | 'only'
  | 'control'
>;
