/** Declares the columns that need more than a plain nullable type. */
import type { ColumnDefinitionBuilder } from 'kysely';

export const notNull = (column: ColumnDefinitionBuilder) => column.notNull();

export const unique = (column: ColumnDefinitionBuilder) => column.unique();

export const notNullAndUnique = (column: ColumnDefinitionBuilder) => column.notNull().unique();

/** SQLite allows null in primary keys of type text unless the column forbids null. */
export const primaryKey = (column: ColumnDefinitionBuilder) => column.primaryKey().notNull();

/** For counters, and for instants that are 0 until they are set. */
export const zeroAtFirst = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0);
