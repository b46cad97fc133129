import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Sealer } from './sealed.ts';
import type { Tables } from './tables.ts';

/** A column of sealed text (or null), and the primary key of its table. */
export interface SealedColumn {
  table: string;
  key: readonly [string, ...string[]];
  column: string;
}

/** Every column that holds sealed text; `test/store/reseal.test.ts` rotates them all. */
export const SEALED_COLUMNS = [
  { table: 'secrets', key: ['name'], column: 'value' },
  { table: 'integrations', key: ['id'], column: 'settings' },
  { table: 'writes', key: ['id'], column: 'before' },
  { table: 'hooks', key: ['integration_id'], column: 'secret' },
  { table: 'consents', key: ['state_hash'], column: 'verifier' },
  { table: 'foreign_texts', key: ['id'], column: 'sealed' },
] as const satisfies readonly (SealedColumn & { table: keyof Tables })[];

const PAGE_ROWS = 500;

type Row = Readonly<Record<string, unknown>>;

/**
 * The second half of a rotation: seals with the current key what an older one sealed, and returns
 * how many values that were. Afterwards the older keys can be dropped. Safe beside a running
 * program, and safe to kill and start again: a value is replaced only while it is still the one
 * that was opened, and what is done is not done again.
 */
export async function resealAll<Db>(
  db: Kysely<Db>,
  sealer: Sealer,
  columns: readonly SealedColumn[] = SEALED_COLUMNS,
): Promise<number> {
  let resealed = 0;
  for (const column of columns) resealed += await resealColumn(db, sealer, column);
  return resealed;
}

async function resealColumn<Db>(
  db: Kysely<Db>,
  sealer: Sealer,
  column: SealedColumn,
): Promise<number> {
  let resealed = 0;
  let page = await readPage(db, column, null);
  // Each page begins behind the last key of the one before, so the table's end is reached.
  while (page.length > 0) {
    const outdated = page.filter((row) => !sealer.isCurrent(sealedValue(row, column)));
    resealed += await db.transaction().execute((trx) => resealRows(trx, sealer, column, outdated));
    page = await readPage(db, column, page.at(-1) ?? null);
  }
  return resealed;
}

async function readPage<Db>(
  db: Kysely<Db>,
  { table, key, column }: SealedColumn,
  after: Row | null,
): Promise<Row[]> {
  const keyColumns = sql.join(key.map((name) => sql.ref(name)));
  const behind = after ? sql`and (${keyColumns}) > (${keyValues(after, key)})` : sql``;
  const page = await sql<Row>`
    select ${keyColumns}, ${sql.ref(column)} from ${sql.table(table)}
    where ${sql.ref(column)} is not null ${behind}
    order by ${keyColumns} limit ${sql.lit(PAGE_ROWS)}`.execute(db);
  return page.rows;
}

async function resealRows<Db>(
  trx: Transaction<Db>,
  sealer: Sealer,
  column: SealedColumn,
  rows: readonly Row[],
): Promise<number> {
  let resealed = 0;
  for (const row of rows) {
    const sealed = sealedValue(row, column);
    const name = sql.ref(column.column);
    const { numAffectedRows } = await sql`
      update ${sql.table(column.table)} set ${name} = ${sealer.seal(sealer.open(sealed))}
      where (${sql.join(column.key.map((key) => sql.ref(key)))}) = (${keyValues(row, column.key)})
        and ${name} = ${sealed}`.execute(trx);
    resealed += Number(numAffectedRows ?? 0n);
  }
  return resealed;
}

function keyValues(row: Row, key: readonly string[]): RawBuilder<unknown> {
  return sql.join(key.map((name) => row[name]));
}

function sealedValue(row: Row, { column }: SealedColumn): string {
  return String(row[column]);
}
