import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import type { FieldMapping, WriteRule } from '../core/field-map.ts';
import { isBlank, sameValue } from './same-value.ts';

/** The result for each mapped field of one contact. */
export interface ValueDiff {
  /** The values to write. Values are never null, so a write never erases a value. */
  changes: FieldValues;
  /** Fields that already contain the value. */
  equal: string[];
  /** Fields that keep their current value because of their write rule. */
  protected: string[];
}

/**
 * Compares a profile's values with the values in the CRM (design, section 4.2). Only values that differ are written,
 * and only if the field's write rule allows it. `present` contains the values of the mapped fields that were read. A
 * field without a value in `present` is treated as blank. `wasOurs` returns true if donor-sync wrote the field's
 * current value. `isFormer` returns true if donor-sync wrote the value for a different person. No rule protects a
 * different person's value.
 */
export function diffValues(input: {
  mapped: FieldValues;
  present: FieldValues;
  mappings: readonly FieldMapping[];
  wasOurs: (field: string, presentValue: FieldValue) => boolean;
  isFormer?: (field: string, presentValue: FieldValue) => boolean;
  /** True if donor-sync wrote this value before and the CRM's automation then changed it to the current value. */
  isMadeOf?: (field: string, presentValue: FieldValue, value: FieldValue) => boolean;
}): ValueDiff {
  const changes = new Map<string, FieldValue>();
  const equal: string[] = [];
  const kept: string[] = [];
  const rules = rulesByField(input.mappings);
  for (const [field, value] of Object.entries(input.mapped)) {
    if (isBlank(value)) continue;
    const present = presentValue(input.present, field);
    if (sameValue(value, present) || input.isMadeOf?.(field, present, value) === true)
      equal.push(field);
    else if (input.isFormer?.(field, present) === true) changes.set(field, value);
    else if (mayWrite(rules.get(field), present, () => input.wasOurs(field, present)))
      changes.set(field, value);
    else kept.push(field);
  }
  return { changes: Object.fromEntries(changes), equal, protected: kept };
}

const rulesByMappings = new WeakMap<readonly FieldMapping[], ReadonlyMap<string, WriteRule>>();

/**
 * Returns the write rule of each field. If several lines map to one field, the first line's rule applies.
 * `checkFieldMap` reports these lines.
 */
function rulesByField(mappings: readonly FieldMapping[]): ReadonlyMap<string, WriteRule> {
  const known = rulesByMappings.get(mappings);
  if (known !== undefined) return known;
  const rules = new Map(mappings.toReversed().map(({ to, when }) => [to, when]));
  rulesByMappings.set(mappings, rules);
  return rules;
}

function presentValue(present: FieldValues, field: string): FieldValue {
  return Object.hasOwn(present, field) ? (present[field] ?? null) : null;
}

function mayWrite(
  rule: WriteRule = 'unlessEdited',
  present: FieldValue,
  isOurs: () => boolean,
): boolean {
  if (rule === 'always' || isBlank(present)) return true;
  return rule === 'unlessEdited' && isOurs();
}
