/** Knows for which rows that left a list a user still has to decide something. These rows may stay as they are. */

import type { World } from '../night/world.ts';

type Store = World['store'];

/**
 * True if the row may stay although it has left the list. A missing row is the only sign that a contact of a list is
 * gone, so a user may have decided to wait for the row. The row may also belong to one of several rows about which a user
 * has not decided yet.
 */
export function isAskedAbout(store: Store, integration: string, id: string): boolean {
  return (
    store.rows(ASKED_IF_GONE, integration, id).length > 0 || isWantedByMany(store, integration, id)
  );
}

const ASKED_IF_GONE = `
  select id from questions where integration_id = ? and crm_id = ? and kind = 'contacts_missing'
    and (decision is null or decision = 'rejected')`;

/**
 * True if a user has not decided yet which of several rows in the list are an erased person, and fewer rows than these
 * left the list with the same details. The profile of such a row belongs to one of the rows in the list, so the row must
 * wait.
 */
function isWantedByMany({ rows }: Store, integration: string, id: string): boolean {
  const details = (identity: unknown) => String(identity).split(':').slice(2).join(':');
  const gone = rows(PAID_AND_GONE, integration).map(({ crm_id, asked_identity }) => ({
    id: crm_id,
    details: details(asked_identity),
  }));
  const own = gone.find((row) => row.id === id);
  if (own === undefined) return false;
  const alike = (one: { details: string }) => one.details === own.details;
  const asked = rows(MAYBE_ERASED, integration).map(({ identity }) => ({
    details: details(identity),
  }));
  return asked.filter(alike).length > gone.filter(alike).length;
}

const PAID_AND_GONE = `
  select crm_id, asked_identity from contacts
  where integration_id = ? and missing_since is not null and asked_identity is not null and state <> 'removed'`;

const MAYBE_ERASED = `
  select identity from contacts join questions using (integration_id, crm_id)
  where integration_id = ? and kind = 'forgotten_person' and decision is null`;
