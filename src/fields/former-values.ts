/**
 * Ensures that a contact contains the values of only one person. When the donor changes, all values of the former donor
 * are replaced or cleared (design, promise 14). Apart from fingerprints, the functions are pure.
 */

import type { OwnedValues } from '../contacts/owned-values.ts';
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import { type FieldMapping, SYNC_SOURCES } from '../core/field-map.ts';
import { isBlank } from '../mapping/same-value.ts';
import type { SyncDeps } from '../sync/control/context.ts';
import { createOwnershipCheck } from './values.ts';

export interface WrittenValues {
  crmId: string;
  owned: OwnedValues;
  /** The donor's fingerprint, or null if the donor is unknown. */
  donor: string | null;
}

/** The values from donor-sync in a contact, by donor. */
export interface Ownership {
  isOurs(field: string, value: FieldValue): boolean;
  /** True if the value belongs to a different donor. */
  isFormer(field: string, value: FieldValue): boolean;
  /** Fields that may contain a different donor's values. */
  formerFields: readonly string[];
}

/**
 * Finds the values from donor-sync that belong to a different donor. `donor` is the donor of the offered values. If it
 * is null, all values count as a different donor's values.
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

/** Returns the fields in which these writes may have left a different donor's values. */
export function fieldsOfOthers(written: readonly WrittenValues[], donor: string | null): string[] {
  const others = written.filter((each) => each.donor !== null && each.donor !== donor);
  return [...new Set(others.flatMap(({ owned }) => Object.keys(owned)))];
}

/**
 * Returns the fields to clear, which contain a different donor's value and get no new value. The sync status belongs to
 * the contact, so it remains.
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
