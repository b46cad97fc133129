import type { ErasedMarks } from '../../contacts/erased-marks.ts';
import type { PersonFingerprints } from '../../identity/person-fingerprints.ts';

/** The facts about erased people, in addition to the IDs that must not be processed. */
export interface ErasedPersons {
  /** Their names, as fingerprints of the words. Lines about them in other profiles are left out. */
  names: readonly string[];
  /**
   * Contacts that an erased contact was merged into, by fingerprint of their ID, and since when
   * (epoch ms). It grows as the CRM reports more.
   */
  merged: Map<string, number>;
  /** By the fingerprint of their name. */
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
