/** Finds the contacts that the current filter includes, as far as runs have read them. */
import { type SqlBool, sql } from 'kysely';

/**
 * Returns a condition that is false if no run has read the contact since the filter or another part of the selection
 * changed. `contact` is the alias of the contacts table.
 */
export function isListed(contact: 'c' | 'contacts') {
  return sql<SqlBool>`not exists (
  select 1 from integrations i left join runs r on r.id = ${sql.ref(`${contact}.seen_run`)}
  where i.id = ${sql.ref(`${contact}.integration_id`)} and i.scope_since is not null
    and (r.started_at is null or r.started_at < i.scope_since))`;
}
