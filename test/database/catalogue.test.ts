/** Compares the catalogue of tables with the database, and checks that it contains everything required. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { migrateToLatest } from '../../src/database/migrate.ts';
import {
  CATALOGUE,
  listColumns,
  listTables,
  TABLES_BY_TOPIC,
} from '../../src/database/tables/catalogue.ts';
import { contactId, type Table, table, text } from '../../src/database/tables/table.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';

const TABLES = Object.entries<Table>(CATALOGUE);

describe('the catalogue of tables', () => {
  it('has each table in one topic', () => {
    const byTopic = Object.values(TABLES_BY_TOPIC).flatMap((tables) => Object.keys(tables));
    expect(byTopic.toSorted()).toEqual(TABLES.map(([name]) => name).toSorted());
    expect(new Set(byTopic).size).toBe(byTopic.length);
  });

  it('names no column that a table does not have', () => {
    const unknown = listColumns('sealed').flatMap(({ table: name, column, of, says }) =>
      says.boundTo.every((each) => each in of.columns) ? [] : `${name}.${column}`,
    );
    expect(unknown).toEqual([]);
  });

  it('binds an encrypted text in a row of a contact to that contact', () => {
    const loose = listColumns('sealed').flatMap(({ table: name, column, of, says }) => {
      const ids = Object.entries(of.columns).flatMap(([each, { says: said }]) =>
        said.is === 'contact id' ? each : [],
      );
      return ids.every((id) => says.boundTo.includes(id)) ? [] : `${name}.${column}`;
    });
    expect(loose).toEqual([]);
  });

  it('deletes with their contact what belongs to one, and nothing else', () => {
    const ofContacts = listColumns('contact id').flatMap(({ table: name, says }) =>
      says.forget === 'row' ? name : [],
    );
    const wrong = listTables('deleted with its contact').filter(
      (name) => !ofContacts.includes(name),
    );
    expect(wrong).toEqual([]);
    const kept = ofContacts.filter(
      (name) => !/^deleted/.test(CATALOGUE[name].answers.whenClientErased),
    );
    expect(kept).toEqual([]);
  });

  it('finds the client of each row that leaves with it', () => {
    const column = { deleted: 'integration_id', 'deleted first': 'integration_id' };
    const homeless = TABLES.flatMap(([name, { answers, columns }]) => {
      const needed = Object.entries(column).find(([how]) => how === answers.whenClientErased)?.[1];
      return needed === undefined || needed in columns ? [] : name;
    });
    expect(homeless).toEqual([]);
  });

  it('has an answer of every table, and of every contact’s id', () => {
    const answers = { key: ['id'], whenClientErased: 'deleted', retention: null } as const;
    // @ts-expect-error: it does not say what is exported.
    table(answers, { id: text() });
    // @ts-expect-error: it does not say what erasing a client does.
    table({ key: ['id'], exported: { not: 'a test' }, retention: null }, { id: text() });
    // @ts-expect-error: there is no such column to export.
    table({ ...answers, exported: { as: 'file', columns: ['name'] } }, { id: text() });
    // @ts-expect-error: it does not say what `forget` does.
    contactId({ about: 'contacts', whenRemoved: 'deleted' });
    // @ts-expect-error: it does not say whether the row goes after the contact.
    contactId({ about: 'contacts', forget: 'row' });
    // @ts-expect-error: it does not say what `about` shows.
    contactId({ forget: 'row', whenRemoved: 'deleted' });
    expect(table({ ...answers, exported: { not: 'a test' } }, { id: text() }).columns).toEqual({
      id: { kind: 'text', isNullable: false, hasDefault: false, says: { is: 'operational' } },
    });
  });
});

describeEachDatabase('the catalogue of tables', (open, kind) => {
  it('has every table and column of the database, with its kind', async () => {
    const { db } = await open();
    await migrateToLatest(db);
    const found = (await db.introspection.getTables())
      .filter(({ name }) => !name.startsWith('donor_sync_') && !name.startsWith('sqlite_'))
      .flatMap(({ name, columns }) =>
        columns.map((column) => {
          const { dataType, isNullable } = column;
          return `${name}.${column.name} ${KINDS[dataType.toLowerCase()]}${isNullable ? ' or null' : ''}`;
        }),
      );
    const declared = TABLES.flatMap(([name, { columns }]) =>
      Object.entries(columns).map(
        ([column, { kind: of, isNullable }]) =>
          `${name}.${column} ${of}${isNullable ? ' or null' : ''}`,
      ),
    );
    expect(declared.toSorted()).toEqual(found.toSorted());
  });

  it('leaves out of a new row only what the database fills in', async () => {
    const { db } = await open();
    await migrateToLatest(db);
    const filled = (await db.introspection.getTables()).flatMap(({ name, columns }) =>
      columns.flatMap((column) => (column.hasDefaultValue ? `${name}.${column.name}` : [])),
    );
    const declared = TABLES.flatMap(([name, { columns }]) =>
      Object.entries(columns).flatMap(([column, { hasDefault }]) =>
        hasDefault ? `${name}.${column}` : [],
      ),
    );
    expect(declared.filter((column) => !filled.includes(column))).toEqual([]);
  });

  it('has the primary key of every table', async () => {
    const { db } = await open();
    await migrateToLatest(db);
    for (const [name, { answers }] of TABLES) {
      const key =
        kind === 'sqlite'
          ? sql<{ name: string }>`
              select name from pragma_table_info(${name}) where pk > 0 order by pk`
          : sql<{ name: string }>`
              select a.attname as name from pg_index i
              cross join unnest(i.indkey) with ordinality as k (attnum, place)
              join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
              where i.indrelid = ${name}::regclass and i.indisprimary order by k.place`;
      const { rows } = await key.execute(db);
      expect([name, rows.map((row) => row.name)]).toEqual([name, answers.key]);
    }
  });
});

/** The databases' own names for each kind of column. */
const KINDS: Readonly<Record<string, string>> = {
  text: 'text',
  integer: 'integer',
  int4: 'integer',
  bigint: 'bigint',
  int8: 'bigint',
};
