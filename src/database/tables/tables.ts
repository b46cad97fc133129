/**
 * The tables as Kysely sees them. Only text, integers and 0/1, so SQLite and Postgres store the same values. Times are
 * epoch milliseconds. No column contains a name, an address, a wealth figure or a key in plain text. Columns contain
 * IDs, keyed fingerprints, states and encrypted text.
 */
import type { Kysely, Transaction } from 'kysely';
import type { CATALOGUE, TableName } from './catalogue.ts';
import type { RowOf } from './table.ts';

/** The store's database. Every query starts here. */
export type Database = Kysely<Tables>;

/** Inner functions take this type and never a `Database`. */
export type Trx = Transaction<Tables>;

export type Tables = { [Name in TableName]: RowOf<(typeof CATALOGUE)[Name]> };
