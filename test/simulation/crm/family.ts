/** The records that have become a part of one another, and what is known of all of them. */
import type { Human } from '../people/humans.ts';
import type { SimulatedCrm } from './crm.ts';
import type { Record_ } from './record.ts';

/** True of one whose erasure was begun, or whom a person has confirmed as erased, and of who has taken in such a contact. */
export function hasErased(crm: SimulatedCrm, record: Record_): boolean {
  if (record.erasureBegunAt !== null || record.isConfirmedErased) return true;
  return erasedIn(crm, record).length > 0;
}

/** Those among the contacts which have become a part of this one who were erased, or have taken in such a contact. */
export function erasedIn(crm: SimulatedCrm, { id }: Record_): Record_[] {
  const takenIn = [...crm.records.values()].filter(({ gone }) => gone?.mergedInto === id);
  return takenIn.filter((each) => hasErased(crm, each));
}

/** The record, and those that have become a part of it, in chains as well. */
export function familyOf(crm: SimulatedCrm, record: Record_): Record_[] {
  return [...crm.records.values()].filter(
    (each) => each === record || (each.gone !== null && crm.lineOf(each.id).includes(record)),
  );
}

/** All human beings whose values may be ours in this record: that it is or was, or that is or was a part of it. */
export function humansIn(crm: SimulatedCrm, record: Record_): Set<Human> {
  const family = familyOf(crm, record);
  return new Set(family.flatMap(({ human, former }) => [human, ...former.map((one) => one.human)]));
}
