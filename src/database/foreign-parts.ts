/**
 * Finds changes that other programs made to the database schema. A view in place of a table can show different rows to
 * different readers. A trigger can delete new rows. An index can hide rows.
 */
import { type QueryExecutorProvider, sql } from 'kysely';
import { openDatabase } from './database.ts';
import { isPostgres } from './database-time.ts';
import { migrateToLatest } from './migrate.ts';
import type { Reader } from './reader.ts';
import { CATALOGUE, type TableName } from './tables/catalogue.ts';
import type { Table } from './tables/table.ts';

export interface ForeignPart {
  /** A complete sentence that describes the change. */
  text: string;
  /** True if the table itself differs from donor-sync's schema, so that its rows are not reliable. */
  isOfTable: boolean;
}

/** A table, an index or a similar part, which is the same in all databases of donor-sync. */
interface Part {
  kind: string;
  name: string;
  table: string;
  made: string;
}

/** Finds changes to these tables, their keys and their indexes. Also lists every trigger in the database. */
export async function listForeignParts(
  reader: Reader,
  tables: readonly TableName[],
): Promise<ForeignPart[]> {
  const isOurs = ({ name, table }: Part) =>
    tables.some((one) => [name.toLowerCase(), table.toLowerCase()].includes(one));
  const [there, wanted] = isPostgres(reader)
    ? [await readPostgres(reader), tables.flatMap(listWantedParts)]
    : [await readSqlite(reader), (await readSqliteAsMade()).filter(isOurs)];
  const foreign = compareParts(there, wanted, isOurs);
  const changed = foreign.filter(({ isOfTable }) => isOfTable);
  // If tables were changed, their indexes differ too, but this adds no information.
  return changed.length > 0 ? changed : [...foreign, ...(await listDamaged(reader, tables))];
}

function compareParts(
  there: readonly Part[],
  wanted: readonly Part[],
  isOurs: (part: Part) => boolean,
): ForeignPart[] {
  const known = new Map(wanted.map((part) => [`${part.kind} ${part.name}`, part]));
  const foreign: ForeignPart[] = [];
  for (const part of there) {
    const same = known.get(`${part.kind} ${part.name}`);
    known.delete(`${part.kind} ${part.name}`);
    if (same?.made === part.made && same.table === part.table) continue;
    const kind = part.kind.toLowerCase();
    if (same !== undefined) {
      const text = `The ${kind} "${part.name}" is not as donor-sync created it: another program changed it.`;
      foreign.push({ text, isOfTable: kind === 'table' });
    } else if (/^\s*create\s+(temp\w*\s+)?trigger/i.test(part.made) || !KINDS.includes(part.kind)) {
      const text = `The database has the trigger "${part.name}", which donor-sync did not create. It can remove entries as they are written.`;
      foreign.push({ text, isOfTable: false });
    } else if (isOurs(part)) {
      const text = `The database has the ${kind} "${part.name}", which donor-sync did not create.`;
      foreign.push({ text, isOfTable: kind !== 'index' });
    }
  }
  for (const { kind, name } of known.values()) {
    foreign.push({
      text: `The ${kind} "${name}" is missing: another program removed or replaced it.`,
      isOfTable: kind === 'table',
    });
  }
  return foreign;
}

/** The valid kinds of parts. SQLite also accepts other spellings, which would hide a trigger. */
const KINDS = ['table', 'index', 'view'];

/** Reads the parts of an SQLite database. SQLite stores the statement that created each part. */
async function readSqlite(db: QueryExecutorProvider): Promise<Part[]> {
  const { rows } = await sql<Part>`
    select type as kind, name, tbl_name as "table", coalesce(sql, '') as made from sqlite_master`.execute(
    db,
  );
  return rows.map(({ kind, name, table, made }) => ({
    kind: String(kind),
    name: String(name),
    table: String(table),
    made: String(made),
  }));
}

/** Creates donor-sync's schema in a new database, to compare with it. */
async function readSqliteAsMade(): Promise<Part[]> {
  const { db, close } = await openDatabase('sqlite::memory:');
  try {
    await migrateToLatest(db);
    return await readSqlite(db);
  } finally {
    await close();
  }
}

/** Reads the parts of a Postgres database from its system tables, because Postgres does not store statements. */
async function readPostgres(db: Reader): Promise<Part[]> {
  const { rows } = await sql<Part>`
    select case when c.relkind = 'r' then 'table' else 'view' end as kind, c.relname as name, c.relname as "table",
      concat_ws(' ',
        (select string_agg(a.attname || case when a.attnotnull then ' not null' else '' end
            || case when a.attgenerated <> '' then ' generated' else '' end, ', ' order by a.attname)
          from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
        'key', (select string_agg(a.attname, ', ' order by a.attname)
          from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
          where i.indrelid = c.oid and i.indisprimary and i.indisvalid),
        case when c.relrowsecurity then 'with row security' end,
        (select 'with rules' where exists (select from pg_rewrite r where r.ev_class = c.oid)),
        (select 'with heirs' where exists (select from pg_inherits h where c.oid in (h.inhrelid, h.inhparent)))
      ) as made
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind not in ('i', 'I', 'S', 't', 'c')
    union all
    select 'trigger', t.tgname, c.relname, 'create trigger'
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`.execute(db);
  return rows;
}

function listWantedParts(name: TableName): Part[] {
  const { columns, answers }: Table = CATALOGUE[name];
  const described = Object.entries(columns)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([column, { isNullable }]) => `${column}${isNullable ? '' : ' not null'}`);
  const made = `${described.join(', ')} key ${[...answers.key].sort().join(', ')}`;
  return [{ kind: 'table', name, table: name, made }];
}

/** Finds damaged indexes, and numbers that donor-sync never writes. */
async function listDamaged(db: Reader, tables: readonly TableName[]): Promise<ForeignPart[]> {
  const damaged: ForeignPart[] = [];
  for (const table of tables) {
    if (!isPostgres(db) && !(await isWhole(db, table))) {
      const text = `An index of the table "${table}" does not match the rows of the table: another program changed only one of the two.`;
      damaged.push({ text, isOfTable: false });
    }
    const { columns }: Table = CATALOGUE[table];
    for (const [column, { kind }] of Object.entries(columns)) {
      if (kind === 'text' || !(await hasTooLarge(db, table, column))) continue;
      const text = `The column "${column}" of the table "${table}" holds a number that donor-sync can't have written: it is too large.`;
      // Rows with this value cannot be read.
      damaged.push({ text, isOfTable: true });
    }
  }
  return damaged;
}

async function isWhole(db: Reader, table: TableName): Promise<boolean> {
  const { rows } = await sql<{ integrity_check: string }>`
    ${sql.raw(`pragma integrity_check(${table})`)}`.execute(db);
  return rows.every(({ integrity_check: answer }) => answer === 'ok');
}

async function hasTooLarge(db: Reader, table: TableName, column: string): Promise<boolean> {
  const value = sql.ref(column);
  const limit = sql.lit(Number.MAX_SAFE_INTEGER);
  // SQLite also accepts text and bytes in this column. SQLite treats both as greater than every number.
  const isNumber = isPostgres(db) ? sql`true` : sql`typeof(${value}) in ('integer', 'real')`;
  const { rows } = await sql`
    select 1 from ${sql.table(table)}
    where ${isNumber} and (${value} > ${limit} or ${value} < -${limit}) limit 1`.execute(db);
  return rows.length > 0;
}
