/**
 * Moves all data from an SQLite file into an empty Postgres database. The file is locked during the move, so the copy
 * is the same as the file. If the process is killed, the same command continues the move. The list of tables comes from
 * the file, so that no new table is forgotten.
 */
import { hash } from 'node:crypto';
import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { ConfigurationError, FatalError, isRetriableError } from '../core/errors.ts';
import { newId } from '../core/new-id.ts';
import type { OpenDatabase } from '../database/database.ts';
import { findGround } from '../database/ground.ts';
import { hasTable } from '../database/has-table.ts';
import { migrateTarget, migrateToLatest, requireUsable } from '../database/migrate.ts';
import { findMove, hasMoved } from '../database/store-moves.ts';
import type { Database, Tables, Trx } from '../database/tables/tables.ts';
import { again } from '../database/transact.ts';
import type { RecordEntry } from '../privacy/audit/record.ts';

export interface MovePlace extends Pick<OpenDatabase<Tables>, 'db' | 'requireInPlace'> {
  name: string;
}

export interface MovedTable {
  table: string;
  rows: number;
  digest: string;
}

/** The number of rows that are read or written together. */
const PAGE = 500;

/** The time for which the server may be unavailable while rows are written. */
const PATIENCE_MS = 60_000;

const DIGEST_BITS = 256;

/** Tables that belong to their database and are not moved. */
const STAYS = /^(moves$|donor_sync_|sqlite_)/;

/**
 * The tables that contain the audit entry about the move. If these tables change after they were copied, they are
 * copied again.
 */
const AUDIT = /^audit_/;

type Row = Record<string, string | number | null>;

interface Shape {
  name: string;
  columns: readonly string[];
  key: readonly string[];
}

/** Locks the file for this process until it closes the file. Migrates the file's schema. */
export async function lockFile({ db, name }: Pick<MovePlace, 'db' | 'name'>): Promise<void> {
  await requireUsable(db);
  try {
    await sql`pragma locking_mode = exclusive`.execute(db);
    // The file can leave write-ahead mode only if no other process has it open.
    await sql`pragma journal_mode = delete`.execute(db);
  } catch (error) {
    if (!isRetriableError(error)) throw error;
    throw new ConfigurationError(
      `Another process has ${name} open. Stop \`donor-sync serve\` and all other commands that use it, then repeat the move.`,
      { code: 'database_in_use', cause: error },
    );
  }
  if (!(await findMove(db))?.done_at) await migrateToLatest(db);
}

interface MoveDeps {
  now(): number;
  onTable(moved: MovedTable): void;
  /** Called after all rows have been copied, and before the source is marked as moved. */
  onArrived?(): Promise<void>;
  /** Adds an entry to the source's audit. */
  record: RecordEntry;
  /** Whether a target with an unfinished move is emptied first. */
  startsOver?: boolean;
}

/**
 * Copies all rows, compares them, and then marks the source as moved. From then on, the target can be used. The source
 * and the target then have the schema of this version and the same audit entry. Throws a ConfigurationError if the
 * target contains other data.
 */
export async function moveStore(
  source: MovePlace,
  target: MovePlace,
  { now, onTable, onArrived, record, startsOver = false }: MoveDeps,
): Promise<MovedTable[]> {
  const id = await beginMove(source, target, { newMove: newId(now()), startsOver });
  const moved = new Map<string, MovedTable>();
  const shapes = await readShapes(source.db);
  for (const shape of shapes) {
    const table = await moveTable(source.db, target.db, shape);
    onTable(table);
    moved.set(table.table, table);
  }
  await onArrived?.();
  await source.requireInPlace();
  const { done_at: movedAt = null } = (await findMove(source.db)) ?? {};
  const doneAt = movedAt ?? now();
  const markDone = (db: Database | Trx) =>
    db.updateTable('moves').set({ done_at: doneAt }).where('id', '=', id);
  if (movedAt === null) {
    const details = { from: source.name, to: target.name, ...toMoveSummary([...moved.values()]) };
    await source.db.transaction().execute(async (trx) => {
      await markDone(trx).execute();
      await record(trx, { action: 'database.moved', details });
    });
  }
  for (const shape of shapes.filter(({ name }) => AUDIT.test(name))) {
    moved.set(shape.name, await moveTable(source.db, target.db, shape));
  }
  await again(PATIENCE_MS, () => markDone(target.db).execute());
  return [...moved.values()];
}

function toMoveSummary(moved: readonly MovedTable[]) {
  const rows = moved.reduce((sum, table) => sum + table.rows, 0);
  const digest = hash('sha256', JSON.stringify(moved.map(({ table, digest }) => [table, digest])));
  return { tables: moved.length, rows, digest };
}

/** Returns the ID of the move. The source or the target may already have an ID. An empty target gets a new ID. */
async function beginMove(
  source: MovePlace,
  target: MovePlace,
  { newMove, startsOver }: { newMove: string; startsOver: boolean },
): Promise<string> {
  const [begun, arrived] = [await findMove(source.db), await findMove(target.db)];
  const isToEmpty = startsOver && arrived?.role === 'target' && arrived.done_at === null;
  if (begun !== undefined && begun.id === arrived?.id && !isToEmpty) {
    if (arrived.done_at !== null) throw hasMoved(begun.other, arrived.done_at);
    const [ours, theirs] = [await readSteps(source), await readSteps(target)];
    if (ours !== theirs) throw notEmpty(target, 'another version has started this move');
    return begun.id;
  }
  if (begun?.done_at) throw hasMoved(begun.other, begun.done_at);
  if (arrived !== undefined && !isToEmpty) throw hasBegun(target, arrived.other);
  // The source is marked first, so that every marked target has a source that records the move.
  await source.db.deleteFrom('moves').execute();
  await source.db
    .insertInto('moves')
    .values(buildMoveRow('source', newMove, target.name))
    .execute();
  const row = buildMoveRow('target', newMove, source.name);
  if (await hasTable(target.db, 'moves')) {
    await markTarget(target, row, { names: await listTables(source), isToEmpty });
  }
  await migrateTarget(target.db, (trx) => mark(trx, row));
  const there = await findMove(target.db);
  if (there === undefined) {
    await markTarget(target, row, { names: await listTables(source), isToEmpty: false });
  } else if (there.id !== newMove) throw hasBegun(target, there.other);
  return newMove;
}

/** Marks the target. Deletes all rows in the target's tables. */
async function markTarget(
  target: MovePlace,
  row: Tables['moves'],
  { names, isToEmpty }: { names: readonly string[]; isToEmpty: boolean },
): Promise<void> {
  await target.db.transaction().execute(async (trx) => {
    if (isToEmpty) await trx.deleteFrom('moves').execute();
    // If two moves run at the same time, the second move waits here and then fails.
    await mark(trx, row);
    for (const name of names) {
      if (isToEmpty) await sql`delete from ${sql.table(name)}`.execute(trx);
      const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(trx);
      if (rows.length > 0) throw notEmpty(target, `its table "${name}" has rows`);
    }
  });
}

async function mark(
  trx: QueryExecutorProvider,
  { role, id, other }: Tables['moves'],
): Promise<void> {
  await sql`insert into moves (role, id, other) values (${role}, ${id}, ${other})`.execute(trx);
}

async function listTables({ db }: MovePlace): Promise<string[]> {
  return (await readShapes(db)).map(({ name }) => name);
}

function hasBegun(target: MovePlace, from: string): ConfigurationError {
  return notEmpty(
    target,
    `an unfinished move from ${from} has started to fill it. To empty it and not continue that move, add \`--start-over\``,
  );
}

async function readSteps({ db }: MovePlace): Promise<string> {
  const { rows } = await sql`select name from donor_sync_migration order by name`.execute(db);
  return JSON.stringify([await findGround(db), rows]);
}

function buildMoveRow(role: Tables['moves']['role'], id: string, other: string): Tables['moves'] {
  return { role, id, other, done_at: null };
}

function notEmpty({ name }: MovePlace, why: string): ConfigurationError {
  return new ConfigurationError(
    `The database ${name} is not empty: ${why}. Name a new database; nothing was copied into this one.`,
    { code: 'target_not_empty' },
  );
}

/** Reads the list of donor-sync's tables from the SQLite file. */
async function readShapes(db: Database): Promise<Shape[]> {
  const { rows } = await sql<{ table: string; column: string; pk: number }>`
    select m.name as "table", c.name as "column", c.pk from sqlite_master m, pragma_table_info(m.name) c
    where m.type = 'table' order by m.name, c.name`.execute(db);
  const own = rows.filter(({ table }) => !STAYS.test(table));
  return [...Map.groupBy(own, ({ table }) => table)].map(([name, columns]) => ({
    name,
    columns: columns.map(({ column }) => column),
    key: columns.filter(({ pk }) => pk > 0).map(({ column }) => column),
  }));
}

async function moveTable(from: Database, to: Database, shape: Shape): Promise<MovedTable> {
  const wanted = await digestTable(from, shape);
  // An interrupted move may have left rows that have changed since. In this case, the whole table is copied again.
  for (const isAnew of [false, true]) {
    if (isAnew) await sql`delete from ${sql.table(shape.name)}`.execute(to);
    let there = await digestTable(to, shape);
    if (there.digest !== wanted.digest) {
      for await (const page of readPages(from, shape)) await copy(to, shape, page);
      there = await digestTable(to, shape);
    }
    if (there.digest === wanted.digest && there.rows === wanted.rows) return wanted;
  }
  throw new FatalError(
    `The copy of the table "${shape.name}" differs from the source. Nothing was marked as moved, and the source is still in use. Repeat the move into a new database.`,
    { code: 'move_differs', details: { table: shape.name } },
  );
}

async function copy(to: Database, { name, columns }: Shape, page: readonly Row[]): Promise<void> {
  const values = page.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const into = sql`insert into ${sql.table(name)} (${refs(columns)})`;
  const insert = sql`${into} values ${sql.join(values)} on conflict do nothing`;
  await again(PATIENCE_MS, () => insert.execute(to));
}

/**
 * Adds up the hashes of all rows. A sum does not depend on the order, because SQLite and Postgres sort texts
 * differently.
 */
async function digestTable(db: Database, shape: Shape): Promise<MovedTable> {
  let [rows, sum] = [0, 0n];
  for await (const page of readPages(db, shape)) {
    rows += page.length;
    for (const row of page) {
      const text = JSON.stringify(shape.columns.map((column) => row[column]));
      sum = BigInt.asUintN(DIGEST_BITS, sum + BigInt(`0x${hash('sha256', text)}`));
    }
  }
  return { table: shape.name, rows, digest: sum.toString(16) };
}

async function* readPages(
  db: Kysely<Tables>,
  { name, columns, key }: Shape,
): AsyncGenerator<Row[]> {
  const select = sql`select ${refs(columns)} from ${sql.table(name)}`;
  for (let last: Row | undefined; ; ) {
    const after = key.map((column) => last?.[column]);
    const where = last ? sql`where (${refs(key)}) > (${sql.join(after)})` : sql``;
    const page = sql<Row>`${select} ${where} order by ${refs(key)} limit ${PAGE}`;
    const { rows } = await again(PATIENCE_MS, () => page.execute(db));
    last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
  }
}

function refs(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(column)));
}
