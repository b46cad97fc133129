/** Declares columns that need more than a type. */
import type { ColumnDefinitionBuilder } from 'kysely';

export const notNull = (column: ColumnDefinitionBuilder) => column.notNull();

export const unique = (column: ColumnDefinitionBuilder) => column.unique();

export const notNullAndUnique = (column: ColumnDefinitionBuilder) => column.notNull().unique();

/** In SQLite, a primary key of type text may be null unless the column forbids null. */
export const primaryKey = (column: ColumnDefinitionBuilder) => column.primaryKey().notNull();

/** A column for a counter, or for a time that is 0 until it is set. */
export const zeroAtFirst = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0);
