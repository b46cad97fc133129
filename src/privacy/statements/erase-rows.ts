import { sql } from 'kysely';
import { move, type Which } from '../../contacts/life/apply-events.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import { ERASED_ID, type JobState } from '../../database/tables/credits.ts';
import { ERASED_MEMBER } from '../../database/tables/networks.ts';
import type { Trx } from '../../database/tables/tables.ts';
import { findOnlyDonor, forgetIntroducer } from '../../paths/statements/forget-introducer.ts';
import { separate } from '../../sync/statements/cut-off-runs.ts';
import { OWN_TABLES, type OwnTable } from './contact-places.ts';
import { dropMonthsOf } from './drop-months.ts';
import { dropLeftValues, leaveValues } from './left-values.ts';

/** The numbers of a contact's erased items, by kind. The numbers do not identify the contact. */
export interface ErasedRows {
  contacts: number;
  /** Charges that are kept without their contact and without the ID that could fetch the profile. */
  jobs: number;
  holds: number;
  writes: number;
  paths: number;
  /** Profiles that were paid for, with the keys that decrypt them. */
  profiles: number;
  /** The paths of other contacts in which the person is the introducer. */
  introductions: number;
  /** Memberships in CRM groups. */
  groups: number;
  /** Requested runs, and what runs have recorded about the contact. */
  runs: number;
  /** The IDs of destroyed audit keys. The data that they encrypted can no longer be read. */
  keys: readonly string[];
}

/** Jobs whose profile could still be fetched. They are closed, so nothing can be fetched. */
const UNDER_WAY: JobState[] = ['processing', 'completed', 'held'];

/** The handling of fingerprints of values that were written to a contact. */
export interface ValuesInCrm {
  fingerprint: Fingerprint;
  /** False if the contact's fields were read as empty. In that case, no fingerprints are kept. */
  mayBeLeft: boolean;
}

/**
 * Removes requests to erase the contact that a second user has not confirmed yet. A confirmed request is removed when
 * its erasure has been carried out.
 */
export async function dropWaitingErasures(
  trx: Trx,
  integrationId: string,
  crmIds: readonly string[],
): Promise<void> {
  await trx
    .deleteFrom('answers')
    .where('integration_id', '=', integrationId)
    .where('crm_id', 'in', crmIds)
    .where('in_force_from', 'is', null)
    .execute();
}

/** Erases a contact that has these forms of ID from every table. */
export async function eraseRows(
  trx: Trx,
  integrationId: string,
  crmIds: readonly string[],
  now: number,
  values: ValuesInCrm | null = null,
): Promise<ErasedRows> {
  await dropMonthsOf(trx, integrationId, crmIds);
  const donorId = await findOnlyDonor(trx, integrationId, crmIds);
  const introductions =
    donorId === null ? 0 : await forgetIntroducer(trx, integrationId, crmIds, donorId);
  if (donorId !== null) await beginToLeave(trx, integrationId, donorId);
  // Any of the integration's stored CRM messages may contain the person's name, because a duplicate rule names the
  // other contact.
  await trx.deleteFrom('foreign_texts').where('integration_id', '=', integrationId).execute();
  await dropWaitingErasures(trx, integrationId, crmIds);
  const isPart: Which = { is: (eb) => eb('merged_into', 'in', crmIds) };
  await move(trx, { integrationId }, 'heirErased', isPart, { now });
  const left = values?.mayBeLeft
    ? await leaveValues(trx, values.fingerprint, integrationId, crmIds)
    : 0;
  if (values?.mayBeLeft === false) {
    await dropLeftValues(trx, values.fingerprint, integrationId, crmIds);
  }
  const keys = await trx
    .selectFrom('audit_keys')
    .select('id')
    .where('integration_id', '=', integrationId)
    .where('crm_id', 'in', crmIds)
    .orderBy('id')
    .execute();
  const gone = new Map<OwnTable, number>();
  for (const table of OWN_TABLES) gone.set(table, await deleteFrom(table));
  const rows = (table: OwnTable) => gone.get(table) ?? 0;
  return {
    introductions,
    keys: keys.map(({ id }) => id),
    contacts: rows('contacts'),
    jobs: await eraseJobs(trx, integrationId, crmIds, now),
    holds: rows('questions'),
    writes: rows('writes') + left,
    paths: rows('warm_paths'),
    profiles: rows('kept_profiles'),
    groups: rows('network_wanted'),
    runs: await eraseRuns(trx, integrationId, crmIds),
  };

  async function deleteFrom(table: OwnTable): Promise<number> {
    const { numDeletedRows } = await trx
      .deleteFrom(table)
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', crmIds)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}

/** Lets the next sync remove the member, first at the service, which still has the member. */
async function beginToLeave(trx: Trx, integrationId: string, donorId: string): Promise<void> {
  await trx
    .updateTable('network_members')
    .set((eb) => ({
      state: eb
        .case()
        .when('state', '=', 'adding')
        .then(eb.ref('state'))
        .else(sql.lit('leaving' as const))
        .end(),
      detail: ERASED_MEMBER,
    }))
    .where('donor_id', '=', donorId)
    .where('network', 'in', (eb) =>
      eb.selectFrom('networks').select('id').where('integration_id', '=', integrationId),
    )
    .execute();
}

async function eraseJobs(
  trx: Trx,
  integrationId: string,
  crmIds: readonly string[],
  now: number,
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('jobs')
    .set((eb) => ({
      crm_id: ERASED_ID,
      identity: '',
      person: null,
      // With this ID and the service key, the profile could be fetched as long as the service keeps it.
      job_id: null,
      state: eb
        .case()
        .when('state', 'in', UNDER_WAY)
        .then(sql.lit('delivered' as const))
        .else(eb.ref('state'))
        .end(),
      closed_at: eb
        .case()
        .when(eb.and([eb('state', 'in', UNDER_WAY), eb('closed_at', 'is', null)]))
        .then(eb.cast<number>(eb.val(now), 'bigint'))
        .else(eb.ref('closed_at'))
        .end(),
    }))
    .where('integration_id', '=', integrationId)
    .where('crm_id', 'in', crmIds)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

async function eraseRuns(
  trx: Trx,
  integrationId: string,
  crmIds: readonly string[],
): Promise<number> {
  const asked = await trx
    .deleteFrom('run_requests')
    .where('integration_id', '=', integrationId)
    .where('contact', 'in', crmIds)
    .returning('run_id')
    .execute();
  // A run has combined requests with this request but has not finished them. They must still be served.
  for (const { run_id } of asked) await separate(trx, run_id);
  const named = await trx
    .updateTable('runs')
    .set({ contact: null })
    .where('integration_id', '=', integrationId)
    .where('contact', 'in', crmIds)
    .executeTakeFirst();
  const listed = await trx
    .deleteFrom('run_rows')
    .where('crm_id', 'in', crmIds)
    .where('run_id', 'in', (eb) =>
      eb.selectFrom('runs').select('id').where('integration_id', '=', integrationId),
    )
    .executeTakeFirst();
  for (const id of crmIds) await unquoteInRuns(trx, integrationId, id);
  return asked.length + Number(named.numUpdatedRows + listed.numDeletedRows);
}

/**
 * Removes the ID from the reasons of failed runs, which may quote it. The JSON reports of these runs contain the same
 * reasons. Removes the ID there too.
 */
async function unquoteInRuns(trx: Trx, integrationId: string, crmId: string): Promise<void> {
  for (const column of ['reason_message', 'report'] as const) {
    const quoted = column === 'report' ? JSON.stringify(`"${crmId}"`).slice(1, -1) : `"${crmId}"`;
    await trx
      .updateTable('runs')
      .set({ [column]: sql`replace(${sql.ref(column)}, ${quoted}, '(erased)')` })
      .where('integration_id', '=', integrationId)
      .where(sql<boolean>`${sql.ref(column)} like ${`%${escaped(quoted)}%`} escape '!'`)
      .execute();
  }
}

/** Escapes a string for a `like` pattern in which `!` is the escape character. */
function escaped(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}
