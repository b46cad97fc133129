/** The tables of written values, of paid profiles, and of values that the CRM does not contain yet. */
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

/** The reason why a field does not contain the profile's value. */
export type ValueState =
  /** The CRM rejected the value. */
  | 'refused'
  | 'no_such_field'
  | 'no_permission'
  | 'does_not_fit'
  /** The currency of the record is not US dollars, and the settings do not convert amounts. */
  | 'other_currency'
  /** The CRM has no exchange rate for the currency, or does not show it. */
  | 'no_rate'
  /** The currency of the record has changed. The next delivery checks the amount. */
  | 'currency_changed'
  /** The field is too short or lacks some options, so it contains only a part of the value. */
  | 'shortened'
  /** A user typed the current value, or a rule protects it. */
  | 'kept_for_user'
  | 'emptied'
  /** A user has undone the run that wrote the value. */
  | 'undone';

/** The `field_map` of a profile that donor-sync never offered to the CRM record. */
export const NEVER_OFFERED = '';

/**
 * The status of a contact that was unavailable or lacked the field. The record of this contact may have lost its
 * status.
 */
export const MAY_BE_LOST = '';

/**
 * The state of a write. With `left` and `unseen`, an erased contact may still contain a value. The database no longer
 * contains this contact's ID, so `crm_id` is a fingerprint. With `unseen`, the CRM did not return the contact.
 */
export type WriteState = 'intended' | 'written' | 'refused' | 'undone' | 'left' | 'unseen';

export const FIELD_TABLES = {
  /** The values that a run wrote to a contact, and the previous values. */
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
      /** Encrypted JSON with the previous value of each field, or `NOTHING_SEALED` if there are no values. */
      before: sealed({ with: 'secret key', boundTo: ['id', 'integration_id', 'crm_id'] }),
      /** JSON with the fingerprint of each written value, by field. */
      after: personal(text()),
      /** JSON with the contact's `owned_values` before the write. */
      owned_before: personal(text()),
      /** The contact's `values_donor` before the write, if this write replaces another donor's values. */
      donor_before: nullable(donorId('contact')),
      /** The donor of the profile, or null if the write has no profile. */
      donor: nullable(donorId('contact')),
      /** The fingerprint of the introducer whom the written values name. */
      introducer: donorFingerprint('introducer'),
      /** JSON with the fingerprints of the warm path's values that were sent. */
      introduced: personal(nullable(text())),
      /** JSON with the fingerprints of words that may name people, by field. */
      named: personal(nullable(text())),
      /** The fingerprints of the donor's own name, or null if the write has no profile. */
      called: personal(nullable(text())),
      written_at: bigint(),
    },
  ),
  /** The last paid profile of each contact. Each contact with a paid profile has one row. */
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
      /** The job that returned the profile. The job may have been paid for another contact of the same person. */
      tracking_id: personal(text()),
      /** 0 while the profile waits or if it was never offered. */
      is_delivered: integer(),
      /**
       * The field map with which the profile was last offered (`field_maps.field_map`). Empty if the profile was never
       * offered.
       */
      field_map: text(),
      /** The time at which the credit was spent (epoch ms). The profile's retention starts at this time. */
      kept_at: bigint(),
      /** The time at which a run first recorded the contact's opt-out or objection. Null if no run has recorded one. */
      opted_out_at: personal(nullable(bigint())),
      /**
       * JSON with the fields that a user wants delivered again, or `*` for all fields. Null after a run has delivered
       * the fields.
       */
      requested: nullable(text()),
      /**
       * The time at which the service no longer had the result of a profile that is not stored. Null as long as the
       * profile can be delivered.
       */
      gone_at: nullable(bigint()),
      /** The fingerprint of the donor. Empty if an opt-out or an objection deleted the profile. */
      donor: donorFingerprint('contact'),
      /**
       * The profile's key and its `GivingRecord`, encrypted with the secret key. The text always has the same length.
       * Empty if the profile is not stored.
       */
      key: sealed({ with: 'secret key', boundTo: ['integration_id', 'crm_id'] }),
      /** The profile, encrypted with its own key. Empty if the profile is not stored. */
      profile: sealed({ with: 'key of the row', boundTo: ['integration_id', 'crm_id'] }),
    },
  ),
  /** Values that are not in their fields. Each value that is not in its field has one row. */
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
      field: personal(text()),
      state: personal(text<ValueState>()),
      /** The CRM's code for the reason. Empty if the description of the field is the reason. */
      code: personal(text()),
      /** The fingerprint of the field's description at that time. Empty if there was no description. */
      description: personal(text()),
      since: bigint(),
      /** The time at which a run last tried to write the value as a test. Null if no run has tried. */
      probed_at: nullable(bigint()),
    },
  ),
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
      /** JSON with a fingerprint of each line of the field map. */
      lines: text(),
    },
  ),
  /** Fields whose values the CRM's automation changes, for example by rounding. */
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
       * The fingerprint of the fields, the state and the reason that decide the status. As long as this fingerprint is
       * the same, the status is the same.
       */
      seen: personal(text()),
      /** The status that the run wrote to the CRM (`SyncStatus`). Null if the run wrote no status. */
      status: personal(nullable(text())),
    },
  ),
};
