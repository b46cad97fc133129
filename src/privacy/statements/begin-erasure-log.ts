/** Writes the lines that the erasure log receives when a process opens the database. */
import type { Store } from '../../database/store.ts';
import { isSeenDue, type WithErasureLog } from './erasure-log.ts';
import { parseDonors } from './mentions.ts';

type OpenedStore = Pick<Store, 'reader'> & WithErasureLog;

/** Starts an erasure log. The first lines of the log are the erasures that happened before the log existed. */
export async function beginErasureLog({ reader, erasures }: OpenedStore): Promise<void> {
  if (await erasures.isBegun()) return;
  const rows = await reader.selectFrom('forgotten').selectAll().orderBy('forgotten_at').execute();
  await erasures.begin(
    rows.flatMap(({ state, ...row }) =>
      state === 'merged'
        ? []
        : {
            what: state,
            at: row.forgotten_at,
            integration: row.integration_id,
            contact: row.crm_id_fingerprint,
            person: row.person === null ? null : JSON.parse(row.person),
            everywhere: row.everywhere === 1,
            donors: parseDonors(row.donors),
          },
    ),
  );
}

/** Records in the erasure log that a process uses this database. If a log has no such line, the log is an old copy. */
export async function noteDatabaseSeen({ reader, erasures }: OpenedStore): Promise<void> {
  const now = reader.clock.now();
  if (!isSeenDue(await erasures.read(), now)) return;
  await erasures.append({ what: 'seen', at: now });
}
