/** Mirrored groups: the members in the CRM, the members at the service, and the steps in between. */
import { bigint, contactId, donorId, integer, nullable, personal, table, text } from './table.ts';

/** State of a donor in a network. */
export type MemberState =
  /** Part of a bulk add that has not ended. */
  | 'adding'
  | 'member'
  /** The intent to remove the donor is on disk, and the removal may have happened. */
  | 'leaving'
  /** The service knows no such donor. */
  | 'not_found'
  /** Paid for, or not provably unpaid, and not in the network. It is not tried again automatically. */
  | 'failed';

/** The `detail` of a member whose contact was erased. The member leaves as soon as the bulk add has ended. */
export const ERASED_MEMBER = 'erased';

/** The state of a bulk add. Each key has at most one that waits for a response. */
export type AddState =
  /** The intent is on disk, and there is no response yet. */
  | 'intended'
  /** The response is lost, and its credits may have been spent. */
  | 'lost'
  /** Accepted. The service is working on its job. */
  | 'running'
  /** Charged without a response. Its job may still be running, and its ID is not known. */
  | 'unclear'
  /** Ended. Each donor is settled. */
  | 'done'
  /** Not charged. */
  | 'unpaid';

export const NETWORK_TABLES = {
  /** A group of the settings, and the network of the service that mirrors it. */
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
      /** The fingerprint of the group's selector, which may quote a person's name. */
      selector: personal(text()),
      /** The network's name at the service. Until the network exists, its name in the settings. */
      name: personal(text()),
      /** The service's ID for the network. Null until it is found or created. */
      network_id: nullable(text()),
      /** The last run that read the group completely. Null before the first such run. */
      read_run: nullable(text()),
      read_at: nullable(bigint()),
      created_at: bigint(),
    },
  ),
  /** All members of a group, as the CRM last listed them. */
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
  /** The mirror. Each donor of a network has one row. A donor who was never added, or has left, has none. */
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
      /** The bulk add that added the donor, or null if the donor was already in the network. */
      add_id: nullable(text()),
      /** Why adding failed, as one word. `ERASED_MEMBER` if the contact was erased. */
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
      /** The service's ID of the network to which it added. */
      network_id: text(),
      state: text<AddState>(),
      donors: personal(integer()),
      /** Credits of the networks bucket, as far as known. Until they are known, all donors count as paid. */
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
   * Donors that were added after the backup that was restored, according to the spending journal. A row ends when its
   * donor is to be added, because the database then adopts that bulk add.
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
      /** The fingerprint of the donor. */
      member_fingerprint: personal(text()),
      /** Null if the response is unknown. */
      job_id: nullable(text()),
      /** The number of donors in the bulk add. */
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
