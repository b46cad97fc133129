import type { ErasedMarks } from '../../contacts/erased-marks.ts';
import type { PersonFingerprints } from '../../identity/person-fingerprints.ts';

/** What is known of erased people besides the ids that must not be taken up. */
export interface ErasedPersons {
  /** Their names, as fingerprints of the words: what the service tells of them in other profiles is left out. */
  names: readonly string[];
  /**
   * Contacts that an erased one became a part of, by fingerprint of their id, and since when (epoch
   * ms). It grows as the CRM tells of more.
   */
  merged: Map<string, number>;
  /** By the fingerprint of their name. */
  byName: ReadonlyMap<string, readonly ErasedPerson[]>;
  /** Contacts of which a person said that they are other people, and when (epoch ms). */
  distinguished: ReadonlyMap<string, number>;
  /** What was decided about them by then. */
  marks: ErasedMarks;
}

/** One of them, and when they were erased (epoch ms). */
export interface ErasedPerson {
  fingerprints: PersonFingerprints;
  since: number;
}
