/** Knows which rows that left a list may stay as they are, because a user still has to decide about them. */

import type { SimulatedCrm } from '../crm/crm.ts';
import { type Record_, versionOf } from '../crm/record.ts';
import type { World } from '../night/world.ts';

/**
 * True if a user was asked about the missing row, or has decided to wait for it. A missing row is the only sign that a
 * contact of a list is gone.
 */
export function isAskedAbout({ store, swarm }: World, integration: string, id: string): boolean {
  return swarm.isList && store.rows(ASKED_IF_GONE, integration, id).length > 0;
}

const ASKED_IF_GONE = `
  select id from questions where integration_id = ? and crm_id = ? and kind = 'contacts_missing'
    and (decision is null or decision = 'rejected')`;

/**
 * True if several rows of the list may continue the missing row, and a user must first say which of them are an
 * erased person. The product keeps the missing row's profile until then. If enough missing rows are left for all of
 * these rows, each row gets its own profile, so no missing row waits.
 */
export function waitsForHeir(
  { store, swarm }: World,
  integration: string,
  crm: SimulatedCrm,
  record: Record_,
): boolean {
  if (!swarm.isList) return false;
  const alike = [...crm.records.values()].filter(
    (each) => each.human === record.human && versionOf(each.details) === versionOf(record.details),
  );
  const suspects = alike.filter(
    ({ gone, id }) => gone === null && store.rows(ASKED_IF_ERASED, integration, id).length > 0,
  );
  const missing = alike.filter(
    ({ gone, id }) => gone !== null && store.rows(STILL_MISSING, integration, id).length > 0,
  );
  return suspects.length > missing.length;
}

const ASKED_IF_ERASED = `
  select id from questions where integration_id = ? and crm_id = ? and kind = 'forgotten_person'
    and decision is null`;

/** Finds a paid contact that is missing from the list and is not removed. */
const STILL_MISSING = `
  select crm_id from contacts where integration_id = ? and crm_id = ? and state <> 'removed'
    and asked_at is not null and missing_since is not null`;
