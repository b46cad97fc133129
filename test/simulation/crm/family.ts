/** Finds records that were merged into each other, and the facts about all merged records. */
import type { Human } from '../people/humans.ts';
import type { SimulatedCrm } from './crm.ts';
import { type Record_, versionOf } from './record.ts';

/**
 * Returns true if an erasure of the record was started, or if a user confirmed the record as an erased person. Also
 * returns true if an erased record was merged into the record.
 */
export function hasErased(crm: SimulatedCrm, record: Record_): boolean {
  if (record.erasureBegunAt !== null || record.isConfirmedErased) return true;
  return erasedIn(crm, record).length > 0;
}

/**
 * Returns the erased contacts that were merged into the record, and the contacts into which an erased contact was
 * merged.
 */
export function erasedIn(crm: SimulatedCrm, { id }: Record_): Record_[] {
  const takenIn = [...crm.records.values()].filter(({ gone }) => gone?.mergedInto === id);
  return takenIn.filter((each) => hasErased(crm, each));
}

/** Returns the record and all records that were directly or indirectly merged into it. */
export function familyOf(crm: SimulatedCrm, record: Record_): Record_[] {
  return [...crm.records.values()].filter(
    (each) => each === record || (each.gone !== null && crm.lineOf(each.id).includes(record)),
  );
}

/**
 * Returns all people to whom donor-sync's values in this record may belong: the current and former people of the record
 * and of all records that were merged into it.
 */
export function humansIn(crm: SimulatedCrm, record: Record_): Set<Human> {
  const family = familyOf(crm, record);
  return new Set(family.flatMap(({ human, former }) => [human, ...former.map((one) => one.human)]));
}

/**
 * Returns the contact's former row if the row was erased before this time and the product can recognise both rows as
 * the same person. All details must be unchanged since the erasure, and no user may have said that the rows are two
 * people. A process must also have read the former row before the erasure ended. If no process has read the former row,
 * the product knows only the row's ID, for example from a request to sync the row.
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
    ({ forgottenAt, knownSince }) =>
      forgottenAt !== null &&
      forgottenAt < before &&
      knownSince !== null &&
      knownSince <= forgottenAt,
  );
  return erased ?? null;
}
