/** A test case, which consists of a contact and of the donors that are the right answer. */

import type { Contact } from './contact.ts';

export interface Case {
  kind: string;
  contact: Contact;
  /** The IDs of the right donors. The list is empty if the contact's person is not in the donor list. */
  right: string[];
  /** The IDs of donors that are similar to the contact. The report shows these donors if the answer is wrong. */
  beside: string[];
  /**
   * True if the data of the contact and of the donor list is not sufficient to distinguish two people. In such a case,
   * nobody could give the right answer. The report also lists these cases separately.
   */
  isUndecidable: boolean;
}
