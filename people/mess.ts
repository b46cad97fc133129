/** How untidy contact lists are. */

/**
 * Shares from 0 to 1. Of everything said about a name at most one happens to a row (capitals may
 * come on top), and so with addresses and with employers.
 */
export const MESS_RATES = {
  /** Of all rows: a person that the service does not know. */
  unknownPerson: 0.02,
  /** Of all rows: a person who is in the list already, under another number. */
  duplicate: 0.015,

  /** Of all rows: one letter dropped, doubled, replaced, or swapped with the next, in the first or last name. */
  typo: 0.03,
  /** Of the rows whose first name has short forms: Bob for Robert. */
  nickname: 0.12,
  /** Of all rows: "J." for the first name. */
  initial: 0.015,
  /** Of the rows with a middle name: "Robert James" for the first name. */
  middleInFirstName: 0.05,
  /** Of all rows: no first name, or no last name, each half of the time. */
  missingName: 0.005,
  /** Of all rows: the NAME IN CAPITALS. */
  allCaps: 0.03,

  /** Of all rows. */
  missingAddress: 0.1,
  /** Of the rows of people who have moved: where they lived before. */
  oldAddress: 0.08,
  /** Of all rows: "St." for Street, "Apt" or "#" for Apartment. */
  abbreviatedAddress: 0.35,

  /** Of the rows of people who have worked; those who never did bring it to about 30 % of all rows. */
  missingEmployer: 0.28,
  /** Of the rows of people who have worked: "Acme Inc." or "ACME" for Acme. */
  employerVariant: 0.2,

  /** Of all rows. */
  missingEmail: 0.08,
};
