import type { CrmField, FieldValue, FieldValues } from '../core/crm-field.ts';
import type { FieldMapping, FieldSource } from '../core/field-map.ts';
import { type Amount, type AppliedRate, isMoneyLine } from './amount.ts';
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
export type Unfit =
  | 'no_such_field'
  | 'no_permission'
  | 'does_not_fit'
  | 'other_currency'
  | 'no_rate';

/** The values to offer to the CRM by field name, none of them null, and those that fit nowhere. */
export interface MappedProfile {
  mapped: FieldValues;
  unfit: UnfitField[];
  /** Fields that take a part of their value: a text was cut, or choices are missing. */
  cut: string[];
  /** The rates by which amounts were converted, by field. */
  rates: ReadonlyMap<string, AppliedRate>;
}

/**
 * Takes the values to the fields that the field map names for them. A source without a value
 * says nothing about its field; of two lines for one field the first with a value counts.
 */
export function mapProfile(input: {
  values: RawValues;
  mappings: readonly FieldMapping[];
  fields: readonly CrmField[];
  /** What an amount in US dollars is in the currency of the record; left out: it is written as it is. */
  amountIn?: (usd: number, field: CrmField) => Amount;
}): MappedProfile {
  const mapped = new Map<string, FieldValue>();
  const unfit: UnfitField[] = [];
  const cut: string[] = [];
  const rates = new Map<string, AppliedRate>();
  for (const { from, to } of input.mappings) {
    const raw = input.values.get(from);
    if (raw === undefined) continue;
    const isTaken = mapped.has(to);
    const field = findField(input.fields, to);
    const amount = isTaken ? null : toAmount(from, raw, field, input.amountIn);
    if (amount?.kind === 'kept_out') {
      unfit.push({ field: to, reason: amount.reason, why: amount.why });
      continue;
    }
    const value: RawValue = amount === null ? raw : { kind: 'number', value: amount.value };
    const fit = isTaken ? refused(to) : fitTarget(value, to, input.fields);
    if (fit.fits) {
      mapped.set(to, fit.value);
      if (fit.isCut === true) cut.push(to);
      if (amount?.rate != null) rates.set(to, amount.rate);
    } else {
      const why = isTaken ? null : whyUnfit(field);
      unfit.push({ field: to, reason: fit.reason, why });
    }
  }
  return { mapped: Object.fromEntries(mapped), unfit, cut, rates };
}

/** The amount for a currency field that can be written; null for every other value. */
function toAmount(
  from: FieldSource,
  raw: RawValue,
  field: CrmField | undefined,
  amountIn: ((usd: number, field: CrmField) => Amount) | undefined,
): Amount | null {
  if (raw.kind !== 'number' || field === undefined || amountIn === undefined) return null;
  return field.writable && isMoneyLine(from, field) ? amountIn(raw.value, field) : null;
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
