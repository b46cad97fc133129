/**
 * One contact, one person: the values that another donor left in a contact, and how they are all replaced or
 * blanked when the donor changes (design, promise 14). Pure but for fingerprints.
 */

import type { OwnedValues } from '../contacts/owned-values.ts';
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import { type FieldMapping, SYNC_SOURCES } from '../core/field-map.ts';
import { isBlank } from '../mapping/same-value.ts';
import type { SyncDeps } from '../sync/control/context.ts';
import { createOwnershipCheck } from './values.ts';

/** Values that donor-sync wrote, and the record under whose id their fingerprints were made. */
export interface WrittenValues {
  crmId: string;
  owned: OwnedValues;
  /** The donor whose values they are; null if that is not known. */
  donor: string | null;
}

/** What is ours in a contact, and what of it is another donor's. */
export interface Ownership {
  isOurs(field: string, value: FieldValue): boolean;
  /** True of a value that we wrote of another donor than the one that is offered now. */
  isFormer(field: string, value: FieldValue): boolean;
  /** Fields in which values of another donor may stand. */
  formerFields: readonly string[];
}

/** `donor` is the one whose values are offered; null if none are, so that every value of ours is a former one. */
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

/** Fields in which these writes may have left values of another donor than this one. */
export function fieldsOfOthers(written: readonly WrittenValues[], donor: string | null): string[] {
  const others = written.filter((each) => each.donor !== null && each.donor !== donor);
  return [...new Set(others.flatMap(({ owned }) => Object.keys(owned)))];
}

/**
 * The fields that are blanked because a former value stands in them and nothing replaces it. The status of
 * the sync tells of the contact and not of a person, so it stays.
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
