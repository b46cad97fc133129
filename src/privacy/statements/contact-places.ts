/**
 * Lists every column with an unencrypted contact ID or donor ID, as the table catalogue declares it. The erasure, the
 * search for traces, `about`, the export, the retention and the repeated erasure after a restore use these lists.
 */
import { type RawBuilder, sql } from 'kysely';
import {
  listColumns,
  type PlacedColumn,
  type SaidAnywhere,
  type TablesWith,
} from '../../database/tables/catalogue.ts';
import type { ContactIdMeaning, DonorMeaning } from '../../database/tables/table.ts';

export type ContactPlace = PlacedColumn<ContactIdMeaning>;

/** A column with a donor ID, or with a fingerprint of a donor ID. */
export type DonorPlace = PlacedColumn<DonorMeaning>;

export const CONTACT_PLACES: readonly ContactPlace[] = listColumns('contact id');

export const DONOR_PLACES: readonly DonorPlace[] = listColumns('donor');

/** Tables whose rows belong to one contact. An erasure deletes the rows in these tables. */
export type OwnTable = TablesWith<{ is: 'contact id'; forget: 'row' }>;
export const OWN_TABLES = CONTACT_PLACES.flatMap(({ table, says }) =>
  says.forget === 'row' ? [table as OwnTable] : [],
);

/**
 * The tables with a contact's rows, except payments and values that donor-sync wrote. When a contact leaves the CRM,
 * donor-sync deletes its rows in these tables.
 */
export type TableBeside = TablesWith<{ is: 'contact id'; forget: 'row'; whenRemoved: 'deleted' }>;
export const BESIDE_CONTACTS = CONTACT_PLACES.flatMap(({ table, says }) =>
  says.forget === 'row' && says.whenRemoved === 'deleted' ? [table as TableBeside] : [],
);

/** The parts of the `about` output that the table catalogue requires. */
export type AboutPart = SaidAnywhere<{ is: 'contact id' }>['about'];

/** Returns an integration's IDs in a column, under the name `id`. */
export function idsIn(
  { table, column, of }: ContactPlace,
  integrationId: string,
): RawBuilder<{ id: string }> {
  const id = sql.ref(`${table}.${column}`);
  return 'integration_id' in of.columns
    ? sql`select ${id} as id from ${sql.table(table)} where ${sql.ref(`${table}.integration_id`)} = ${integrationId}`
    : sql`select ${id} as id from ${sql.table(table)} join runs on runs.id = ${sql.ref(`${table}.run_id`)} where runs.integration_id = ${integrationId}`;
}
