/** Written values, paid profiles, and values that the CRM still lacks. */
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

/** Why a profile's value is not in its field. */
export type ValueState =
  /** The CRM rejected the value. */
  | 'refused'
  | 'no_such_field'
  | 'no_permission'
  | 'does_not_fit'
  /** The record's currency is not US dollars, and the settings do not convert amounts. */
  | 'other_currency'
  /** The CRM has no exchange rate for the currency or hides it. */
  | 'no_rate'
  /** The next delivery checks the amount. */
  | 'currency_changed'
  /** The field is too short or lacks some options, so it has only part of the value. */
  | 'shortened'
  /** A user typed the current value, or a rule protects it. */
  | 'kept_for_user'
  | 'emptied'
  /** A user has undone the run that wrote the value. */
  | 'undone';

/** The `field_map` of a profile that was never offered to the CRM record. */
export const NEVER_OFFERED = '';

/** Marks a contact that was unavailable or lacked the field. Its record may have lost the status. */
export const MAY_BE_LOST = '';

/**
 * With `left` and `unseen`, an erased contact may still have a value. The database no longer has the contact's ID.
 * `crm_id` is then a fingerprint. With `unseen`, the CRM did not return the contact.
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
      /** Encrypted JSON with each field's previous value, or `NOTHING_SEALED` without values. */
      before: sealed({ with: 'secret key', boundTo: ['id', 'integration_id', 'crm_id'] }),
      /** JSON with the fingerprint of each written value. */
      after: personal(text()),
      /** JSON with the contact's previous `owned_values`. */
      owned_before: personal(text()),
      /** The previous `values_donor` if this write replaces another donor's values. */
      donor_before: nullable(donorId('contact')),
      /** The profile's donor, or null without a profile. */
      donor: nullable(donorId('contact')),
      /** The keyed fingerprint of the introducer whom the values name. */
      introducer: donorFingerprint('introducer'),
      /** JSON with the fingerprints of the warm path's values, as sent. */
      introduced: personal(nullable(text())),
      /** JSON with keyed fingerprints of words that may name people, by field. */
      named: personal(nullable(text())),
      /** Keyed fingerprints of the donor's own name, or null without a profile. */
      called: personal(nullable(text())),
      written_at: bigint(),
    },
  ),
  /** The last profile that was paid for each contact. Each contact has one row. */
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
      /** 0 while the profile waits or was never offered. */
      is_delivered: integer(),
      /** The last offer's field map (`field_maps.field_map`). Empty if it was never offered. */
      field_map: text(),
      /** When the credit was spent (epoch ms). The profile's retention starts here. */
      kept_at: bigint(),
      /** When a run first recorded the contact's opt-out or objection. Null if no run has recorded this. */
      opted_out_at: personal(nullable(bigint())),
      /** The fields that a user wants delivered again, as JSON, or `*` for all. Null after a run has delivered them. */
      requested: nullable(text()),
      /** When the service no longer had the result of a profile that is not kept. Null while it can be delivered. */
      gone_at: nullable(bigint()),
      /** Empty if an opt-out or an objection deleted the profile. */
      donor: donorFingerprint('contact'),
      /**
       * The profile's key and its `GivingRecord`, encrypted with the secret key. The text always has the same length.
       * Empty if the profile is not kept.
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
      field: personal(text()),
      state: personal(text<ValueState>()),
      /** The CRM's code for the reason. Empty if the field's description is the reason. */
      code: personal(text()),
      /** The fingerprint of the field's description at that time. Empty if there was none. */
      description: personal(text()),
      since: bigint(),
      /** When the value was last written again as a test. Null if this has never happened. */
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
      /** JSON with one fingerprint for each line of the map. */
      lines: text(),
    },
  ),
  /** The CRM's automation changes the values of this field, for example by rounding. */
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
      /** The fields, the state and the reason behind the status. While they stay the same, the status does too. */
      seen: personal(text()),
      /** The status that was written to the CRM (`SyncStatus`). Null if none was written. */
      status: personal(nullable(text())),
    },
  ),
};
