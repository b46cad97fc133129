/** The reason can be a validation rule, a locked field, or a field that is too short. */
import type { Refusal, RefusalCause } from '../../../connectors/contract.ts';
import type { FieldValue, FieldValues } from '../../../src/core/crm-field.ts';
import type { SimulatedCrm } from './crm.ts';

/** A validation rule, which checks the written fields. */
export interface Rule {
  /** The field that the rule checks, and a second field if the rule is about a pair. */
  fields: readonly [string, ...string[]];
  /** False if the CRM refuses the whole record and does not name the refused field. */
  isNamed: boolean;
  isRefused(value: FieldValue): boolean;
}

/** Returns the values that the CRM refuses, with the cause. */
export function refusalsOf(
  { rule, locked, narrow }: Pick<SimulatedCrm, 'rule' | 'locked' | 'narrow'>,
  wanted: FieldValues,
): Refusal[] {
  const filled = Object.keys(wanted).filter((field) => (wanted[field] ?? null) !== null);
  const refusal = (code: string, cause: RefusalCause, fields: readonly string[]): Refusal => ({
    ...{ retriable: false, code, cause, message: 'The CRM refuses it.', fields },
  });
  const forbidden = Object.keys(wanted).filter((field) => locked.has(field));
  const tooLong = filled.filter((field) => narrow.has(field) && !forbidden.includes(field));
  const isRefused = rule?.isRefused(wanted[rule.fields[0]] ?? null) === true;
  const ofRule = isRefused && rule.fields.every((field) => Object.hasOwn(wanted, field));
  const blamed = (rule?.fields ?? []).filter(
    (field) => !forbidden.includes(field) && !tooLong.includes(field),
  );
  return [
    ...(ofRule && !rule.isNamed ? [refusal('rule', 'rule', [])] : []),
    ...(forbidden.length > 0 ? [refusal('forbidden', 'no_permission', forbidden)] : []),
    ...(tooLong.length > 0 ? [refusal('too_long', 'does_not_fit', tooLong)] : []),
    ...(ofRule && rule.isNamed && blamed.length > 0 ? [refusal('rule', 'rule', blamed)] : []),
  ];
}
