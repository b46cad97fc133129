/** Everything that the database holds of a contact, table by table; `erase-rows.ts` erases the same. */
import { parseOwned } from '../../contacts/owned-values.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { Database } from '../../database/tables/tables.ts';
import type { AboutPart } from './contact-places.ts';
import { VALUES_PURGED } from './retention.ts';

/** What is held of a contact in one integration. Instants are epoch ms. */
export type AboutContact = Awaited<ReturnType<ReturnType<typeof aboutQueries>['find']>>;

export function aboutQueries(db: Database, fingerprint: Fingerprint) {
  return {
    /** `crmIds` are the forms of the contact's id. */
    async find(integrationId: string, crmIds: readonly string[]) {
      const ofContact = { integrationId, crmIds };
      const contacts = await db
        .selectFrom('contacts')
        .where('integration_id', '=', integrationId)
        .where('crm_id', 'in', crmIds)
        .selectAll('contacts')
        .execute();
      const donors = contacts.flatMap(({ donor_id }) => donor_id ?? []);
      const writes = await db
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
          // Its sign says that it is to be thought about again.
          paidAt: row.asked_at === null ? null : Math.abs(row.asked_at),
          enhancedAt: row.enhanced_at,
          reason: row.outcome_reason,
          at: row.outcome_at,
          mergedInto: row.merged_into,
          ourFields: Object.keys(parseOwned(row.owned_values)),
        })),
        jobs: await db
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
        holds: await db
          .selectFrom('questions')
          .where('integration_id', '=', integrationId)
          .where('crm_id', 'in', crmIds)
          .select(['id', 'kind', 'opened_at as openedAt', 'decision', 'decided_at as decidedAt'])
          .orderBy('opened_at')
          .execute(),
        warmPaths: await db
          .selectFrom('warm_paths')
          .where('integration_id', '=', integrationId)
          .where('crm_id', 'in', crmIds)
          .select(['people', 'computed_at as computedAt', 'introducer_id as introducerId'])
          .execute(),
        keptProfiles: await db
          .selectFrom('kept_profiles')
          .where('integration_id', '=', integrationId)
          .where('crm_id', 'in', crmIds)
          .select([
            'kept_at as keptAt',
            'is_delivered as isDelivered',
            'opted_out_at as optedOutAt',
          ])
          .select((eb) => eb('profile', '<>', '').as('isThere'))
          .execute(),
        notInCrm: await db
          .selectFrom('value_states')
          .where('integration_id', '=', integrationId)
          .where('crm_id', 'in', crmIds)
          .select(['field', 'state', 'since'])
          .orderBy('field')
          .execute(),
        ...(await findAsDonor(integrationId, donors)),
        groups: await findGroups(ofContact),
        ...(await countMentions(ofContact)),
        blocks: await findBlocks(ofContact),
      } satisfies Record<AboutPart, unknown> & Record<string, unknown>;
    },
  };

  /** What says something of the donor that the contact is. */
  async function findAsDonor(integrationId: string, donors: readonly string[]) {
    if (donors.length === 0) return { introduces: 0, networks: [] };
    const introduced = await db
      .selectFrom('warm_paths')
      .select('crm_id')
      .where('integration_id', '=', integrationId)
      .where('introducer_id', 'in', donors)
      .execute();
    const networks = await db
      .selectFrom('network_members')
      .innerJoin('networks', 'networks.id', 'network_members.network')
      .select('networks.name')
      .where('networks.integration_id', '=', integrationId)
      .where('network_members.donor_id', 'in', donors)
      .orderBy('networks.name')
      .execute();
    return { introduces: introduced.length, networks: networks.map(({ name }) => name) };
  }

  async function findGroups({ integrationId, crmIds }: OfContact): Promise<string[]> {
    const rows = await db
      .selectFrom('network_wanted')
      .innerJoin('networks', 'networks.id', 'network_wanted.network')
      .select('networks.name')
      .where('network_wanted.integration_id', '=', integrationId)
      .where('network_wanted.crm_id', 'in', crmIds)
      .orderBy('networks.name')
      .execute();
    return rows.map(({ name }) => name);
  }

  /** Rows that name the contact and say little more. */
  async function countMentions({ integrationId, crmIds }: OfContact) {
    const counts = { contact_statuses: 0, foreign_texts: 0, audit: 0, run_rows: 0, asked: 0 };
    for (const table of ['contact_statuses', 'foreign_texts'] as const) {
      const rows = await db
        .selectFrom(table)
        .select('crm_id')
        .where('integration_id', '=', integrationId)
        .where('crm_id', 'in', crmIds)
        .execute();
      counts[table] = rows.length;
    }
    for (const table of ['run_requests', 'runs'] as const) {
      const rows = await db
        .selectFrom(table)
        .select('contact')
        .where('integration_id', '=', integrationId)
        .where('contact', 'in', crmIds)
        .execute();
      counts.asked += rows.length;
    }
    const approvals = await db
      .selectFrom('answers')
      .select('id')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', crmIds)
      .execute();
    const runRows = await db
      .selectFrom('run_rows')
      .innerJoin('runs', 'runs.id', 'run_rows.run_id')
      .select('run_rows.at')
      .where('runs.integration_id', '=', integrationId)
      .where('run_rows.crm_id', 'in', crmIds)
      .execute();
    const audit = await db
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
      runRows: runRows.length,
      auditEntries: audit.length,
    };
  }

  function findBlocks({ integrationId, crmIds }: OfContact) {
    const fingerprints = crmIds.map((id) => fingerprint('forgotten', id));
    return db
      .selectFrom('forgotten')
      .select(['state', 'forgotten_at as since', 'erased_at as erasedAt'])
      .where('integration_id', '=', integrationId)
      .where('crm_id_fingerprint', 'in', fingerprints)
      .execute();
  }
}

interface OfContact {
  integrationId: string;
  crmIds: readonly string[];
}
