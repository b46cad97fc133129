import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { placeOfRow, SEALED_COLUMNS, type SealedColumn } from './seal-contexts.ts';
import { NOTHING_SEALED, type Sealer } from './sealed.ts';

const PAGE_ROWS = 500;

type Row = Readonly<Record<string, unknown>>;

/**
 * Encrypts all values of older keys again with the current key. After that, the older keys can be removed. Can run
 * while donor-sync is in use, and can be interrupted. Replaces a value only if it has not changed since it was read.
 */
export async function resealAll<Db>(
  db: Kysely<Db>,
  sealer: Sealer,
  columns: readonly SealedColumn[] = SEALED_COLUMNS,
): Promise<number> {
  let resealed = 0;
  for (const column of columns) {
    resealed += await resealColumn(db, sealer, column);
  }
  return resealed;
}

/**
 * Encrypts the values of one column again. Each page of rows has its own transaction. Returns the number of new values.
 */
async function resealColumn<Db>(
  db: Kysely<Db>,
  sealer: Sealer,
  column: SealedColumn,
): Promise<number> {
  let resealed = 0;
  let page = await readPage(db, column, null);
  // Each page starts after the last key of the previous page, so the loop reaches the end of the table.
  while (page.length > 0) {
    const due = page.filter((row) => !sealer.isCurrent(sealedValue(row, column)));
    if (due.length > 0) {
      resealed += await db.transaction().execute((trx) => replaceRows(trx, sealer, column, due));
    }
    page = await readPage(db, column, page.at(-1) ?? null);
  }
  return resealed;
}

async function readPage<Db>(
  db: Kysely<Db>,
  { table, key, boundTo, column }: SealedColumn,
  after: Row | null,
): Promise<Row[]> {
  const keyColumns = sql.join(key.map((name) => sql.ref(name)));
  const needed = sql.join([...new Set([...key, ...boundTo])].map((name) => sql.ref(name)));
  const behind = after ? sql`and (${keyColumns}) > (${keyValues(after, key)})` : sql``;
  const page = await sql<Row>`
    select ${needed}, ${sql.ref(column)} from ${sql.table(table)}
    where ${sql.ref(column)} not in ('', ${NOTHING_SEALED}) ${behind}
    order by ${keyColumns} limit ${sql.lit(PAGE_ROWS)}`.execute(db);
  return page.rows;
}

async function replaceRows<Db>(
  trx: Transaction<Db>,
  sealer: Sealer,
  column: SealedColumn,
  rows: readonly Row[],
): Promise<number> {
  let replaced = 0;
  for (const row of rows) {
    const sealed = sealedValue(row, column);
    const place = placeOfRow(column, row);
    const replacement = sealer.seal(sealer.open(sealed, place), place);
    const name = sql.ref(column.column);
    const { numAffectedRows } = await sql`
      update ${sql.table(column.table)} set ${name} = ${replacement}
      where (${sql.join(column.key.map((key) => sql.ref(key)))}) = (${keyValues(row, column.key)})
        and ${name} = ${sealed}`.execute(trx);
    replaced += Number(numAffectedRows ?? 0n);
  }
  return replaced;
}

function keyValues(row: Row, key: readonly string[]): RawBuilder<unknown> {
  return sql.join(key.map((name) => row[name]));
}

function sealedValue(row: Row, { column }: SealedColumn): string {
  return String(row[column]);
}
