import type { ErasedMarks } from '../../contacts/erased-marks.ts';
import type { PersonFingerprints } from '../../identity/person-fingerprints.ts';

/** Data about erased people, in addition to the IDs that donor-sync must not process. */
export interface ErasedPersons {
  /**
   * The fingerprints of the words in erased people's names. donor-sync removes lines with these names from other
   * contacts' profiles.
   */
  names: readonly string[];
  /**
   * Contacts into which the CRM has merged an erased contact. Maps the fingerprint of the contact's ID to the time of
   * the merge (epoch ms). Contacts are added when the CRM reports further merges.
   */
  merged: Map<string, number>;
  /** The erased people, by the fingerprint of their name. */
  byName: ReadonlyMap<string, readonly ErasedPerson[]>;
  /**
   * Contacts that a user has declared to be someone else than the erased person, with the time of the decision (epoch
   * ms).
   */
  distinguished: ReadonlyMap<string, number>;
  /** The users' decisions about erased people at the time when this data was loaded. */
  marks: ErasedMarks;
}

/** An erased person, and the time of the erasure (epoch ms). */
export interface ErasedPerson {
  fingerprints: PersonFingerprints;
  since: number;
}
