/** The tables of mirrored groups: what the CRM wants, what the service has, and how it got there. */

export interface NetworkTables {
  networks: NetworksTable;
  network_wanted: NetworkWantedTable;
  network_members: NetworkMembersTable;
  network_adds: NetworkAddsTable;
  network_holds: NetworkHoldsTable;
  network_counts: NetworkCountsTable;
}

/** A group of the settings and the network of the service that mirrors it. */
export interface NetworksTable {
  id: string;
  integration_id: string;
  /** Fingerprint of the group's selector, which may quote a person's name. */
  selector: string;
  /** The name the service knows it by; before there is a network, that of the settings. */
  name: string;
  /** The service's id of the network; null until it is found or created. */
  network_id: string | null;
  /** The last run that read the group to its end, and when; null before the first. */
  read_run: string | null;
  read_at: number | null;
  created_at: number;
}

/** The members of a group as the CRM listed them last, whole. */
export interface NetworkWantedTable {
  network: string;
  integration_id: string;
  crm_id: string;
}

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

/** The mirror: one row for each donor of a network; who was never added, or has left, has none. */
export interface NetworkMembersTable {
  network: string;
  donor_id: string;
  state: MemberState;
  /** The bulk add that brought it here; null if it was there without one. */
  add_id: string | null;
  /** Why it failed, as a word; `ERASED_MEMBER` if the contact was erased. */
  detail: string | null;
  since: number;
}

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

/** One bulk add of at most 100 donors. */
export interface NetworkAddsTable {
  id: string;
  integration_id: string;
  run_id: string;
  partner_key: string;
  network: string;
  /** The service's id of the network it went to. */
  network_id: string;
  state: AddState;
  donors: number;
  /** Credits of the networks bucket, as far as is known; until then all donors count as paid. */
  charged: number | null;
  /** The networks bucket's balance before the request. */
  balance_before: number;
  job_id: string | null;
  intended_at: number;
  lost_at: number | null;
  closed_at: number | null;
}

/** Why a network waits for a person. */
export type NetworkHoldKind =
  /** More than half of its members would leave. */
  | 'group_shrunk'
  /** The group cannot be read to its end. */
  | 'group_unreadable'
  /** The service does not have the network any more. */
  | 'network_deleted'
  /** Another network has the name already. */
  | 'name_taken'
  /** The service refuses the network or its members as invalid. */
  | 'network_refused';

export interface NetworkHoldsTable {
  id: string;
  integration_id: string;
  network: string;
  kind: NetworkHoldKind;
  /** What exactly is asked, as an id or a fingerprint; null once the matter is over. */
  subject: string | null;
  /** More for a person, without personal data. */
  detail: string | null;
  opened_at: number;
  decision: 'approved' | 'rejected' | 'superseded' | null;
  decided_at: number | null;
}

/** What a run did to a network. */
export interface NetworkCountsTable {
  run_id: string;
  network: string;
  /** Its place in the settings. */
  place: number;
  name: string;
  added: number;
  removed: number;
  failed: number;
}
