import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';

const AT_MOST = { submissions: 'persons', network_adds: 'donors' } as const;

type SpendingTable = keyof typeof AT_MOST;

/**
 * Returns the credits that an integration has spent since `since` (epoch ms). Rows with an unknown cost count in full.
 */
export async function spentSince(
  reader: Reader,
  table: SpendingTable,
  integrationId: string,
  since: number,
): Promise<number> {
  const row = await selectSpent(reader, table)
    .where('integration_id', '=', integrationId)
    .where('intended_at', '>=', since)
    .executeTakeFirst();
  return Number(row?.spent ?? 0);
}

export async function spentByRun(
  reader: Reader,
  table: SpendingTable,
  runId: string,
): Promise<number> {
  const { rows } = await spentBy[table](reader, { runId });
  return Number(rows[0]?.spent ?? 0);
}

const spentBy = {
  submissions: preparedFor('submissions'),
  network_adds: preparedFor('network_adds'),
};

function preparedFor(table: SpendingTable) {
  return preparedRead((db, { runId }: Slots<{ runId: string }>) =>
    selectSpent(db, table).where('run_id', '=', runId).compile(),
  );
}

function selectSpent(reader: Reader, table: SpendingTable) {
  return reader
    .selectFrom(table)
    .select(({ fn }) => fn.sum(fn.coalesce('charged', AT_MOST[table])).as('spent'));
}
