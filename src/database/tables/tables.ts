/**
 * The tables as Kysely sees them. They use only text, integers and 0/1, so SQLite and Postgres store the same. Times
 * are epoch milliseconds. No column contains a name, an address, a wealth figure or a key in plain text. Columns
 * contain only IDs, keyed fingerprints, states and encrypted text.
 */
import type { Kysely, Transaction } from 'kysely';
import type { CATALOGUE, TableName } from './catalogue.ts';
import type { RowOf } from './table.ts';

/** The store's database. Every query starts here. */
export type Database = Kysely<Tables>;

/** A transaction. The inner functions take this type, and never a `Database`. */
export type Trx = Transaction<Tables>;

/** The rows of each table in the catalogue. */
export type Tables = { [Name in TableName]: RowOf<(typeof CATALOGUE)[Name]> };
