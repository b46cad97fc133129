import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { placeOfRow, SEALED_COLUMNS, type SealedColumn } from './seal-places.ts';
import { isBound, type Sealer, type SealPlace } from './sealed.ts';

const PAGE_ROWS = 500;

type Row = Readonly<Record<string, unknown>>;

/**
 * The second half of a rotation: seals with the current key what an older one sealed, and returns
 * how many values that were. Afterwards the older keys can be dropped. Safe beside a running
 * program, and safe to kill and start again: a value is replaced only while it is still the one
 * that was opened, and what is done is not done again. Texts in the form of older versions stay as
 * they are: nothing believes them any more.
 */
export async function resealAll<Db>(
  db: Kysely<Db>,
  sealer: Sealer,
  columns: readonly SealedColumn[] = SEALED_COLUMNS,
): Promise<number> {
  let resealed = 0;
  for (const column of columns) {
    resealed += await sealAnew(db, column, {
      isDue: (sealed) => isBound(sealed) && !sealer.isCurrent(sealed),
      anew: (sealed, place) => sealer.seal(sealer.open(sealed, place), place),
    });
  }
  return resealed;
}

/** What is sealed anew, and how. */
export interface Resealing {
  isDue(sealed: string, place: SealPlace): boolean;
  /** Null if it is to stay as it is. */
  anew(sealed: string, place: SealPlace): string | null;
}

/** Goes through a column page by page, each in a transaction; returns how many were sealed anew. */
export async function sealAnew<Db>(
  db: Kysely<Db>,
  column: SealedColumn,
  resealing: Resealing,
): Promise<number> {
  let resealed = 0;
  let page = await readPage(db, column, null);
  // Each page begins behind the last key of the one before, so the table's end is reached.
  while (page.length > 0) {
    const due = page.filter((row) =>
      resealing.isDue(sealedValue(row, column), placeOfRow(column, row)),
    );
    if (due.length > 0) {
      resealed += await db.transaction().execute((trx) => replaceRows(trx, column, due, resealing));
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
    where ${sql.ref(column)} <> '' ${behind}
    order by ${keyColumns} limit ${sql.lit(PAGE_ROWS)}`.execute(db);
  return page.rows;
}

async function replaceRows<Db>(
  trx: Transaction<Db>,
  column: SealedColumn,
  rows: readonly Row[],
  { anew }: Resealing,
): Promise<number> {
  let replaced = 0;
  for (const row of rows) {
    const sealed = sealedValue(row, column);
    const replacement = anew(sealed, placeOfRow(column, row));
    if (replacement === null) continue;
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
