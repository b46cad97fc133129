/** What another program has put beside the tables that the migrations made, or in their place. */
import { type Kysely, sql } from 'kysely';
import { openDatabase } from './database.ts';
import { isPostgres } from './database-time.ts';
import { migrateToLatest } from './migrate.ts';

export interface ForeignParts {
  /** Names of all triggers of the database; donor-sync makes none. */
  triggers: string[];
  /** Those of the tables asked for that are gone, or not as the migrations made them. */
  tables: string[];
  /** Those whose indexes do not hold what the table holds. */
  indexes: string[];
  /** Those with rows in which something stands that the columns cannot have, such as bytes, or a number beyond what is exact. */
  values: string[];
}

/** Reads nothing in a table that is not as it was made: whatever stands in its place may never end. */
export async function findForeignParts<Tables>(
  db: Kysely<Tables>,
  tables: readonly string[],
): Promise<ForeignParts> {
  return isPostgres(db) ? findOnPostgres(db, tables) : findOnSqlite(db, tables);
}

interface Part {
  type: string;
  name: string;
  table: string;
  sql: string | null;
}

async function findOnSqlite<Tables>(
  db: Kysely<Tables>,
  tables: readonly string[],
): Promise<ForeignParts> {
  const [there, asMade] = [await listParts(db), await listMade()];
  const of = (parts: readonly Part[], table: string) =>
    JSON.stringify(
      parts
        .filter((part) => [part.name, part.table].some((name) => name.toLowerCase() === table))
        .map((part) => [part.type, part.name, part.table, part.sql])
        .toSorted(),
    );
  const changed = tables.filter((table) => of(there, table) !== of(asMade, table));
  const found: ForeignParts = {
    triggers: there.filter(isTrigger).map(({ name }) => name),
    tables: changed,
    indexes: [],
    values: [],
  };
  for (const table of tables) {
    if (changed.includes(table)) continue;
    const { rows } = await sql<{
      integrity_check: string;
    }>`pragma integrity_check(${sql.lit(table)})`.execute(db);
    if (rows.some((row) => row.integrity_check !== 'ok')) found.indexes.push(table);
    if (await hasForeignValues(db, table)) found.values.push(table);
  }
  return found;
}

/** Whatever its type says: SQLite reads the statement alone. */
function isTrigger({ type, sql: statement }: Part): boolean {
  return !['table', 'index', 'view'].includes(type) || /^[^(]*\btrigger\b/i.test(statement ?? '');
}

async function listParts<Tables>(db: Kysely<Tables>): Promise<Part[]> {
  const { rows } = await sql<Part>`select type, name, tbl_name as "table", sql from sqlite_master
    order by name`.execute(db);
  return rows;
}

let made: Promise<Part[]> | null = null;

/** What the migrations make: the same for every database, and worked out once. */
function listMade(): Promise<Part[]> {
  made ??= makeAndList();
  return made;
}

async function makeAndList(): Promise<Part[]> {
  const database = await openDatabase<unknown>('sqlite::memory:');
  try {
    await migrateToLatest(database.db);
    return await listParts(database.db);
  } finally {
    await database.close();
  }
}

/** SQLite keeps in each column what another program puts there. */
async function hasForeignValues<Tables>(db: Kysely<Tables>, table: string): Promise<boolean> {
  const columns = await sql<{ name: string; type: string }>`select name, lower(type) as type
    from pragma_table_info(${table})`.execute(db);
  const wrong = columns.rows.map(({ name, type }) => {
    const column = sql.ref(name);
    return type === 'text'
      ? sql<boolean>`typeof(${column}) not in ('text', 'null')`
      : sql<boolean>`typeof(${column}) not in ('integer', 'null') or ${column} not between
          ${sql.lit(Number.MIN_SAFE_INTEGER)} and ${sql.lit(Number.MAX_SAFE_INTEGER)}`;
  });
  const { rows } = await sql`select 1 from ${sql.table(table)}
    where ${sql.join(wrong, sql` or `)} limit 1`.execute(db);
  return rows.length > 0;
}

async function findOnPostgres<Tables>(
  db: Kysely<Tables>,
  tables: readonly string[],
): Promise<ForeignParts> {
  const triggers = await sql<{ name: string }>`select t.tgname as name
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace
    order by t.tgname`.execute(db);
  // A table of its own, with its key, that no rule, policy or heir stands before.
  const whole = await sql<{ name: string }>`select c.relname as name from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
    and not c.relhasrules and not c.relrowsecurity
    and not exists (select from pg_inherits i where c.oid in (i.inhparent, i.inhrelid))
    and exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'p')
    and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attgenerated <> '')`.execute(
    db,
  );
  const names = new Set(whole.rows.map(({ name }) => name));
  return {
    triggers: triggers.rows.map(({ name }) => name),
    tables: tables.filter((table) => !names.has(table)),
    indexes: [],
    values: [],
  };
}
