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
  kept_at: number;
  /** When a run first read that the contact has opted out; null if it has not. */
  opted_out_at: number | null;
  /** Keyed fingerprint of the donor's id. */
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
