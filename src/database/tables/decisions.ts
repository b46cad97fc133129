/** What waits for a decision of a user, and the decisions. */
import { bigint, contactId, integer, nullable, personal, sealed, table, text } from './table.ts';

/** Why a contact waits for a person. */
export type HoldKind =
  | 'name_mismatch'
  | 'match_unsure'
  | 'lost_answer'
  | 'identity_mass_change'
  | 'profile_deceased'
  /** The values of another person could not all be replaced, so nothing was written. */
  | 'values_of_two_people'
  /** It has another name now, no profile that was paid for fits it, and it holds the values of the former name. */
  | 'new_person_unknown'
  /** The service now gives other donors for many contacts that did not change. */
  | 'donor_mass_change'
  /** It is missing together with many others: are they gone? */
  | 'contacts_missing'
  /** It was marked as opted out together with many others: are the marks right? */
  | 'mass_opt_out'
  /** The CRM asks for its erasure. */
  | 'erasure_requested'
  /** It looks like a person who was erased, or an erased contact was merged into it. */
  | 'forgotten_person';

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

export const DECISION_TABLES = {
  holds: table(
    {
      key: ['id'],
      whenClientErased: 'deleted with its contact',
      exported: {
        as: 'holds',
        columns: ['id', 'crm_id', 'kind', 'detail', 'opened_at', 'decision', 'decided_at'],
      },
      retention: 'outcomes',
    },
    {
      id: text(),
      integration_id: text(),
      crm_id: contactId({
        forget: 'row',
        about: 'holds',
        whenRemoved: { kept: '`retention.outcomes`' },
      }),
      kind: personal(text<HoldKind>()),
      /** Holds of one cause share this id; null for one that stands alone. */
      batch: nullable(text()),
      tracking_id: personal(text()),
      detail: personal(nullable(text())),
      opened_at: bigint(),
      decision: nullable(text<'approved' | 'rejected' | 'resubmitted' | 'superseded'>()),
      decided_at: nullable(bigint()),
    },
  ),
  network_holds: table(
    {
      key: ['id'],
      whenClientErased: 'deleted',
      exported: { not: 'names no contact' },
      retention: null,
    },
    {
      id: text(),
      integration_id: text(),
      network: text(),
      kind: text<NetworkHoldKind>(),
      /** What exactly is asked, as an id or a fingerprint; null once the matter is over. */
      subject: personal(nullable(text())),
      /** More for a person, without personal data. */
      detail: personal(nullable(text())),
      opened_at: bigint(),
      decision: nullable(text<'approved' | 'rejected' | 'superseded'>()),
      decided_at: nullable(bigint()),
    },
  ),
  /**
   * A decision that was made in a page and can still be taken back: it counts from `counts_at` on, or when
   * the next run of its integration begins, whichever comes first; then its row goes.
   */
  waiting_decisions: table(
    {
      key: ['id'],
      whenClientErased: 'deleted first',
      exported: { not: 'kept for ten seconds' },
      retention: null,
    },
    {
      id: text(),
      integration_id: text(),
      /** What `subject` is: the id of a hold of a contact or of a network, of a batch, or a kind of holds. */
      about: text<'contact' | 'network' | 'batch' | 'reason'>(),
      subject: personal(text()),
      /** Of a kind or a batch: it is about the holds that were opened until then (epoch ms); null for all. */
      opened_until: nullable(bigint()),
      decision: personal(text<'approved' | 'rejected' | 'resubmitted'>()),
      /** Sealed: who decided, for the audit. */
      actor: sealed({ with: 'key of the audit', boundTo: ['id'] }),
      counts_at: bigint(),
      /** When it began to count; from then on it cannot be taken back. */
      claimed_at: nullable(bigint()),
    },
  ),
  /**
   * Something that was asked for and does nothing before a second person confirms it. Its row goes when it is
   * done, refused or run out; the audit keeps that.
   */
  approvals: table(
    {
      key: ['id'],
      whenClientErased: 'deleted first',
      exported: { not: 'kept for seven days' },
      retention: null,
    },
    {
      id: text(),
      /** The first of those that it is about. */
      integration_id: text(),
      /** The contact that is to be forgotten; null for all else. */
      crm_id: nullable(
        contactId({ forget: 'otherwise', about: 'approvals', whenRemoved: { kept: 'seven days' } }),
      ),
      /** A keyed hash of what was asked for and of what it was about at that moment. */
      digest: text(),
      /** Sealed: what was asked for, about how much, and by which user. */
      asked: sealed({ with: 'key of the audit', boundTo: ['id', 'integration_id', 'crm_id'] }),
      asked_at: bigint(),
      runs_out_at: bigint(),
      /** When a second person has confirmed what is carried out outside of the database; null until then. */
      confirmed_at: nullable(bigint()),
      /** Sealed: who that was, for the audit. */
      confirmed_by: nullable(
        sealed({ with: 'key of the audit', boundTo: ['id', 'integration_id', 'crm_id'] }),
      ),
    },
  ),
  /** Erasures that started without a user, counted by day. */
  automatic_erasures: table(
    {
      key: ['integration_id', 'day'],
      whenClientErased: 'deleted',
      exported: { not: 'a count of one day' },
      retention: null,
    },
    {
      integration_id: text(),
      /** Days since 1970 in UTC. */
      day: integer(),
      count: integer(),
    },
  ),
};
