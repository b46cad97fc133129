import type { MigrationList } from '../../src/database/migrations.ts';

/** A schema for tests of the database layer itself. */
export interface TwoTables {
  notes: { id: string; body: string | null; size: number };
  tags: { id: string; note_id: string };
}

/** The migration that creates this schema. */
export const TWO_TABLES = {
  '0001-two-tables': {
    hash: 'two tables',
    async up(db) {
      await db.schema
        .createTable('notes')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('body', 'text')
        .addColumn('size', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('tags')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('note_id', 'text', (column) => column.notNull().references('notes.id'))
        .execute();
    },
  },
} satisfies MigrationList;
