/** Counts the changes that runs made to networks, for the runs' reports. */

import type { RunTransaction } from '../../database/leases.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import type { Trx } from '../../database/tables/tables.ts';

/** A run's changes to one network, as the report contains them (design, section 4.3). */
export interface NetworkCounts {
  name: string;
  added: number;
  removed: number;
  /** The number of members that were there before the run and still are. */
  kept: number;
  failed: number;
}

/** Starts a run's counts for its networks, in the order of the settings. */
export async function beginNetworkCounts(
  trx: RunTransaction,
  runId: string,
  networks: readonly { id: string; name: string }[],
): Promise<void> {
  for (const [place, { id, name }] of networks.entries()) {
    await trx
      .insertInto('network_counts')
      .values({ run_id: runId, network: id, place, name, added: 0, removed: 0, failed: 0 })
      .onConflict((c) => c.doNothing())
      .execute();
  }
}

/** Returns the changes that a run has made to each network so far, in the order of the settings. */
export async function listNetworkCounts(reader: Reader, runId: string): Promise<NetworkCounts[]> {
  const { rows } = await selectCounts(reader, { runId });
  return rows.map(({ name, added, removed, failed, members }) => ({
    name,
    added,
    removed,
    kept: Math.max(0, Number(members) - added),
    failed,
  }));
}

const selectCounts = preparedRead((db, { runId }: Slots<{ runId: string }>) =>
  db
    .selectFrom('network_counts')
    .select((eb) => [
      'name',
      'added',
      'removed',
      'failed',
      eb
        .selectFrom('network_members')
        .select((inner) => inner.fn.countAll().as('count'))
        .whereRef('network_members.network', '=', 'network_counts.network')
        .where('state', '=', 'member')
        .as('members'),
    ])
    .where('run_id', '=', runId)
    .orderBy('place')
    .compile(),
);

/** Increases a run's counts for a network. Does nothing if the run does not count this network. */
export async function addCounts(
  trx: Trx,
  { runId, network }: { runId: string; network: string },
  { added = 0, removed = 0, failed = 0 }: { added?: number; removed?: number; failed?: number },
): Promise<void> {
  await trx
    .updateTable('network_counts')
    .set((eb) => ({
      added: eb('added', '+', added),
      removed: eb('removed', '+', removed),
      failed: eb('failed', '+', failed),
    }))
    .where('run_id', '=', runId)
    .where('network', '=', network)
    .execute();
}
