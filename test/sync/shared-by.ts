import type { RunReport } from '../../src/core/run.ts';
import { findRunById } from '../../src/sync/statements/runs.ts';
import type { SyncWorld } from '../helpers/sync-world.ts';

/**
 * Returns the number of contacts in a run that shared a different contact's job. The sandbox contains some people
 * twice.
 */
export async function sharedBy(
  { store }: Pick<SyncWorld, 'store'>,
  { id }: RunReport,
): Promise<number> {
  const run = await findRunById(store.reader, id);
  if (!run) throw new Error(`The run ${id} is not in the store`);
  return run.sharedCount;
}
