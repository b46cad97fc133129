/** How columns are declared that are not simply nullable. */
import type { ColumnDefinitionBuilder } from 'kysely';

export const notNull = (column: ColumnDefinitionBuilder) => column.notNull();

export const unique = (column: ColumnDefinitionBuilder) => column.unique();

export const notNullAndUnique = (column: ColumnDefinitionBuilder) => column.notNull().unique();

/** SQLite lets primary keys of text be null unless it is told otherwise. */
export const primaryKey = (column: ColumnDefinitionBuilder) => column.primaryKey().notNull();

/** For counters, and for instants that are 0 as long as there is none. */
export const zeroAtFirst = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0);
