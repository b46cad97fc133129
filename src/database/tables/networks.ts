/** Mirrored groups: what the CRM wants, what the service has, and how it got there. */
import { bigint, contactId, donorId, integer, nullable, personal, table, text } from './table.ts';

/** Where a donor stands in a network. */
export type MemberState =
  /** Part of a bulk add that has not come to its end. */
  | 'adding'
  | 'member'
  /** Its removal is on disk as intended, and may have happened. */
  | 'leaving'
  /** The service knows no such donor. */
  | 'not_found'
  /** Paid for, or not provably unpaid, and not in the network; not tried again by itself. */
  | 'failed';

/** `detail` of who is to leave because the contact was erased, as soon as the bulk add has ended. */
export const ERASED_MEMBER = 'erased';

/** Where a bulk add stands; of those that wait for an answer there is at most one of a key. */
export type AddState =
  /** The intent is on disk; no answer yet. */
  | 'intended'
  /** The answer is lost, and its credits may be gone. */
  | 'lost'
  /** Accepted: the service works on its job. */
  | 'running'
  /** Charged without an answer: its job may still be at work, and its id is not known. */
  | 'unclear'
  /** At its end; each donor is settled. */
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
      /** The name the service knows it by; before there is a network, that of the settings. */
      name: personal(text()),
      /** The service's id of the network; null until it is found or created. */
      network_id: nullable(text()),
      /** The last run that read the group to its end, and when; null before the first. */
      read_run: nullable(text()),
      read_at: nullable(bigint()),
      created_at: bigint(),
    },
  ),
  /** The members of a group as the CRM listed them last, whole. */
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
  /** The mirror: one row for each donor of a network; who was never added, or has left, has none. */
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
      /** The bulk add that brought it here; null if it was there without one. */
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
      /** The service's id of the network it went to. */
      network_id: text(),
      state: text<AddState>(),
      donors: personal(integer()),
      /** Credits of the networks bucket, as far as is known; until then all donors count as paid. */
      charged: nullable(integer()),
      /** The networks bucket's balance before the request. */
      balance_before: bigint(),
      job_id: nullable(text()),
      intended_at: bigint(),
      lost_at: nullable(bigint()),
      closed_at: nullable(bigint()),
    },
  ),
  /** What a run did to a network. */
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
      /** Its place in the settings. */
      place: integer(),
      name: text(),
      added: integer(),
      removed: integer(),
      failed: integer(),
    },
  ),
};
