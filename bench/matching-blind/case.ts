/** A case consists of a contact and of the donors that would be the right answer. */

import type { Contact } from './contact.ts';

export interface Case {
  kind: string;
  contact: Contact;
  /** The right rows in the donor list, by ID. Empty if the contact's person is not in the list. */
  right: string[];
  /**
   * The rows in the donor list with which the contact could be confused, by ID. They are shown in the list of wrong
   * cases.
   */
  beside: string[];
  /**
   * True if nothing in the contact or the donor list distinguishes the contact from another person, so nobody could
   * decide. Such cases are also reported separately.
   */
  isUndecidable: boolean;
}
