/** Profiles that were paid for, and which of their values are not in the CRM, and why. */
export interface KeptTables {
  kept_profiles: KeptProfilesTable;
  value_states: ValueStatesTable;
  field_maps: FieldMapsTable;
}

/** One row for each contact: the last profile that was paid for it. */
export interface KeptProfilesTable {
  integration_id: string;
  crm_id: string;
  /** The job that brought it, which may have been paid for another contact. */
  tracking_id: string;
  /** 0 as long as it waits for a decision, or was never offered to the CRM. */
  is_delivered: number;
  /** The field map that it was last offered with (`field_maps.field_map`); the empty string for none. */
  field_map: string;
  /** When the credit was spent (epoch ms): from then on is counted for how long the profile is kept. */
  kept_at: number;
  /** When a run first recorded that the contact has opted out or objects; null if it has done neither. */
  opted_out_at: number | null;
  /**
   * The fields that a user wants delivered again, as JSON, or `*` for all of them, as long as a run has not
   * done that; null if nobody has asked for it.
   */
  requested: string | null;
  /** When the service no longer had the result of a profile that is not kept; null while it can be delivered. */
  gone_at: number | null;
  /** Keyed fingerprint of the donor's id; the empty string once the profile was deleted for an opt-out or an objection. */
  donor: string;
  /** The key of this one profile, encrypted with the secret key; the empty string if the profile is not kept. */
  key: string;
  /** The profile, encrypted with that key; the empty string if it is not kept. */
  profile: string;
}

/** Why a value of a profile is not in its field. */
export type ValueState =
  /** The CRM refused it. */
  | 'refused'
  | 'no_such_field'
  | 'no_permission'
  | 'does_not_fit'
  /** The field shows amounts in the currency of its record, which is not US dollars, and nothing is converted. */
  | 'other_currency'
  /** The CRM has no exchange rate for it, or hides its rates. */
  | 'no_rate'
  /** The currency of the record has changed; the next delivery looks at the amount. */
  | 'currency_changed'
  /** A part of it is there: the field has no room for all of it, or lacks some of its choices. */
  | 'shortened'
  /** A user's value is in the field, or its rule protects what is there. */
  | 'kept_for_user'
  /** It was there, and a user has emptied the field. */
  | 'emptied'
  /** It was there, and a user has undone the run that wrote it. */
  | 'undone';

/** One row for each value that is not in its field. */
export interface ValueStatesTable {
  integration_id: string;
  crm_id: string;
  /** The CRM's name of the field. */
  field: string;
  state: ValueState;
  /** The CRM's own code, if the CRM said so; the empty string if the description of the field did. */
  code: string;
  /** Fingerprint of how the field was described then; the empty string if it was not. */
  description: string;
  since: number;
  /** When it was last written again to learn whether the reason is gone; null for never. */
  probed_at: number | null;
}

/** The field maps that kept profiles were offered with, by their fingerprint. */
export interface FieldMapsTable {
  integration_id: string;
  field_map: string;
  /** JSON of fingerprints, one for each line. */
  lines: string;
}
