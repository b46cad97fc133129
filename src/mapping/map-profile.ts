import type { CrmField, FieldValue, FieldValues } from '../core/crm-field.ts';
import type { FieldMapping } from '../core/field-map.ts';
import { faultReason, mappedTwice, missingField } from './field-fault.ts';
import { type Fit, fitValue } from './fit.ts';
import type { RawValue, RawValues } from './raw-value.ts';

/** A field that could not take its value; the reason holds no value. */
export interface UnfitField {
  field: string;
  reason: string;
}

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
    const fit = mapped.has(to) ? refused(to) : fitTarget(raw, to, input.fields);
    if (fit.fits) mapped.set(to, fit.value);
    else unfit.push({ field: to, reason: fit.reason });
  }
  return { mapped: Object.fromEntries(mapped), unfit };
}

function refused(to: string): Fit {
  return { fits: false, reason: faultReason(mappedTwice(to)) };
}

function fitTarget(raw: RawValue, to: string, fields: readonly CrmField[]): Fit {
  const field = fields.find(({ name }) => name === to);
  if (field === undefined) return { fits: false, reason: faultReason(missingField(to, fields)) };
  return fitValue(raw, field);
}
