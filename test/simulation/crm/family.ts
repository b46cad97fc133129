/** The records that were merged into one another, and what is known about all of them. */
import type { Human } from '../people/humans.ts';
import type { SimulatedCrm } from './crm.ts';
import { type Record_, versionOf } from './record.ts';

/**
 * True for a record whose erasure was started, or whom a user has confirmed as erased, and for a record that such a
 * contact was merged into.
 */
export function hasErased(crm: SimulatedCrm, record: Record_): boolean {
  if (record.erasureBegunAt !== null || record.isConfirmedErased) return true;
  return erasedIn(crm, record).length > 0;
}

/** Returns the contacts merged into this one that were erased, or that an erased contact was merged into. */
export function erasedIn(crm: SimulatedCrm, { id }: Record_): Record_[] {
  const takenIn = [...crm.records.values()].filter(({ gone }) => gone?.mergedInto === id);
  return takenIn.filter((each) => hasErased(crm, each));
}

/** The record, and the records that were merged into it, including through chains. */
export function familyOf(crm: SimulatedCrm, record: Record_): Record_[] {
  return [...crm.records.values()].filter(
    (each) => each === record || (each.gone !== null && crm.lineOf(each.id).includes(record)),
  );
}

/**
 * Returns all people whose values in this record may be ours: the person that it is or was, or that a record merged
 * into it is or was.
 */
export function humansIn(crm: SimulatedCrm, record: Record_): Set<Human> {
  const family = familyOf(crm, record);
  return new Set(family.flatMap(({ human, former }) => [human, ...former.map((one) => one.human)]));
}

/**
 * The former row of this contact that was erased before that moment, if the two can be recognised as one person: no
 * detail has changed since the erasure, and no user has said that they are two people. A process must have read the former
 * row before the end of its erasure. Otherwise only its ID was known, for example from a request to sync it.
 */
export function erasedRow(record: Record_, before: number): Record_ | null {
  if (record.distinguishedAt !== null) return null;
  const version = versionOf(record.details);
  const isSame = ({ human, former, history, details }: Record_) =>
    human === record.human &&
    former.length === 0 &&
    [details, ...history].every((each) => versionOf(each) === version);
  const rows = [record, ...record.formerRows];
  if (!rows.every(isSame)) return null;
  const erased = record.formerRows.find(
    ({ forgottenAt, readAs }) =>
      forgottenAt !== null && forgottenAt < before && readAs.some(({ at }) => at <= forgottenAt),
  );
  return erased ?? null;
}
