/** Values that were written to the CRM, paid profiles, and profile values that the CRM lacks, with the reasons. */
import {
  bigint,
  contactId,
  donorFingerprint,
  donorId,
  integer,
  nullable,
  personal,
  sealed,
  table,
  text,
} from './table.ts';

/** Why a value of a profile is not in its field. */
export type ValueState =
  /** The CRM rejected it. */
  | 'refused'
  | 'no_such_field'
  | 'no_permission'
  | 'does_not_fit'
  /**
   * The field shows amounts in its record's currency, which is not US dollars, and the settings do not convert amounts.
   */
  | 'other_currency'
  /** The CRM has no exchange rate for the currency, or hides its rates. */
  | 'no_rate'
  /** The record's currency has changed. The next delivery checks the amount. */
  | 'currency_changed'
  /** The field contains only part of the value, because it is too short or lacks some of the options. */
  | 'shortened'
  /** The field contains a user's value, or its rule protects the current value. */
  | 'kept_for_user'
  /** The value was in the field, and a user has cleared the field. */
  | 'emptied'
  /** The value was in the field, and a user has undone the run that wrote it. */
  | 'undone';

/** The `field_map` of a kept profile that was never offered to the CRM record. */
export const NEVER_OFFERED = '';

/**
 * The `seen` value for a contact that was unavailable, or whose field was. Its record may have lost the
 * status.
 */
export const MAY_BE_LOST = '';

/**
 * The state of a write. `left` and `unseen` mean that a value may be in a contact whose ID the database no longer has,
 * because the contact was erased. `crm_id` is then the fingerprint of its ID. With `unseen`, the CRM did not return the
 * contact when it was looked up.
 */
export type WriteState = 'intended' | 'written' | 'refused' | 'undone' | 'left' | 'unseen';

export const FIELD_TABLES = {
  /** The values that a run wrote to one contact, and the previous values. */
  writes: table(
    {
      key: ['id'],
      whenClientErased: 'deleted with its contact',
      exported: { not: 'exported opened, as values-before' },
      retention: 'previousValues',
    },
    {
      id: text(),
      run_id: text(),
      integration_id: text(),
      crm_id: contactId({
        forget: 'row',
        about: 'writes',
        whenRemoved: { kept: 'previous values are taken out of the row' },
      }),
      state: text<WriteState>(),
      /** Encrypted JSON that maps each field to its previous value. */
      before: sealed({ with: 'secret key', boundTo: ['id', 'integration_id', 'crm_id'] }),
      /** JSON that maps each field to the fingerprint of the written value. */
      after: personal(text()),
      /** JSON with the contact's previous `owned_values`. */
      owned_before: personal(text()),
      /** The contact's previous `values_donor`, if this write replaces another donor's values. Otherwise null. */
      donor_before: nullable(donorId('contact')),
      /** The donor whose profile is written, or null if no profile is written, for example for a status. */
      donor: nullable(donorId('contact')),
      /**
       * The keyed fingerprint of the donor whom the texts name as the introducer. Empty if they name nobody, or once
       * that donor's erasure has cleared the texts.
       */
      introducer: donorFingerprint('introducer'),
      /**
       * JSON that maps each field to the fingerprint of the warm path's value, as sent. Null if there is none. Undo
       * does not change it.
       */
      introduced: personal(nullable(text())),
      /**
       * JSON that maps each field to keyed fingerprints of words in the written text that may name people. Null if
       * there are none.
       */
      named: personal(nullable(text())),
      /** Keyed fingerprints of the words in the donor's own name, or null if no profile is written. */
      called: personal(nullable(text())),
      written_at: bigint(),
    },
  ),
  /** The last profile that was paid for each contact. There is one row per contact. */
  kept_profiles: table(
    {
      key: ['integration_id', 'crm_id'],
      whenClientErased: 'deleted with its contact',
      exported: {
        as: 'kept-profiles',
        columns: ['crm_id', 'tracking_id', 'is_delivered', 'kept_at', 'opted_out_at'],
      },
      retention: 'profiles',
    },
    {
      integration_id: text(),
      crm_id: contactId({ forget: 'row', about: 'keptProfiles', whenRemoved: 'deleted' }),
      /** The job that returned the profile. It may have been paid for another contact. */
      tracking_id: personal(text()),
      /** 0 while it waits for a decision or for a later run, or if it was never offered to the CRM. */
      is_delivered: integer(),
      /** The field map that it was last offered with (`field_maps.field_map`). Empty if it was never offered. */
      field_map: text(),
      /** When the credit was spent (epoch ms). The retention of the profile counts from then. */
      kept_at: bigint(),
      /** When a run first recorded that the contact has opted out or objects, or null if neither. */
      opted_out_at: personal(nullable(bigint())),
      /**
       * The fields that a user wants delivered again, as JSON, or `*` for all fields. Null if no user has requested it,
       * or once a run has done it.
       */
      requested: nullable(text()),
      /** For a profile that is not kept, when the service no longer had its result. Null while it can be delivered. */
      gone_at: nullable(bigint()),
      /**
       * The keyed fingerprint of the donor's ID. Empty once the profile was deleted because of an opt-out or an
       * objection.
       */
      donor: donorFingerprint('contact'),
      /**
       * The profile's own key and its `GivingRecord`, encrypted with the secret key. The text always has the same
       * length. Empty if the profile is not kept.
       */
      key: sealed({ with: 'secret key', boundTo: ['integration_id', 'crm_id'] }),
      /** The profile, encrypted with its own key. Empty if it is not kept. */
      profile: sealed({ with: 'key of the row', boundTo: ['integration_id', 'crm_id'] }),
    },
  ),
  /** One row for each value that is not in its field. */
  value_states: table(
    {
      key: ['integration_id', 'crm_id', 'field'],
      whenClientErased: 'deleted with its contact',
      exported: { as: 'values-not-in-crm', columns: ['crm_id', 'field', 'state', 'code', 'since'] },
      retention: null,
    },
    {
      integration_id: text(),
      crm_id: contactId({ forget: 'row', about: 'notInCrm', whenRemoved: 'deleted' }),
      /** The CRM's name of the field. */
      field: personal(text()),
      state: personal(text<ValueState>()),
      /** The CRM's own code, if the CRM gave the reason. Empty if the field's description did. */
      code: personal(text()),
      /** The fingerprint of the field's description at that time. Empty if there was none. */
      description: personal(text()),
      since: bigint(),
      /** When it was last written again to find out whether the reason still exists, or null if never. */
      probed_at: nullable(bigint()),
    },
  ),
  /** The field maps with which kept profiles were offered, by their fingerprint. */
  field_maps: table(
    {
      key: ['integration_id', 'field_map'],
      whenClientErased: 'deleted',
      exported: { not: 'fingerprints' },
      retention: null,
    },
    {
      integration_id: text(),
      field_map: text(),
      /** JSON with one fingerprint for each line of the map. */
      lines: text(),
    },
  ),
  /** A field whose values the CRM's own automation changes after a write, for example by rounding. */
  normalised_fields: table(
    {
      key: ['integration_id', 'field'],
      whenClientErased: 'deleted',
      exported: { not: 'names of fields, which the CRM shows' },
      retention: null,
    },
    {
      integration_id: text(),
      field: text(),
      noticed_at: bigint(),
    },
  ),
  contact_statuses: table(
    {
      key: ['integration_id', 'crm_id'],
      whenClientErased: 'deleted with its contact',
      exported: { not: 'the CRM itself shows it' },
      retention: null,
    },
    {
      integration_id: text(),
      crm_id: contactId({ forget: 'row', about: 'statuses', whenRemoved: 'deleted' }),
      /**
       * The fields, the state and the reason that determine the status. While they do not change, the status
       * does not change either.
       */
      seen: personal(text()),
      /** The status that was written to the CRM (`SyncStatus`). Null if none was written. */
      status: personal(nullable(text())),
    },
  ),
};
