/** Fills all tables of a store with values. The values match the store's schema. */
import { sql } from 'kysely';
import type { Database } from '../../src/database/tables/tables.ts';

/** The number of rows in each table. The number is larger than a page. */
export const ROWS = 603;

const CHUNK = 200;

/** Tables that belong to a single database. They are not moved to another database. */
const STAYS = /^(moves|donor_sync_.*)$/;

export async function tablesOf(db: Database): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables
    .filter(({ name, schema }) => !STAYS.test(name) && (schema ?? 'public') === 'public')
    .map(({ name }) => name)
    .sort();
}

/** Returns all rows of a table as JSON, sorted. */
export async function rowsOf(db: Database, table: string): Promise<string[]> {
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(
    db,
  );
  return rows
    .map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))))
    .sort();
}

/** Columns in which only one row may have a value, because of a constraint. */
const EXCLUSIVE: Readonly<Record<string, readonly string[]>> = {
  questions: ['crm_id', 'network'],
};

/**
 * Fills every table of a SQLite file. The values include foreign scripts, line breaks and large numbers. If a column
 * allows nulls, some rows contain null.
 */
export async function fillTables(db: Database, rows = ROWS): Promise<void> {
  for (const { name, columns } of await db.introspection.getTables()) {
    if (STAYS.test(name)) continue;
    const { rows: keys } = await sql<{ name: string }>`
      select name from pragma_table_info(${name}) where pk > 0`.execute(db);
    for (let from = 0; from < rows; from += CHUNK) {
      const values = Array.from({ length: Math.min(CHUNK, rows - from) }, (_, index) => {
        const row = from + index;
        const exclusive = EXCLUSIVE[name] ?? [];
        const cells = columns.map(({ name: column, dataType, isNullable }) =>
          exclusive.includes(column) && exclusive[row % exclusive.length] !== column
            ? null
            : cellOf(
                column,
                dataType.toLowerCase(),
                isNullable && !keys.some((key) => key.name === column),
                row,
              ),
        );
        return sql`(${sql.join(cells)})`;
      });
      const names = sql.join(columns.map((column) => sql.ref(column.name)));
      await sql`insert into ${sql.table(name)} (${names}) values ${sql.join(values)}`.execute(db);
    }
  }
}

function cellOf(column: string, type: string, isNullable: boolean, row: number) {
  if (isNullable && row % 3 === 0) return null;
  if (type === 'bigint') return 1_700_000_000_000_000 + row;
  if (type === 'integer') return 1_000 + row;
  return `${column} “ö” \\ '\n😀 ${row}`;
}
