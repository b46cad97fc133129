/** Reads all stored data about a contact, table by table. `erase-rows.ts` erases the data that this file reads. */
import { parseOwned } from '../../contacts/owned-values.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { Reader } from '../../database/reader.ts';
import type { AboutPart } from './contact-places.ts';
import { VALUES_PURGED } from './retention.ts';

/** The stored data about a contact in one integration. All times in this data are in epoch milliseconds. */
export type AboutContact = Awaited<ReturnType<typeof readAboutContact>>;

/** Reads the stored data about a contact. `crmIds` are the forms of the contact's ID. */
export async function readAboutContact(
  reader: Reader,
  fingerprint: Fingerprint,
  integrationId: string,
  crmIds: readonly string[],
) {
  const ofContact = { integrationId, crmIds };
  const contacts = await reader
    .selectFrom('contacts')
    .where('integration_id', '=', integrationId)
    .where('crm_id', 'in', crmIds)
    .selectAll('contacts')
    .execute();
  const donors = contacts.flatMap(({ donor_id }) => donor_id ?? []);
  const writes = await reader
    .selectFrom('writes')
    .where('integration_id', '=', integrationId)
    .where('crm_id', 'in', crmIds)
    .selectAll('writes')
    .orderBy('written_at')
    .execute();
  return {
    integrationId,
    contacts: contacts.map((row) => ({
      crmId: row.crm_id,
      state: row.state,
      donorId: row.donor_id,
      paidAt: row.asked_at,
      enhancedAt: row.enhanced_at,
      reason: row.outcome_reason,
      at: row.outcome_at,
      mergedInto: row.merged_into,
      ourFields: Object.keys(parseOwned(row.owned_values)),
    })),
    jobs: await reader
      .selectFrom('jobs')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', crmIds)
      .select(['reason', 'state', 'job_id as jobId', 'submitted_at as submittedAt'])
      .orderBy('submitted_at')
      .execute(),
    writes: writes.map((row) => ({
      run: row.run_id,
      at: row.written_at,
      state: row.state,
      fields: Object.keys(parseOwned(row.after)),
      hasValuesBefore: row.before !== VALUES_PURGED,
    })),
    holds: await reader
      .selectFrom('questions')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', crmIds)
      .select(['id', 'kind', 'opened_at as openedAt', 'decision', 'decided_at as decidedAt'])
      .orderBy('opened_at')
      .execute(),
    warmPaths: await reader
      .selectFrom('warm_paths')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', crmIds)
      .select(['people', 'computed_at as computedAt', 'introducer_id as introducerId'])
      .execute(),
    keptProfiles: await reader
      .selectFrom('kept_profiles')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', crmIds)
      .select(['kept_at as keptAt', 'is_delivered as isDelivered', 'opted_out_at as optedOutAt'])
      .select((eb) => eb('profile', '<>', '').as('isThere'))
      .execute(),
    notInCrm: await reader
      .selectFrom('value_states')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', crmIds)
      .select(['field', 'state', 'since'])
      .orderBy('field')
      .execute(),
    ...(await findAsDonor(reader, integrationId, donors)),
    groups: await findGroups(reader, ofContact),
    ...(await countMentions(reader, ofContact)),
    blocks: await findBlocks(reader, fingerprint, ofContact),
  } satisfies Record<AboutPart, unknown> & Record<string, unknown>;
}

/** Finds data about the contact's donor. */
async function findAsDonor(reader: Reader, integrationId: string, donors: readonly string[]) {
  if (donors.length === 0) return { introduces: 0, networks: [] };
  const introduced = await reader
    .selectFrom('warm_paths')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    .where('introducer_id', 'in', donors)
    .execute();
  const networks = await reader
    .selectFrom('network_members')
    .innerJoin('networks', 'networks.id', 'network_members.network')
    .select('networks.name')
    .where('networks.integration_id', '=', integrationId)
    .where('network_members.donor_id', 'in', donors)
    .orderBy('networks.name')
    .execute();
  return { introduces: introduced.length, networks: networks.map(({ name }) => name) };
}

async function findGroups(reader: Reader, { integrationId, crmIds }: OfContact): Promise<string[]> {
  const rows = await reader
    .selectFrom('network_wanted')
    .innerJoin('networks', 'networks.id', 'network_wanted.network')
    .select('networks.name')
    .where('network_wanted.integration_id', '=', integrationId)
    .where('network_wanted.crm_id', 'in', crmIds)
    .orderBy('networks.name')
    .execute();
  return rows.map(({ name }) => name);
}

/** Counts rows that mention the contact and contain little other data about the contact. */
async function countMentions(reader: Reader, { integrationId, crmIds }: OfContact) {
  const counts = { contact_statuses: 0, foreign_texts: 0, audit: 0, run_rows: 0, asked: 0 };
  for (const table of ['contact_statuses', 'foreign_texts'] as const) {
    const rows = await reader
      .selectFrom(table)
      .select('crm_id')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', crmIds)
      .execute();
    counts[table] = rows.length;
  }
  for (const table of ['run_requests', 'runs'] as const) {
    const rows = await reader
      .selectFrom(table)
      .select('contact')
      .where('integration_id', '=', integrationId)
      .where('contact', 'in', crmIds)
      .execute();
    counts.asked += rows.length;
  }
  const lists = await reader
    .selectFrom('listed_contacts')
    .select('person_id')
    .where('integration_id', '=', integrationId)
    .where('crm_id', 'in', crmIds)
    .execute();
  const approvals = await reader
    .selectFrom('answers')
    .select('id')
    .where('integration_id', '=', integrationId)
    .where('crm_id', 'in', crmIds)
    .execute();
  const runRows = await reader
    .selectFrom('run_rows')
    .innerJoin('runs', 'runs.id', 'run_rows.run_id')
    .select('run_rows.at')
    .where('runs.integration_id', '=', integrationId)
    .where('run_rows.crm_id', 'in', crmIds)
    .execute();
  const audit = await reader
    .selectFrom('audit_entries')
    .innerJoin('audit_keys', 'audit_keys.id', 'audit_entries.key_id')
    .select('audit_entries.seq')
    .where('audit_keys.integration_id', '=', integrationId)
    .where('audit_keys.crm_id', 'in', crmIds)
    .execute();
  return {
    statuses: counts.contact_statuses,
    texts: counts.foreign_texts,
    runsAsked: counts.asked,
    approvals: approvals.length,
    lists: lists.length,
    runRows: runRows.length,
    auditEntries: audit.length,
  };
}

function findBlocks(
  reader: Reader,
  fingerprint: Fingerprint,
  { integrationId, crmIds }: OfContact,
) {
  const fingerprints = crmIds.map((id) => fingerprint('forgotten', id));
  return reader
    .selectFrom('forgotten')
    .select(['state', 'forgotten_at as since', 'erased_at as erasedAt'])
    .where('integration_id', '=', integrationId)
    .where('crm_id_fingerprint', 'in', fingerprints)
    .execute();
}

interface OfContact {
  integrationId: string;
  crmIds: readonly string[];
}
