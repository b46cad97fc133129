/** Mirrored groups: the members in the CRM, the members at the service, and the steps in between. */
import { bigint, contactId, donorId, integer, nullable, personal, table, text } from './table.ts';

/** State of a donor in a network. */
export type MemberState =
  /** Part of a bulk add that has not ended. */
  | 'adding'
  | 'member'
  /** The intent to remove it is on disk, and the removal may have happened. */
  | 'leaving'
  /** The service knows no such donor. */
  | 'not_found'
  /** Paid for, or not provably unpaid, and not in the network; not tried again automatically. */
  | 'failed';

/**
 * `detail` of a member that is to leave because its contact was erased, as soon as the bulk add has
 * ended.
 */
export const ERASED_MEMBER = 'erased';

/** State of a bulk add; per key, at most one waits for a response. */
export type AddState =
  /** The intent is on disk; no response yet. */
  | 'intended'
  /** The response is lost, and its credits may be spent. */
  | 'lost'
  /** Accepted: the service works on its job. */
  | 'running'
  /** Charged without a response: its job may still be running, and its ID is not known. */
  | 'unclear'
  /** Ended; each donor is settled. */
  | 'done'
  /** Not charged. */
  | 'unpaid';

export const NETWORK_TABLES = {
  /** A group of the settings and the network of the service that mirrors it. */
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
      /** Fingerprint of the group's selector, which may quote a person's name. */
      selector: personal(text()),
      /** Its name in the service; before the network exists, its name in the settings. */
      name: personal(text()),
      /** The service's ID of the network; null until it is found or created. */
      network_id: nullable(text()),
      /** The last run that read the group completely, and when; null before the first. */
      read_run: nullable(text()),
      read_at: nullable(bigint()),
      created_at: bigint(),
    },
  ),
  /** The complete members of a group as the CRM last listed them. */
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
   * The mirror: one row for each donor of a network. A donor that was never added, or has left, has
   * none.
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
      /** The bulk add that added it; null if it was already there. */
      add_id: nullable(text()),
      /** Why it failed, as a word; `ERASED_MEMBER` if the contact was erased. */
      detail: personal(nullable(text())),
      since: bigint(),
    },
  ),
  /** One bulk add of at most 100 donors. */
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
      /** The service's ID of the network that it added to. */
      network_id: text(),
      state: text<AddState>(),
      donors: personal(integer()),
      /** Credits of the networks bucket, as far as known; until then all donors count as paid. */
      charged: nullable(integer()),
      /** The networks bucket's balance before the request. */
      balance_before: bigint(),
      job_id: nullable(text()),
      intended_at: bigint(),
      lost_at: nullable(bigint()),
      closed_at: nullable(bigint()),
    },
  ),
  /**
   * Donors that were added after the backup that this database was restored from, by the spending
   * journal. A row ends when its donor is to be added: then the database takes over that bulk add.
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
      /** The service's ID of the network. */
      network_id: text(),
      /** Fingerprint of the donor. */
      member_fingerprint: personal(text()),
      /** Null if the response is unknown. */
      job_id: nullable(text()),
      /** Number of donors in the bulk add. */
      donors: integer(),
      sent_at: bigint(),
    },
  ),
  /** The changes that a run made to a network. */
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
      /** Its position in the settings. */
      place: integer(),
      name: text(),
      added: integer(),
      removed: integer(),
      failed: integer(),
    },
  ),
};
