/** A case: one contact, and which donors would be the right answer. */

import type { Contact } from './contact.ts';

export interface Case {
  kind: string;
  contact: Contact;
  /** The ids in the donor list that are right. Empty if the contact's person is not in the list. */
  right: string[];
  /** The ids in the donor list with which the contact could be confused, for the list of wrong cases. */
  beside: string[];
  /**
   * True if nothing in the contact or in the donor list distinguishes the contact from another person, so that nobody
   * could decide. Such cases are reported with the others and apart from them.
   */
  isUndecidable: boolean;
}
