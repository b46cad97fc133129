/** Reads all stored data about an integration. A nonprofit can export its data when it stops using donor-sync. */
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../database/reader.ts';
import { CATALOGUE } from '../../database/tables/catalogue.ts';
import type { Table } from '../../database/tables/table.ts';

/** A value in the export. Times are in epoch ms. */
export type HeldValue = string | number | null;

/** Rows from one table. Each row has its values in the order of the columns. */
export interface HeldTable {
  name: string;
  columns: readonly string[];
  pages: AsyncIterable<HeldValue[][]>;
}

/** The rows and columns that are exported, and a key that is unique for each row. */
interface Taken {
  from: RawBuilder<unknown>;
  columns: readonly string[];
  key: readonly string[];
  /** A column that must not be null in exported rows. If this is null, all rows are exported. */
  onlyWith: string | null;
}

const ROWS_PER_PAGE = 5_000;

/** The encrypted values that the CRM contained before each write. */
const WRITES: Taken = {
  from: sql`writes`,
  columns: ['id', 'run_id', 'crm_id', 'written_at', 'before', 'after'],
  key: ['id'],
  onlyWith: null,
};

/**
 * Returns all tables with the integration's rows, sorted by key, and the integration's writes with their encrypted
 * values.
 */
export function readEverything(reader: Reader, integrationId: string) {
  const tables = Object.entries<Table>(CATALOGUE).flatMap(([table, declared]): HeldTable[] => {
    const { exported, key } = declared.answers;
    if ('not' in exported) return [];
    const { as: name, columns, sortedBy, onlyWith } = exported;
    const from = selectRows(table, declared);
    const ownKey = sortedBy ?? key.filter((column) => column !== 'integration_id');
    const taken = { from, columns, key: ownKey, onlyWith: onlyWith ?? null };
    return [{ name, columns, pages: readPages(taken) }];
  });
  return { tables, writes: readPages(WRITES) };

  async function* readPages({
    from,
    columns,
    key,
    onlyWith,
  }: Taken): AsyncGenerator<HeldValue[][]> {
    const keys = sql.join(key.map((column) => sql.ref(column)));
    const names = sql.join(columns.map((column) => sql.ref(column)));
    const isTaken = onlyWith === null ? sql`1 = 1` : sql`${sql.ref(onlyWith)} is not null`;
    let after: RawBuilder<unknown> = sql`1 = 1`;
    for (;;) {
      const { rows } = await sql<Record<string, HeldValue>>`
        select ${names} from ${from} where integration_id = ${integrationId} and ${isTaken} and ${after}
        order by ${keys} limit ${ROWS_PER_PAGE}`.execute(reader);
      if (rows.length > 0) yield rows.map((row) => columns.map((column) => row[column] ?? null));
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_PER_PAGE) return;
      after = sql`(${keys}) > (${sql.join(key.map((column) => last[column]))})`;
    }
  }
}

/** Selects a table's rows of an integration. A row's integration is in its own column, in its run or in its network. */
function selectRows(table: string, { columns }: Table): RawBuilder<unknown> {
  const rows = sql.table(table);
  if ('integration_id' in columns) return rows;
  return 'run_id' in columns
    ? sql`(select ${rows}.*, integration_id from ${rows} join runs on runs.id = run_id) as held`
    : sql`(select ${rows}.*, integration_id from ${rows} join networks on networks.id = network) as held`;
}
