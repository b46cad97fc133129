/**
 * Finds the contact of a paid person. Searches the current and former CRM records for the numbers in the address and
 * the employer.
 */
import type { SimulatedCrm } from '../../crm/crm.ts';
import { type Record_, versionOf } from '../../crm/record.ts';
import { numberIn } from '../../people/humans.ts';
import type { Job } from '../../service/service.ts';

/** The CRM contact of a person that the client has paid for. */
export interface Owner {
  crm: SimulatedCrm;
  record: Record_;
  /** A text that is equal for payments with the same details. */
  version: string;
}

/** Returns the contact, or null if no contact is or was this person. */
export function ownerOf(
  crms: readonly SimulatedCrm[],
  { person, sentAt }: Pick<Job, 'person' | 'sentAt'>,
): Owner | null {
  const address = numberIn(person.addresses[0]);
  const employer = numberIn(person.employers[0]);
  for (const crm of crms) {
    // Contacts that existed when the request was sent come first, because a contact may have been merged into a
    // different contact.
    const all = [...crm.records.values()];
    const sent = all.filter(
      ({ bornAt, gone }) => bornAt <= sentAt && (gone === null || gone.at > sentAt),
    );
    const living = crm.living().filter((record) => !sent.includes(record));
    for (const records of [sent, living]) {
      const [owner] = records.flatMap((record) => ownedBy(crm, record));
      if (owner !== undefined) return owner;
    }
    // If contacts were merged several times, the owner is the last contact in the chain of merges.
    const gone = all.filter((record) => record.gone !== null);
    gone.sort((a, b) => (b.gone?.at ?? 0) - (a.gone?.at ?? 0));
    const [owner] = gone.flatMap((record) => ownedBy(crm, record));
    if (owner !== undefined) return owner;
  }
  return null;

  function ownedBy(crm: SimulatedCrm, record: Record_): Owner[] {
    const { first, last } = person.name;
    const isNow = record.human.last === last && record.firstName === first;
    const wasOnce = record.former.some(
      (each) => each.human.last === last && each.firstName === first,
    );
    if (!isNow && !wasOnce) return [];
    for (const details of [record.details, ...record.history]) {
      const isAddress = address === null || details.address.number === address;
      const isEmployer = employer === null || details.employer.number === employer;
      // If some details are unreadable, the remaining details are enough for a match.
      if (isAddress && isEmployer) return [{ crm, record, version: versionOf(details) }];
    }
    return [];
  }
}

/** Returns other records that belong, or once belonged, to the record's person. */
export function twinsOf(crms: readonly SimulatedCrm[], record: Record_): Record_[] {
  return crms.flatMap((crm) =>
    [...crm.records.values()].filter((each) => each !== record && each.human === record.human),
  );
}
