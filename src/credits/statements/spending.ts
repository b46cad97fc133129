import { prepared, type Slots } from '../../database/prepared.ts';
import type { Database, Trx } from '../../database/tables/tables.ts';

/** The tables whose rows cost credits, with the column that says how many at most. */
const AT_MOST = { submissions: 'persons', network_adds: 'donors' } as const;

type SpendingTable = keyof typeof AT_MOST;

/** Credits that an integration has spent since `since` (epoch ms); what is open counts in full. */
export async function spentSince(
  db: Database,
  table: SpendingTable,
  integrationId: string,
  since: number,
): Promise<number> {
  const row = await selectSpent(db, table)
    .where('integration_id', '=', integrationId)
    .where('intended_at', '>=', since)
    .executeTakeFirst();
  return Number(row?.spent ?? 0);
}

/** The same of one run. */
export async function spentByRun(
  db: Database,
  table: SpendingTable,
  runId: string,
): Promise<number> {
  const { rows } = await spentBy[table](db, { runId });
  return Number(rows[0]?.spent ?? 0);
}

const spentBy = {
  submissions: preparedFor('submissions'),
  network_adds: preparedFor('network_adds'),
};

function preparedFor(table: SpendingTable) {
  return prepared((db, { runId }: Slots<{ runId: string }>) =>
    selectSpent(db, table).where('run_id', '=', runId).compile(),
  );
}

function selectSpent(db: Database | Trx, table: SpendingTable) {
  return db
    .selectFrom(table)
    .select(({ fn }) => fn.sum(fn.coalesce('charged', AT_MOST[table])).as('spent'));
}
