/**
 * What each run did to contacts, kept for a while; `src/store/engine/tables.ts` says what each column means.
 * Of runs that are over, what their contacts still remember is carried over.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('runs').addColumn('fresh_count', 'integer').execute();
  await db.schema
    .createTable('run_rows')
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('place', 'integer', (c) => c.notNull())
    .addColumn('crm_id', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('detail', 'text')
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('run_rows_key', ['run_id', 'place', 'crm_id'])
    .execute();
  // Erasing a person has to find all rows of a contact.
  await db.schema.createIndex('run_rows_by_contact').on('run_rows').columns(['crm_id']).execute();
  await sql`
    insert into run_rows (run_id, place, crm_id, reason, detail, at)
    select contacts.outcome_run, ${PLACE}, contacts.crm_id, contacts.outcome_reason,
      contacts.outcome_detail, contacts.outcome_at
    from contacts
    inner join runs on runs.id = contacts.outcome_run
    where runs.finished_at is not null and contacts.outcome_reason <> 'profile_fresh'`.execute(db);
  await sql`
    update runs set fresh_count = (
      select count(*) from contacts
      where contacts.integration_id = runs.integration_id
        and contacts.outcome_run = runs.id and contacts.outcome_reason = 'profile_fresh'
    ) where finished_at is not null`.execute(db);
}

/** The places of reasons when this was written. */
const PLACE = sql`case
  when contacts.outcome_reason in ('name_mismatch', 'lost_answer', 'identity_mass_change',
    'profile_deceased', 'forgotten_person') then 0
  when contacts.outcome_reason in ('no_match', 'person_invalid', 'crm_refused', 'values_unfit',
    'profile_unreadable') then 1
  when contacts.outcome_reason in ('first_name_missing', 'last_name_missing', 'opted_out',
    'deceased', 'do_not_contact', 'deleted_in_crm', 'merged_in_crm', 'forgotten',
    'rejected_by_person') then 3
  when contacts.outcome_reason in ('fields_written', 'fields_written_some_unfit') then 4
  when contacts.outcome_reason in ('values_equal', 'values_protected', 'profile_empty',
    'no_match_known', 'identity_change_rejected', 'profile_adopted') then 5
  else 2 end`;
