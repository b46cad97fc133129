/** A test case, which consists of a contact and of the donors that are the right answer. */

import type { Contact } from './contact.ts';

export interface Case {
  kind: string;
  contact: Contact;
  /** The IDs of the right donors. The list is empty if the contact's person is not in the donor list. */
  right: string[];
  /** The IDs of donors that are similar to the contact, which the report shows if the answer is wrong. */
  beside: string[];
  /**
   * True if the contact's data and the donor list are not sufficient to distinguish two people, so that nobody could
   * give the right answer. The report also lists the undecidable cases separately.
   */
  isUndecidable: boolean;
}
