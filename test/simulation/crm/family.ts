/** Records that were merged into one another, and what is known about all of them. */
import type { Human } from '../people/humans.ts';
import type { SimulatedCrm } from './crm.ts';
import { type Record_, versionOf } from './record.ts';

/**
 * Returns true if the record's erasure was started or a user has confirmed it as erased, or if such a record was merged
 * into it.
 */
export function hasErased(crm: SimulatedCrm, record: Record_): boolean {
  if (record.erasureBegunAt !== null || record.isConfirmedErased) return true;
  return erasedIn(crm, record).length > 0;
}

/**
 * Returns the erased contacts that were merged into this one, and the contacts into which an erased contact was merged.
 */
export function erasedIn(crm: SimulatedCrm, { id }: Record_): Record_[] {
  const takenIn = [...crm.records.values()].filter(({ gone }) => gone?.mergedInto === id);
  return takenIn.filter((each) => hasErased(crm, each));
}

/** Returns the record and all records that were merged into it, directly or indirectly. */
export function familyOf(crm: SimulatedCrm, record: Record_): Record_[] {
  return [...crm.records.values()].filter(
    (each) => each === record || (each.gone !== null && crm.lineOf(each.id).includes(record)),
  );
}

/**
 * Returns all people whose values in this record may be ours: everyone that this record, or a record merged into it, is
 * or was.
 */
export function humansIn(crm: SimulatedCrm, record: Record_): Set<Human> {
  const family = familyOf(crm, record);
  return new Set(family.flatMap(({ human, former }) => [human, ...former.map((one) => one.human)]));
}

/**
 * Returns the former row of this contact that was erased before that time, if both can be recognised as the same
 * person. That requires that no detail has changed since the erasure, and that no user has called them two people. A
 * process must also have read the former row before its erasure ended. Otherwise only its ID was known, for example
 * from a request to sync it.
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
