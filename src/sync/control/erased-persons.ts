import type { ErasedMarks } from '../../contacts/erased-marks.ts';
import type { PersonFingerprints } from '../../identity/person-fingerprints.ts';

/** The facts about erased people, in addition to the IDs that must not be processed. */
export interface ErasedPersons {
  /** Fingerprints of the words in their names. Lines about them in other profiles are left out. */
  names: readonly string[];
  /**
   * Contacts that an erased contact was merged into, by fingerprint of their ID, and since when (epoch ms).
   * More are added as the CRM reports them.
   */
  merged: Map<string, number>;
  /** The facts, by the fingerprint of the person's name. */
  byName: ReadonlyMap<string, readonly ErasedPerson[]>;
  /** Contacts that a user declared to be different people, and when (epoch ms). */
  distinguished: ReadonlyMap<string, number>;
  /** The decisions about them at that time. */
  marks: ErasedMarks;
}

/** An erased person, and when they were erased (epoch ms). */
export interface ErasedPerson {
  fingerprints: PersonFingerprints;
  since: number;
}
