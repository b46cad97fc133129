/**
 * A contact must contain only one person's values. When the donor changes, the former donor's values are all replaced
 * or blanked (design, promise 14). Pure except for fingerprints.
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
  /** Null if unknown. */
  donor: string | null;
}

/** Our values in a contact, by donor. */
export interface Ownership {
  isOurs(field: string, value: FieldValue): boolean;
  /** True for another donor's value. */
  isFormer(field: string, value: FieldValue): boolean;
  /** Fields that may contain another donor's values. */
  formerFields: readonly string[];
}

/**
 * Marks our values that belong to another donor. `donor` is the donor of the offered values. Null treats all our values
 * as another donor's.
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

/** Fields in which these writes may have left another donor's values. */
export function fieldsOfOthers(written: readonly WrittenValues[], donor: string | null): string[] {
  const others = written.filter((each) => each.donor !== null && each.donor !== donor);
  return [...new Set(others.flatMap(({ owned }) => Object.keys(owned)))];
}

/**
 * Returns the fields to blank. They have a value of another donor and get no new one. The sync status belongs to the
 * contact, so it stays.
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
