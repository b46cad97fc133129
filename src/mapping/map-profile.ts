import type { CrmField, FieldValue, FieldValues } from '../core/crm-field.ts';
import type { FieldMapping, FieldSource } from '../core/field-map.ts';
import { type Amount, type AppliedRate, isMoneyLine } from './amount.ts';
import { faultReason, mappedTwice, missingField } from './field-fault.ts';
import { type Fit, fitValue } from './fit.ts';
import type { RawValue, RawValues } from './raw-value.ts';

/** A field that could not accept its value. The reason does not contain the value. */
export interface UnfitField {
  field: string;
  reason: string;
  /** The change that the CRM needs, or null if the field map must be changed. */
  why: Unfit | null;
}

/** The reasons why a field could not accept a value, grouped by the change that is needed. */
export type Unfit =
  | 'no_such_field'
  | 'no_permission'
  | 'does_not_fit'
  | 'other_currency'
  | 'no_rate';

/** The values for the CRM by field name (never null), and the values that the fields do not accept. */
export interface MappedProfile {
  mapped: FieldValues;
  unfit: UnfitField[];
  /** Fields that contain only a part of their value, because the value was cut or options are missing. */
  cut: string[];
  /** The rates at which amounts were converted, by field. */
  rates: ReadonlyMap<string, AppliedRate>;
}

/**
 * Maps a profile to field values. A source without a value leaves its field unchanged. If two lines map to one field,
 * the first line with a value is used.
 */
export function mapProfile(input: {
  values: RawValues;
  mappings: readonly FieldMapping[];
  fields: readonly CrmField[];
  /** Converts an amount in US dollars to the record's currency. If omitted, amounts remain unchanged. */
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

/** Returns the amount for a currency field. Returns null for any other field or value. */
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

/** Returns the field with this name. If there are two such fields, returns the first field. */
export function findField(fields: readonly CrmField[], name: string): CrmField | undefined {
  return fieldsByName(fields).get(name);
}

const byName = new WeakMap<readonly CrmField[], ReadonlyMap<string, CrmField>>();

/** Returns the fields by name. Caches the fields, because all contacts of a run share them. */
function fieldsByName(fields: readonly CrmField[]): ReadonlyMap<string, CrmField> {
  const known = byName.get(fields);
  if (known !== undefined) return known;
  // If two fields have the same name, the first field is used.
  const found = new Map(fields.toReversed().map((field) => [field.name, field]));
  byName.set(fields, found);
  return found;
}
