import type { ErasedMarks } from '../../contacts/erased-marks.ts';
import type { PersonFingerprints } from '../../identity/person-fingerprints.ts';

/** Facts about erased people, in addition to the IDs that must not be processed. */
export interface ErasedPersons {
  /** The fingerprints of the words in their names. Lines with these names are left out of other profiles. */
  names: readonly string[];
  /**
   * Contacts that absorbed an erased contact when records were merged. Maps the fingerprint of the contact's ID to the
   * time of the merge (epoch ms). Contacts are added when the CRM reports further merges.
   */
  merged: Map<string, number>;
  /** The facts, by the fingerprint of the person's name. */
  byName: ReadonlyMap<string, readonly ErasedPerson[]>;
  /** Contacts that a user declared to be different people, with the time of that decision (epoch ms). */
  distinguished: ReadonlyMap<string, number>;
  /** The users' decisions about erased people, as they were when these facts were loaded. */
  marks: ErasedMarks;
}

/** An erased person, and the time of the erasure (epoch ms). */
export interface ErasedPerson {
  fingerprints: PersonFingerprints;
  since: number;
}
