import { type SqlBool, sql } from 'kysely';

/**
 * Selects contacts that a run has read since the selection of contacts last changed. `contact` is the alias of the
 * contacts table.
 */
export function isListed(contact: 'c' | 'contacts') {
  return sql<SqlBool>`not exists (
  select 1 from integrations i left join runs r on r.id = ${sql.ref(`${contact}.seen_run`)}
  where i.id = ${sql.ref(`${contact}.integration_id`)} and i.scope_since is not null
    and (r.started_at is null or r.started_at < i.scope_since))`;
}
