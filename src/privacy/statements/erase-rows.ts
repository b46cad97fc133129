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

/** The numbers of a contact's erased items, by kind. The numbers of erased items do not identify the contact. */
export interface ErasedRows {
  contacts: number;
  /**
   * The number of charges that donor-sync keeps. The erasure removes the contact of these charges and the job ID that
   * could fetch the profile.
   */
  jobs: number;
  holds: number;
  writes: number;
  paths: number;
  /** The number of paid profiles that were erased, together with their decryption keys. */
  profiles: number;
  /** The number of other contacts' paths in which the person is the introducer. */
  introductions: number;
  /** The number of memberships in CRM groups. */
  groups: number;
  /** The number of requested runs, and of rows in which runs recorded data about the contact. */
  runs: number;
  /** The IDs of destroyed audit keys. Nobody can read data that was encrypted with a destroyed key. */
  keys: readonly string[];
}

/**
 * The states of jobs whose profile could still be fetched. The erasure closes jobs in these states, so nobody can fetch
 * their profiles.
 */
const UNDER_WAY: JobState[] = ['processing', 'completed', 'held'];

/** Decides whether the erasure keeps fingerprints of the values that donor-sync wrote to a contact. */
export interface ValuesInCrm {
  fingerprint: Fingerprint;
  /**
   * True if the contact's CRM fields may still contain values. False if they were empty when donor-sync read them. The
   * erasure then keeps no fingerprints.
   */
  mayBeLeft: boolean;
}

/**
 * Removes requests to erase the contact if a second user has not confirmed them yet. A confirmed request is removed
 * after its erasure.
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

/** Erases a contact from every table. `forms` contains the forms of the contact's ID. */
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
  // Deletes all stored CRM messages of the integration, because any message may contain the person's name. For example,
  // a duplicate rule names the other contact.
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

/**
 * Marks a network membership for removal. The next sync removes the donor at the service first, because the service
 * still has the donor.
 */
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
      // With the job ID and the service key, someone could fetch the profile as long as the service keeps it.
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
  // A run has combined other requests with this request and has not finished them. A run must still carry out the other
  // requests.
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
 * Removes a contact's ID from the error messages of failed runs. The JSON reports of these runs contain the same
 * messages, so the ID is removed there too.
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
