/**
 * The tables for Kysely. The tables contain only text, integers and 0/1, so that SQLite and Postgres store the same
 * values. Times are epoch milliseconds. No column contains a name, an address, an amount of wealth or a key without
 * encryption. Columns contain IDs, keyed fingerprints, states and encrypted text.
 */
import type { Kysely, Transaction } from 'kysely';
import type { CATALOGUE, TableName } from './catalogue.ts';
import type { RowOf } from './table.ts';

/** The open database with all tables. Every query starts with this object. */
export type Database = Kysely<Tables>;

/** A transaction. Inner functions take this type and never a `Database`. */
export type Trx = Transaction<Tables>;

export type Tables = { [Name in TableName]: RowOf<(typeof CATALOGUE)[Name]> };
