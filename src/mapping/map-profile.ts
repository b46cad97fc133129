import type { CrmField, FieldValue, FieldValues } from '../core/crm-field.ts';
import type { FieldMapping } from '../core/field-map.ts';
import { faultReason, mappedTwice, missingField } from './field-fault.ts';
import { type Fit, fitValue } from './fit.ts';
import type { RawValue, RawValues } from './raw-value.ts';

/** A field that could not take its value; the reason holds no value. */
export interface UnfitField {
  field: string;
  reason: string;
  /** What has to change in the CRM; null if it is the field map. */
  why: Unfit | null;
}

/** Why a field could not take a value, by what has to change. */
export type Unfit = 'no_such_field' | 'no_permission' | 'does_not_fit';

/** The values to offer to the CRM by field name, none of them null, and those that fit nowhere. */
export interface MappedProfile {
  mapped: FieldValues;
  unfit: UnfitField[];
}

/**
 * Takes the values to the fields that the field map names for them. A source without a value
 * says nothing about its field; of two lines for one field the first with a value counts.
 */
export function mapProfile(input: {
  values: RawValues;
  mappings: readonly FieldMapping[];
  fields: readonly CrmField[];
}): MappedProfile {
  const mapped = new Map<string, FieldValue>();
  const unfit: UnfitField[] = [];
  for (const { from, to } of input.mappings) {
    const raw = input.values.get(from);
    if (raw === undefined) continue;
    const isTaken = mapped.has(to);
    const fit = isTaken ? refused(to) : fitTarget(raw, to, input.fields);
    if (fit.fits) mapped.set(to, fit.value);
    else {
      const why = isTaken ? null : whyUnfit(findField(input.fields, to));
      unfit.push({ field: to, reason: fit.reason, why });
    }
  }
  return { mapped: Object.fromEntries(mapped), unfit };
}

function refused(to: string): Fit {
  return { fits: false, reason: faultReason(mappedTwice(to)) };
}

function whyUnfit(field: CrmField | undefined): Unfit {
  if (field === undefined) return 'no_such_field';
  return field.writable ? 'does_not_fit' : 'no_permission';
}

function fitTarget(raw: RawValue, to: string, fields: readonly CrmField[]): Fit {
  const field = findField(fields, to);
  if (field === undefined) return { fits: false, reason: faultReason(missingField(to, fields)) };
  return fitValue(raw, field);
}

/** The description of the field of this name; of two the first. */
export function findField(fields: readonly CrmField[], name: string): CrmField | undefined {
  return fieldsByName(fields).get(name);
}

const byName = new WeakMap<readonly CrmField[], ReadonlyMap<string, CrmField>>();

/** The fields of a run are the same for all its contacts. */
function fieldsByName(fields: readonly CrmField[]): ReadonlyMap<string, CrmField> {
  const known = byName.get(fields);
  if (known !== undefined) return known;
  // Of two alike the first counts.
  const found = new Map(fields.toReversed().map((field) => [field.name, field]));
  byName.set(fields, found);
  return found;
}
