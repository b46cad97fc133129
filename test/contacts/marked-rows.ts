/**
 * Inserts rows about one contact into every table that has a contact's ID. The function finds these tables in the
 * schema.
 */
import { sql } from 'kysely';
import { everything, INTEGRATION, RUN, type StoreWorld } from '../database/store-world.ts';

/** A contact ID that no other data contains. */
export const MARKED = 'contact-marked-7f3a';

/**
 * Add each new column here, so that the tests also check the column. `contacts.merged_into` has its own tests. In
 * `run_requests`, the column names a run.
 */
export const ID_COLUMNS = ['crm_id', 'contact', 'merged_into'];

/** Returns the product's own tables and their columns. */
export async function productTables({ db }: Pick<StoreWorld, 'db'>) {
  const found = await db.introspection.getTables();
  return found.filter(
    ({ name, schema = 'public' }) => schema === 'public' && !/^(donor_sync_|sqlite_)/.test(name),
  );
}

export async function tablesWithIds(world: Pick<StoreWorld, 'db'>): Promise<string[]> {
  return (await productTables(world)).flatMap(({ name, columns }) =>
    columns.some((column) => ID_COLUMNS.includes(column.name)) ? name : [],
  );
}

interface Column {
  name: string;
  dataType: string;
  isNullable: boolean;
}

async function columnsOf({ db }: StoreWorld, table: string): Promise<Column[]> {
  const found = await db.introspection.getTables();
  const one = found.find(({ name, schema = 'public' }) => name === table && schema === 'public');
  return one?.columns ?? [];
}

export async function idColumn(world: StoreWorld, table: string): Promise<string> {
  const names = (await columnsOf(world, table)).map(({ name }) => name);
  return ID_COLUMNS.find((name) => names.includes(name)) ?? '';
}

/**
 * Inserts a row about the contact with the minimum that the schema requires. Also inserts the rows to which it
 * refers.
 */
export async function insertMarked(world: StoreWorld, table: string): Promise<void> {
  const { db } = world;
  await insertRow(world, table, { [await idColumn(world, table)]: MARKED });
  if (table === 'audit_keys') await insertRow(world, 'audit_entries', { key_id: EMPTY, seq: 900 });
  if (table === 'network_wanted') {
    await sql`delete from networks`.execute(db);
    await insertRow(world, 'networks', {});
  }
}

/** This text is also valid JSON, for columns that contain JSON. */
const EMPTY = '{}';

async function insertRow(
  world: StoreWorld,
  table: string,
  given: Readonly<Record<string, string | number>>,
): Promise<void> {
  const own: Record<string, string | number> = {
    integration_id: INTEGRATION,
    run_id: RUN,
    ...given,
  };
  const cells = (await columnsOf(world, table)).flatMap(({ name, dataType, isNullable }) => {
    if (name in own) return [{ name, value: own[name] ?? '' }];
    // SQLite reports primary keys as nullable.
    if (isNullable && name !== 'id') return [];
    return [{ name, value: /int/i.test(dataType) ? 7 : EMPTY }];
  });
  const names = sql.join(cells.map(({ name }) => sql.ref(name)));
  const values = sql.join(cells.map(({ value }) => value));
  await sql`insert into ${sql.table(table)} (${names}) values (${values})`.execute(world.db);
}

/** Returns the tables that contain the text anywhere. */
export async function tablesWith({ db }: StoreWorld, text: string): Promise<string[]> {
  return Object.entries(await everything(db))
    .flatMap(([name, rows]) => (rows.some((row) => row.includes(text)) ? name : []))
    .sort();
}
