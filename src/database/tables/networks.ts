/** The tables of mirrored groups: their members in the CRM and at the service, and changes in progress. */
import { bigint, contactId, donorId, integer, nullable, personal, table, text } from './table.ts';

/** The state of a donor in a network. */
export type MemberState =
  /** The donor is part of a bulk add that has not ended. */
  | 'adding'
  | 'member'
  /** The intent to remove the donor is saved on disk, and the service may have removed the donor. */
  | 'leaving'
  /** The service does not know this donor. */
  | 'not_found'
  /** The donor may have been paid for but is not in the network. donor-sync does not try again automatically. */
  | 'failed';

/** The detail of a member whose contact was erased. The member leaves the network when the bulk add has ended. */
export const ERASED_MEMBER = 'erased';

/** The state of a bulk add. For each service key, at most one bulk add has no response. */
export type AddState =
  /** The intent is saved on disk, and there is no response yet. */
  | 'intended'
  /** The response is lost, and credits may have been spent. */
  | 'lost'
  /** The service has accepted the bulk add and is working on its job. */
  | 'running'
  /**
   * The bulk add was charged, but its response was lost. The job of the bulk add may still be running, and the job's ID
   * is unknown.
   */
  | 'unclear'
  /** The bulk add has ended. */
  | 'done'
  /** The bulk add was not charged. */
  | 'unpaid';

export const NETWORK_TABLES = {
  /** A group in the settings, and the network at the service that mirrors the group. */
  networks: table(
    {
      key: ['id'],
      whenClientErased: 'deleted with its network',
      exported: { as: 'networks', columns: ['id', 'name', 'network_id', 'read_at', 'created_at'] },
      retention: null,
    },
    {
      id: text(),
      integration_id: text(),
      selector: personal(text()),
      /** The network's name at the service. Until the network exists, this is its name in the settings. */
      name: personal(text()),
      /** The network's ID at the service. Null until donor-sync has found or created the network. */
      network_id: nullable(text()),
      /** The last run that read the group completely. Null before the first complete reading. */
      read_run: nullable(text()),
      read_at: nullable(bigint()),
      created_at: bigint(),
    },
  ),
  network_wanted: table(
    {
      key: ['network', 'crm_id'],
      whenClientErased: 'deleted',
      exported: { as: 'groups', columns: ['network', 'crm_id'] },
      retention: null,
    },
    {
      network: text(),
      integration_id: text(),
      crm_id: contactId({ forget: 'row', about: 'groups', whenRemoved: 'deleted' }),
    },
  ),
  /**
   * The members of networks. Each donor who is a member of a network has one row. A donor who was never added or who
   * has left has no row.
   */
  network_members: table(
    {
      key: ['network', 'donor_id'],
      whenClientErased: 'deleted with its network',
      exported: {
        as: 'network-members',
        columns: ['network', 'donor_id', 'state', 'detail', 'since'],
      },
      retention: null,
    },
    {
      network: text(),
      donor_id: donorId('member'),
      state: personal(text<MemberState>()),
      /** The bulk add that added the donor. Null if the donor was already a member. */
      add_id: nullable(text()),
      /** The reason for a failure, in one word. `ERASED_MEMBER` if the contact was erased. */
      detail: personal(nullable(text())),
      since: bigint(),
    },
  ),
  /** The bulk adds. A bulk add has at most 100 donors. */
  network_adds: table(
    {
      key: ['id'],
      whenClientErased: 'counted',
      exported: { not: 'names no contact' },
      retention: null,
    },
    {
      id: text(),
      integration_id: text(),
      run_id: text(),
      partner_key: text(),
      network: text(),
      /** The network's ID at the service. */
      network_id: text(),
      state: text<AddState>(),
      donors: personal(integer()),
      /** The number of charged credits. Until it is known, all donors count as paid for. */
      charged: nullable(integer()),
      /** The balance of the networks bucket before the request. */
      balance_before: bigint(),
      job_id: nullable(text()),
      intended_at: bigint(),
      lost_at: nullable(bigint()),
      closed_at: nullable(bigint()),
    },
  ),
  /**
   * Donors that were added after the restored backup, according to the spending journal. A row is deleted when its
   * donor will be added, because the database then adopts the bulk add.
   */
  recalled_adds: table(
    {
      key: ['add_id', 'member_fingerprint'],
      whenClientErased: 'deleted',
      exported: { not: 'fingerprints' },
      retention: null,
    },
    {
      add_id: text(),
      integration_id: text(),
      partner_key: text(),
      /** The service's ID for the network. */
      network_id: text(),
      /** The fingerprint of the donor. */
      member_fingerprint: personal(text()),
      /** The job's ID at the service. Null if there was no response. */
      job_id: nullable(text()),
      /** The number of donors in the bulk add. */
      donors: integer(),
      sent_at: bigint(),
    },
  ),
  /** The changes that each run made to each network. */
  network_counts: table(
    {
      key: ['run_id', 'network'],
      whenClientErased: 'deleted with its run',
      exported: { not: 'names no contact' },
      retention: null,
    },
    {
      run_id: text(),
      network: text(),
      /** The network's position in the settings. */
      place: integer(),
      name: text(),
      added: integer(),
      removed: integer(),
      failed: integer(),
    },
  ),
};
