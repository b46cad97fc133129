/**
 * Keeps one contact to one person. Finds values that another donor left in a contact, and replaces or blanks all of
 * them when the donor changes (design, promise 14). Pure except for fingerprints.
 */

import type { OwnedValues } from '../contacts/owned-values.ts';
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import { type FieldMapping, SYNC_SOURCES } from '../core/field-map.ts';
import { isBlank } from '../mapping/same-value.ts';
import type { SyncDeps } from '../sync/control/context.ts';
import { createOwnershipCheck } from './values.ts';

/** Values that donor-sync wrote, and the record whose ID their fingerprints depend on. */
export interface WrittenValues {
  crmId: string;
  owned: OwnedValues;
  /** The donor that the values belong to, or null if unknown. */
  donor: string | null;
}

/** Our values in a contact, and which of them belong to another donor. */
export interface Ownership {
  isOurs(field: string, value: FieldValue): boolean;
  /** True if we wrote the value for a donor other than the current one. */
  isFormer(field: string, value: FieldValue): boolean;
  /** Fields that may contain another donor's values. */
  formerFields: readonly string[];
}

/**
 * Returns which values are ours and which of them belong to another donor. `donor` is the donor whose values are
 * offered. If it is null, every value of ours counts as another donor's.
 */
export function sortOwnership(
  deps: { store: Pick<SyncDeps['store'], 'fingerprint'> },
  written: readonly WrittenValues[],
  donor: string | null,
): Ownership {
  const checks = written.map((each) => ({
    isOther: each.donor !== null && each.donor !== donor,
    isIn: createOwnershipCheck(deps, each.crmId, [each.owned]),
  }));
  const others = checks.filter(({ isOther }) => isOther);
  return {
    isOurs: (field, value) => checks.some(({ isIn }) => isIn(field, value)),
    isFormer: (field, value) =>
      others.length > 0 && !isBlank(value) && others.some(({ isIn }) => isIn(field, value)),
    formerFields: fieldsOfOthers(written, donor),
  };
}

/** Returns the fields in which these writes may have left another donor's values. */
export function fieldsOfOthers(written: readonly WrittenValues[], donor: string | null): string[] {
  const others = written.filter((each) => each.donor !== null && each.donor !== donor);
  return [...new Set(others.flatMap(({ owned }) => Object.keys(owned)))];
}

/**
 * Returns the fields to blank, because they contain another donor's value that is not replaced. The sync status
 * describes the contact and not a donor, so it stays.
 */
export function blankedFields(
  { isFormer, formerFields }: Ownership,
  present: FieldValues,
  mapped: FieldValues,
  mappings: readonly FieldMapping[],
): FieldValues {
  const statuses = new Set(
    mappings.flatMap(({ from, to }) => (SYNC_SOURCES.includes(from) ? to : [])),
  );
  const blanked = formerFields.filter(
    (field) =>
      !Object.hasOwn(mapped, field) &&
      !statuses.has(field) &&
      isFormer(field, present[field] ?? null),
  );
  return Object.fromEntries(blanked.map((field) => [field, null]));
}
