/**
 * Every place in the database that holds the id of a contact or of a donor in clear: the one list that an erasure, the
 * search for traces, `about`, the export, retention and "erase again after a restore" work with. A table that is
 * missing here fails `test/privacy/statements/contact-tables.test.ts`.
 */
import { type RawBuilder, sql } from 'kysely';

/** A column with a contact's id. */
interface ContactPlace {
  table: string;
  column: string;
  /** Whose row it is: of an integration, or of a run of one. */
  of: 'integration' | 'run';
  /** True if the whole row belongs to the contact, so that an erasure deletes it. */
  isOwn: boolean;
  /** Why the row stays when contacts are purged that have left the CRM; null if it is deleted then. */
  keptWhenRemoved: string | null;
  /** The exported file that has it, or why none has. */
  exported: { as: string } | { not: string };
}

export const CONTACT_PLACES = [
  own('contacts', { as: 'contacts' }, 'what was paid, and what is ours'),
  own('holds', { as: 'holds' }, '`retention.outcomes`'),
  own(
    'writes',
    { not: 'exported opened, as values-before' },
    'previous values are taken out of the row',
  ),
  own('warm_paths', { as: 'warm-paths' }, null),
  own('network_wanted', { as: 'groups' }, null),
  own('contact_statuses', { not: 'what the CRM itself shows' }, null),
  // With its key, what the audit says of the contact cannot be read any more.
  own('audit_keys', { not: 'keys; the audit itself is exported' }, '`retention.audit`'),
  own('kept_profiles', { as: 'kept-profiles' }, null),
  own('value_states', { as: 'values-not-in-crm' }, null),
  place('jobs', 'crm_id', { as: 'jobs' }, 'what was paid'),
  place(
    'foreign_texts',
    'crm_id',
    { not: 'sealed texts of the CRM, for 30 days' },
    'deleted there on its own',
  ),
  place('approvals', 'crm_id', { not: 'seven days' }, 'seven days'),
  place('contacts', 'merged_into', { as: 'contacts' }, 'what was paid, and what is ours'),
  place('run_requests', 'contact', { not: 'until the run begins' }, 'until the run begins'),
  place('runs', 'contact', { as: 'runs' }, '`retention.outcomes`'),
  {
    ...place(
      'run_rows',
      'crm_id',
      { as: 'run-contacts' },
      'deleted there on its own, after the run',
    ),
    of: 'run',
  },
] as const satisfies readonly ContactPlace[];

/** A column with the id of a donor, or a keyed fingerprint of it. */
interface DonorPlace {
  table: string;
  column: string;
  form: 'id' | 'fingerprint';
  /** Which donor it is: that of the row's contact, its introducer, or a member of a network. */
  is: 'contact' | 'introducer' | 'member' | 'erased';
}

export const DONOR_PLACES = [
  { table: 'contacts', column: 'donor_id', form: 'id', is: 'contact' },
  { table: 'contacts', column: 'values_donor', form: 'id', is: 'contact' },
  { table: 'writes', column: 'donor', form: 'id', is: 'contact' },
  { table: 'writes', column: 'donor_before', form: 'id', is: 'contact' },
  { table: 'warm_paths', column: 'donor_id', form: 'id', is: 'contact' },
  { table: 'warm_paths', column: 'introducer_id', form: 'id', is: 'introducer' },
  { table: 'network_members', column: 'donor_id', form: 'id', is: 'member' },
  { table: 'kept_profiles', column: 'donor', form: 'fingerprint', is: 'contact' },
  { table: 'writes', column: 'introducer', form: 'fingerprint', is: 'introducer' },
  { table: 'forgotten', column: 'donors', form: 'fingerprint', is: 'erased' },
] as const satisfies readonly DonorPlace[];

type Place = (typeof CONTACT_PLACES)[number];

/** The tables whose rows belong to one contact. */
export type OwnTable = Extract<Place, { isOwn: true }>['table'];
export const OWN_TABLES: readonly OwnTable[] = CONTACT_PLACES.flatMap((each) =>
  each.isOwn ? each.table : [],
);

/** The tables that say more of a contact than what was paid and what is ours: they go with those that left the CRM. */
export type TableBeside = Extract<Place, { isOwn: true; keptWhenRemoved: null }>['table'];
export const BESIDE_CONTACTS: readonly TableBeside[] = CONTACT_PLACES.flatMap((each) =>
  each.isOwn && each.keptWhenRemoved === null ? each.table : [],
);

/** The exported files with the id of a contact. */
export type FileOfContacts = Extract<Place, { exported: { as: string } }>['exported']['as'];

/** The ids in a place that belong to an integration, as `id`. */
export function idsIn(
  { table, column, of }: ContactPlace,
  integrationId: string,
): RawBuilder<{ id: string }> {
  const id = sql.ref(`${table}.${column}`);
  return of === 'integration'
    ? sql`select ${id} as id from ${sql.table(table)} where ${sql.ref(`${table}.integration_id`)} = ${integrationId}`
    : sql`select ${id} as id from ${sql.table(table)} join runs on runs.id = ${sql.ref(`${table}.run_id`)} where runs.integration_id = ${integrationId}`;
}

function own<
  const Table extends string,
  const Exported extends ContactPlace['exported'],
  const Kept extends string | null,
>(table: Table, exported: Exported, keptWhenRemoved: Kept) {
  return { ...place(table, 'crm_id', exported, keptWhenRemoved), isOwn: true } as const;
}

function place<
  const Table extends string,
  const Column extends string,
  const Exported extends ContactPlace['exported'],
  const Kept extends string | null,
>(table: Table, column: Column, exported: Exported, keptWhenRemoved: Kept) {
  const of = 'integration';
  return { table, column, of, isOwn: false, keptWhenRemoved, exported } as const;
}
