/** The tables of contacts, and of marks that exclude most contacts. */
import {
  bigint,
  contactId,
  donorId,
  integer,
  nullable,
  personal,
  table,
  text,
  withDefault,
} from './table.ts';

export type ContactState =
  /** donor-sync has nothing to do until the CRM, the calendar or a user changes this. */
  | 'settled'
  /** The contact was chosen and waits to be submitted. */
  | 'due'
  /** The contact's submission or job is in progress. */
  | 'submitted'
  /** The profile waits to be delivered. */
  | 'ready'
  /** The contact waits for a user's decision. */
  | 'held'
  | 'removed';

/** The reason why a credit will be spent. */
export type DueReason =
  | 'never_enhanced'
  | 'identity_changed'
  /** The identity has changed, and a user has approved the enhancement. */
  | 'identity_change_approved'
  | 'profile_old'
  | 'resubmitted_by_person'
  | 'lost_answer_resubmitted'
  | 'job_vanished';

/** The meaning of a contact's last credit for the next credit. */
export type LastCredit =
  | 'stands'
  /** The contact changed during its request, or the response was lost. The next run decides again. */
  | 'outdated'
  /** The credit found nothing, or it counts as not spent. */
  | 'in_vain';

export const CONTACT_TABLES = {
  contacts: table(
    {
      key: ['integration_id', 'crm_id'],
      whenClientErased: 'deleted with its contact',
      exported: {
        as: 'contacts',
        columns: [
          'crm_id',
          'state',
          'donor_id',
          'asked_at',
          'last_credit',
          'enhanced_at',
          'outcome_reason',
          'outcome_detail',
          'outcome_at',
          'merged_into',
          'has_opted_out',
          'missing_since',
          'currency',
        ],
      },
      retention: 'removedContacts',
    },
    {
      integration_id: text(),
      crm_id: contactId({
        forget: 'row',
        about: 'contacts',
        whenRemoved: { kept: 'what was paid, and what is ours' },
      }),
      state: text<ContactState>(),
      identity: personal(text()),
      /** 1 if the CRM allows donor-sync to submit the contact. */
      eligible: personal(integer()),
      due_reason: personal(nullable(text<DueReason>())),
      /** 0 for members of mirrored groups, 1 for contacts that were never enhanced, 2 for all other contacts. */
      priority: integer(),
      /** The identity for which the last credit was spent, and the time of this credit. */
      asked_identity: personal(nullable(text())),
      asked_at: personal(nullable(bigint())),
      /** Whether the last credit is still valid. Null if no credit was spent. */
      last_credit: personal(nullable(text<LastCredit>())),
      /** The contact's job. If a contact leaves before its job ends and then returns, it gets this job back. */
      tracking_id: personal(nullable(text())),
      donor_id: nullable(donorId('contact')),
      /** The time at which a profile was last delivered. */
      enhanced_at: personal(nullable(bigint())),
      /**
       * JSON with the fingerprint of donor-sync's last value in each field. If the CRM's automation changed the value,
       * the fingerprint of the changed value follows after a space.
       */
      owned_values: personal(text()),
      /** The donor to whom these values belong. */
      values_donor: nullable(donorId('contact')),
      /** The identity for which these values were bought, in the same form as `identity`. */
      values_identity: personal(nullable(text())),
      /** The reason for the last result. */
      outcome_reason: personal(text()),
      /** The run of the last result. Null if a merge has created the row and no run has processed it yet. */
      outcome_run: nullable(text()),
      outcome_at: bigint(),
      /** Details of the reason for a user, without personal data. */
      outcome_detail: personal(nullable(text())),
      /** The last run that saw the contact in the CRM, or null. */
      seen_run: nullable(text()),
      /**
       * 1 once a run has read the departure, because the CRM may report the departure again. 0 after the contact has
       * been seen again.
       */
      departure_read: withDefault(integer()),
      /** The contact into which this contact was merged. The remaining contact may later inherit paid results. */
      merged_into: nullable(
        contactId({
          forget: 'otherwise',
          about: 'contacts',
          whenRemoved: { kept: 'what was paid, and what is ours' },
        }),
      ),
      /**
       * 1 for an opt-out, 2 for an objection to research. The mark is recorded even while work on the contact is in
       * progress. The contact is in no network, and pages show no data about it.
       */
      has_opted_out: personal(withDefault(integer())),
      /**
       * The time at which the contact went missing (epoch ms). A lookup or a complete reading did not find it, and the
       * CRM did not report a deletion. Null while the contact exists. The time is kept if the contact was removed for
       * this reason.
       */
      missing_since: nullable(bigint()),
      /** The currency of the record. Null if the CRM has no currencies. */
      currency: nullable(text()),
    },
  ),
  /** Values of marks that exclude more than half of the contacts. */
  mark_questions: table(
    {
      key: ['integration_id', 'mark'],
      whenClientErased: 'deleted',
      exported: { not: 'fingerprints' },
      retention: null,
    },
    {
      integration_id: text(),
      /** The fingerprint of the mark, its field and the value. */
      mark: personal(text()),
      asked_at: bigint(),
      /** The time at which a user confirmed that this value excludes contacts. Null until then. */
      confirmed_at: nullable(bigint()),
    },
  ),
};
