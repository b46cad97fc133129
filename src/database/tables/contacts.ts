/** A contact’s life, and marks that exclude most contacts. */
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

/** The state of a contact. */
export type ContactState =
  /** Nothing to do until the CRM, the calendar or a user changes that. */
  | 'settled'
  /** Chosen, and waiting to be submitted. */
  | 'due'
  /** Part of an open submission, or its job is running. */
  | 'submitted'
  /** Its job is done, and the profile waits to be fetched and delivered. */
  | 'ready'
  /** Waits for a user's decision. */
  | 'held'
  /** Gone from the CRM. */
  | 'removed';

/** Why a credit is to be spent on a contact. */
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
  /** The result was for the contact's current data. */
  | 'stands'
  /**
   * While the request was in flight, the contact changed or its response was lost. The next run decides about
   * it again.
   */
  | 'outdated'
  /** The credit returned nothing, or counts as not spent, so the contact may be submitted again. */
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
      /** The fingerprint of the name, the addresses and the employers as last read. */
      identity: personal(text()),
      /** 1 if its CRM record allows the contact to be submitted, because it has names and no opt-out. */
      eligible: personal(integer()),
      due_reason: personal(nullable(text<DueReason>())),
      /** 0 for members of mirrored groups, 1 for contacts that were never enhanced, 2 for all others. */
      priority: integer(),
      /** The identity on which the last credit was spent, and when. */
      asked_identity: personal(nullable(text())),
      asked_at: personal(nullable(bigint())),
      /** Whether that credit still counts. Null if no credit was ever spent. */
      last_credit: personal(nullable(text<LastCredit>())),
      /** The current job. If a contact left before its job ended, it has the job again when it returns. */
      tracking_id: personal(nullable(text())),
      donor_id: nullable(donorId('contact')),
      /** When a profile was last delivered. */
      enhanced_at: personal(nullable(bigint())),
      /**
       * JSON that maps each field to the fingerprint of the value that we wrote last. If the CRM's automation has
       * changed that value, the fingerprint of the changed value follows after a space.
       */
      owned_values: personal(text()),
      /** The donor that those values belong to. Null if nothing was ever delivered. */
      values_donor: nullable(donorId('contact')),
      /**
       * The identity that those values were bought for, in the form of `identity`. Null if nothing was ever delivered.
       */
      values_identity: personal(nullable(text())),
      /** The result of the last run that processed the contact, and the reason. */
      outcome_reason: personal(text()),
      /** Null in a row that a merge has created and that no run has processed. */
      outcome_run: nullable(text()),
      outcome_at: bigint(),
      /** Details of the reason for a user, without personal data. */
      outcome_detail: personal(nullable(text())),
      /** The run that last saw it in the CRM, or null if no run has seen it. */
      seen_run: nullable(text()),
      /**
       * 1 once it was read that the contact left the CRM, because the CRM may report this again. 0 when the contact is
       * seen again.
       */
      departure_read: withDefault(integer()),
      /**
       * The contact into which it was merged when it left. That contact may later inherit the paid results.
       */
      merged_into: nullable(
        contactId({
          forget: 'otherwise',
          about: 'contacts',
          whenRemoved: { kept: 'what was paid, and what is ours' },
        }),
      ),
      /**
       * 1 if the contact had opted out when it was last read, 2 if its person objects. This is recorded even while work
       * for the contact is in progress. Such a contact is in no network, and no data about it is shown.
       */
      has_opted_out: personal(withDefault(integer())),
      /**
       * The time since when the contact has not been found by a lookup or a complete reading, although nothing shows
       * that it was deleted (epoch ms). Null while it is there. If the contact was removed for this reason, the value
       * stays.
       */
      missing_since: nullable(bigint()),
      /**
       * The currencies of its record when it was last read (`currenciesText`). Null if the CRM has none on its records.
       */
      currency: nullable(text()),
    },
  ),
  /** Values of a mark that has excluded more than half of the contacts. */
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
      /** When a user confirmed that contacts with this value should be excluded. Null until then. */
      confirmed_at: nullable(bigint()),
    },
  ),
};
