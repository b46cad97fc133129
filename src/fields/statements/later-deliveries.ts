/** Finds profiles that can be delivered again or that a user has requested. */
import { type Selectable, type SqlBool, sql } from 'kysely';
import { isListed } from '../../contacts/listed.ts';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import type { ContactState } from '../../database/tables/contacts.ts';
import type { Tables } from '../../database/tables/tables.ts';
import type { ValueNote } from './value-states.ts';

/** Means that a user requests all fields. */
export const ALL_FIELDS = '*';

export interface NotDeliverable {
  state: ContactState;
  isEligible: boolean;
  isOutside: boolean;
  isGone: boolean;
  reason: string;
  contacts: number;
}

/** The contacts of a request, or null for all contacts. */
type Only = readonly string[] | null;

/**
 * Records that a user wants fields delivered again. Null means all fields. If the contacts are null, this means all
 * contacts.
 */
export async function requestRedelivery(
  trx: RunTransaction,
  fields: readonly string[] | null,
  only: Only,
): Promise<void> {
  await trx
    .updateTable('kept_profiles')
    .set((eb) => ({
      requested:
        fields === null
          ? ALL_FIELDS
          : // The unfinished parts of earlier requests are still delivered.
            eb
              .case()
              .when('requested', '=', ALL_FIELDS)
              .then(ALL_FIELDS)
              .else(JSON.stringify(fields))
              .end(),
    }))
    .where('integration_id', '=', trx.lease.integrationId)
    .where('crm_id', 'in', deliverable(trx, trx.lease.integrationId).select('k.crm_id'))
    .$if(only !== null, (query) => query.where('crm_id', 'in', [...(only ?? [])]))
    .execute();
}

/** Ends requests that cannot be delivered. */
export async function endRedeliveryRequest(
  trx: RunTransaction,
  crmIds: readonly string[],
): Promise<void> {
  await buildKeptUpdate(trx, trx.lease.integrationId, crmIds).set({ requested: null }).execute();
}

/** True if a request has not been carried out completely. */
export async function hasRedeliveryRequest(
  reader: Reader,
  integrationId: string,
): Promise<boolean> {
  const row = await reader
    .selectFrom('kept_profiles')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    // Repeats the first condition, so that SQLite uses the index of requested profiles.
    .where('crm_id', '>', '')
    .where('requested', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Counts enhanced contacts to which nothing can be delivered now. Leaves out contacts that have left. */
export async function countNotDeliverable(
  reader: Reader,
  integrationId: string,
  only: Only,
): Promise<NotDeliverable[]> {
  const rows = await reader
    .selectFrom('contacts as c')
    .leftJoin('kept_profiles as k', (join) =>
      join.onRef('k.integration_id', '=', 'c.integration_id').onRef('k.crm_id', '=', 'c.crm_id'),
    )
    .select(['c.state', 'c.eligible', 'c.outcome_reason'])
    .select((eb) => [
      eb.case().when(LISTED).then(0).else(1).end().as('outside'),
      eb
        .case()
        .when(eb.or([eb('k.gone_at', 'is not', null), eb('k.crm_id', 'is', null)]))
        .then(1)
        .else(0)
        .end()
        .as('gone'),
      eb.fn.countAll().as('contacts'),
    ])
    .where('c.integration_id', '=', integrationId)
    .where('c.state', '<>', 'removed')
    .where((eb) => eb.or([eb('c.donor_id', 'is not', null), eb('k.crm_id', 'is not', null)]))
    .where((eb) =>
      eb.or([
        eb.not(AT_REST),
        eb.not(LISTED),
        eb('k.is_delivered', '=', 0),
        eb('k.gone_at', 'is not', null),
        // The contact has neither a stored profile nor a job.
        eb.and([
          eb('k.crm_id', 'is', null),
          eb.not(
            eb.exists(
              eb
                .selectFrom('jobs as j')
                .select('j.tracking_id')
                .whereRef('j.integration_id', '=', 'c.integration_id')
                .whereRef('j.crm_id', '=', 'c.crm_id')
                .where('j.state', '=', 'delivered')
                .where('j.job_id', 'is not', null),
            ),
          ),
        ]),
      ]),
    )
    .$if(only !== null, (query) => query.where('c.crm_id', 'in', [...(only ?? [])]))
    .groupBy(['c.state', 'c.eligible', 'c.outcome_reason', 'outside', 'gone'])
    .execute();
  return rows.map(({ state, eligible, outcome_reason: reason, outside, gone, contacts }) => ({
    state,
    reason,
    isEligible: eligible === 1,
    isOutside: outside === 1,
    isGone: gone === 1,
    contacts: Number(contacts),
  }));
}

/**
 * Selects stored profiles that can be delivered again. The contacts of these profiles are at rest and inside the
 * filter.
 */
export function deliverable(reader: Reader, integrationId: string) {
  return reader
    .selectFrom('kept_profiles as k')
    .innerJoin('contacts as c', (join) =>
      join.onRef('c.integration_id', '=', 'k.integration_id').onRef('c.crm_id', '=', 'k.crm_id'),
    )
    .where('k.integration_id', '=', integrationId)
    .where('k.is_delivered', '=', 1)
    .where('k.gone_at', 'is', null)
    .where(AT_REST)
    .where(LISTED);
}

/**
 * Counts contacts to which values can be delivered again. The profiles of these contacts are in the database or at the
 * service. Counts one contact or all contacts.
 */
export async function countRedeliverable(
  reader: Reader,
  integrationId: string,
  crmId: string | null,
): Promise<number> {
  const kept = await deliverable(reader, integrationId)
    .select((eb) => eb.fn.countAll().as('contacts'))
    .$if(crmId !== null, (query) => query.where('k.crm_id', '=', crmId))
    .executeTakeFirstOrThrow();
  const unkept = await unkeptJobs(reader, integrationId)
    .select((eb) => eb.fn.countAll().as('contacts'))
    .$if(crmId !== null, (query) => query.where('c.crm_id', '=', crmId))
    .executeTakeFirstOrThrow();
  return Number(kept.contacts) + Number(unkept.contacts);
}

/** Returns the jobs of enhanced contacts without a stored profile, by contact. */
export async function listUnkeptJobs(
  reader: Reader,
  integrationId: string,
  { after, limit, only }: { after: string; limit: number; only: Only },
): Promise<FromRow<Selectable<Tables['jobs']>>[]> {
  return unkeptJobs(reader, integrationId)
    .selectAll('j')
    .where('c.crm_id', '>', after)
    .$if(only !== null, (query) => query.where('c.crm_id', 'in', [...(only ?? [])]))
    .orderBy('c.crm_id')
    .limit(limit)
    .execute()
    .then(fromRows);
}

function unkeptJobs(reader: Reader, integrationId: string) {
  return reader
    .selectFrom('contacts as c')
    .innerJoin('jobs as j', (join) =>
      join.onRef('j.integration_id', '=', 'c.integration_id').onRef('j.crm_id', '=', 'c.crm_id'),
    )
    .where('c.integration_id', '=', integrationId)
    .where('c.donor_id', 'is not', null)
    .where(AT_REST)
    .where(LISTED)
    .where('j.state', '=', 'delivered')
    .where('j.job_id', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('kept_profiles as k')
            .select('k.crm_id')
            .whereRef('k.integration_id', '=', 'c.integration_id')
            .whereRef('k.crm_id', '=', 'c.crm_id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs as later')
            .select('later.tracking_id')
            .whereRef('later.integration_id', '=', 'j.integration_id')
            .whereRef('later.crm_id', '=', 'j.crm_id')
            .where('later.state', '=', 'delivered')
            .where(({ or, and, eb, ref }) =>
              or([
                eb('later.submitted_at', '>', ref('j.submitted_at')),
                and([
                  eb('later.submitted_at', '=', ref('j.submitted_at')),
                  eb('later.tracking_id', '>', ref('j.tracking_id')),
                ]),
              ]),
            ),
        ),
      ),
    );
}

export function buildKeptUpdate(
  trx: RunTransaction,
  integrationId: string,
  crmIds: readonly string[],
) {
  return trx
    .updateTable('kept_profiles')
    .where('integration_id', '=', integrationId)
    .where('crm_id', 'in', [...crmIds]);
}

/**
 * The contact has no open job and no open decision. Profile values remain while a contact waits for a credit. Contacts
 * that must not be submitted are not written to either.
 */
const AT_REST = sql<SqlBool>`(c.state in ('settled', 'due') and c.eligible = 1)`;

const LISTED = isListed('c');

/**
 * Returns the IDs of contacts to which values may be delivered, in order. Each part of the query uses an index and
 * reads at most one page, so it is fast with any number of profiles.
 */
export async function listCandidates(
  reader: Reader,
  integrationId: string,
  freed: { notes: readonly ValueNote[]; maps: readonly string[]; isRequested: boolean },
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const page = { integrationId, after, limit };
  const [first, ...others] = [
    ...(freed.isRequested ? [keptPage(reader, page).where('requested', 'is not', null)] : []),
    ...freed.maps.map((map) => keptPage(reader, page).where('field_map', '=', map)),
    ...freed.notes.map((note) => notesPage(reader, page, note)),
  ].map((part) => reader.selectFrom(part.as('part')).select('part.crm_id'));
  if (first === undefined) return [];
  const all = others.reduce((union, part) => union.union(part), first);
  const rows = await reader
    .selectFrom(all.as('candidate'))
    .select('candidate.crm_id')
    .orderBy('candidate.crm_id')
    .limit(limit)
    .execute();
  return rows.map(({ crm_id }) => crm_id);
}

interface Page {
  integrationId: string;
  after: string;
  limit: number;
}

function keptPage(reader: Reader, { integrationId, after, limit }: Page) {
  return reader
    .selectFrom('kept_profiles')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    .where('crm_id', '>', after)
    .orderBy('crm_id')
    .limit(limit);
}

function notesPage(
  reader: Reader,
  { integrationId, after, limit }: Page,
  { field, state, code, description }: ValueNote,
) {
  return reader
    .selectFrom('value_states')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    .where('state', '=', state)
    .where('field', '=', field)
    .where('code', '=', code)
    .where('description', '=', description)
    .where('crm_id', '>', after)
    .orderBy('crm_id')
    .limit(limit);
}
