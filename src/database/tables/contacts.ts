/** Contacts, and marks that exclude most of them. */
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
  /** Nothing to do until the CRM, the calendar or a user changes this. */
  | 'settled'
  /** Chosen, and waiting to be submitted. */
  | 'due'
  /** The contact's submission or job is in progress. */
  | 'submitted'
  /** The profile waits to be delivered. */
  | 'ready'
  /** The contact waits for a user's decision. */
  | 'held'
  | 'removed';

/** Why a credit is to be spent. */
export type DueReason =
  | 'never_enhanced'
  | 'identity_changed'
  /** The same, after a user has approved it. */
  | 'identity_change_approved'
  | 'profile_old'
  | 'resubmitted_by_person'
  | 'lost_answer_resubmitted'
  | 'job_vanished';

/** The effect of a contact's last credit on the next credit. */
export type LastCredit =
  | 'stands'
  /** The contact changed during its request, or the response was lost. The next run decides again. */
  | 'outdated'
  /** The credit found nothing or counts as not spent. */
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
      /** 1 if the CRM allows the contact to be submitted. */
      eligible: personal(integer()),
      due_reason: personal(nullable(text<DueReason>())),
      /** 0 for members of mirrored groups, 1 for contacts that were never enhanced, 2 for others. */
      priority: integer(),
      /** The identity and the time of the last credit. */
      asked_identity: personal(nullable(text())),
      asked_at: personal(nullable(bigint())),
      /** Whether that credit is still valid. Null if no credit was spent. */
      last_credit: personal(nullable(text<LastCredit>())),
      /** A contact that left before its job ended gets the job back when it returns. */
      tracking_id: personal(nullable(text())),
      donor_id: nullable(donorId('contact')),
      /** When a profile was last delivered. */
      enhanced_at: personal(nullable(bigint())),
      /**
       * JSON: the fingerprint of our last value in each field. If the CRM's automation changed it, the changed value's
       * fingerprint follows after a space.
       */
      owned_values: personal(text()),
      /** The donor of these values. */
      values_donor: nullable(donorId('contact')),
      /** The identity of these values, as in `identity`. */
      values_identity: personal(nullable(text())),
      /** The reason for the last result. */
      outcome_reason: personal(text()),
      /** Null if a merge has created the row and no run has processed it. */
      outcome_run: nullable(text()),
      outcome_at: bigint(),
      /** Details of the reason for a user, without personal data. */
      outcome_detail: personal(nullable(text())),
      /** The last run that saw it in the CRM, or null. */
      seen_run: nullable(text()),
      /**
       * 1 once a run has read the departure, because the CRM may report it again. 0 after the contact is seen again.
       */
      departure_read: withDefault(integer()),
      /** The remaining contact after a merge. It may inherit paid results later. */
      merged_into: nullable(
        contactId({
          forget: 'otherwise',
          about: 'contacts',
          whenRemoved: { kept: 'what was paid, and what is ours' },
        }),
      ),
      /**
       * 1 for an opt-out, 2 for an objection to research. Recorded even while work is in progress. The contact is in no
       * network, and nothing about it is shown.
       */
      has_opted_out: personal(withDefault(integer())),
      /**
       * When the contact went missing (epoch ms). A lookup or a complete reading did not find it, and nothing shows a
       * deletion. Null while the contact exists. Kept if the contact was removed for this reason.
       */
      missing_since: nullable(bigint()),
      /** Null if the CRM has no currencies. */
      currency: nullable(text()),
    },
  ),
  /** Mark values that exclude more than half of the contacts. */
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
      /** Null until a user confirms that this value excludes contacts. */
      confirmed_at: nullable(bigint()),
    },
  ),
};
