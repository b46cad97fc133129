import type { Contact } from './contact.ts';

/** The maximum number of people per submission (service document, section 8). */
export const MAX_PERSONS_PER_SUBMISSION = 100;

/** The data that is submitted to the service for one contact. */
export interface Person extends PersonDetails {
  /** donor-sync's ID for this submission of this contact. The service returns it with the job ID. */
  trackingId: string;
}

/** The details about a person that are sent to the service. */
export interface PersonDetails {
  firstName: string;
  lastName: string;
  addresses: readonly string[];
  employers: readonly string[];
}

export function toPerson(contact: Contact, trackingId: string): Person {
  return { trackingId, ...toPersonDetails(contact) };
}

/** Returns the details that are sent to the service. */
export function toPersonDetails(contact: Contact): PersonDetails {
  return {
    firstName: contact.firstName?.trim() ?? '',
    lastName: contact.lastName?.trim() ?? '',
    addresses: contact.addresses,
    employers: contact.employers,
  };
}
