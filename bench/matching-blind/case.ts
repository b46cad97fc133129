/** A case consists of a contact and of the donors that would be the right answer. */

import type { Contact } from './contact.ts';

export interface Case {
  kind: string;
  contact: Contact;
  /** Empty if the contact's person is not in the list. */
  right: string[];
  /**
   * The IDs of the donor list's rows that could be confused with the contact. The report shows them for wrong cases.
   */
  beside: string[];
  /**
   * True if neither the contact nor the donor list distinguishes the contact from a different person. Nobody could
   * decide such a case. The report also lists these cases separately.
   */
  isUndecidable: boolean;
}
