/**
 * The fields that the product writes in a simulated CRM. Defines their mapping, how automation changes them, and who
 * owns their values.
 */
import type { CrmField, FieldValue } from '../../../src/core/crm-field.ts';
import type { FieldMapping } from '../../../src/core/field-map.ts';
import type { SimulatedCrm } from './crm.ts';
import type { Cell } from './record.ts';

/** A field of the CRM that the product fills. */
export const DONOR_ID = 'Donor ID';

export const MAPPINGS: readonly FieldMapping[] = [
  { from: 'donorId', to: DONOR_ID, when: 'unlessEdited' },
  { from: 'netWorth.label', to: 'Net Worth', when: 'unlessEdited' },
  { from: 'age', to: 'Age', when: 'ifEmpty' },
  { from: 'enhancedAt', to: 'Enhanced At', when: 'always' },
];

/** The text that users type into managed fields. */
export const TYPED = 'typed by a person';

/** The field that a flow changes after each write. */
const AUTOMATED = 'Net Worth';

export const MARK = ' (by a flow)';

/** Fields in which the product must not overwrite a user's own value. */
export const PROTECTED: ReadonlySet<string> = new Set(
  MAPPINGS.filter(({ when }) => when !== 'always').map(({ to }) => to),
);

/** Applies a flow that appends a mark to a string. */
export function automated(
  field: string,
  value: FieldValue,
  { keepsAuthors }: { keepsAuthors: boolean },
): Partial<Cell> {
  if (field !== AUTOMATED || value === null || value === TYPED) return {};
  if (String(value).endsWith(MARK)) return { isAutomated: true };
  const made = { value: `${value}${MARK}`, isAutomated: true };
  return keepsAuthors ? { ...made, madeFrom: value } : made;
}

export function describeFields({
  locked,
  narrow,
}: Pick<SimulatedCrm, 'locked' | 'narrow'>): CrmField[] {
  return MAPPINGS.map(({ from, to }) => ({
    ...{ name: to, label: to, type: from === 'age' ? 'integer' : 'text' },
    ...{ maxLength: null, integerDigits: null, decimalDigits: null },
    ...{ options: [], restricted: false, writable: !locked.has(to) },
    ...(narrow.has(to) ? (from === 'age' ? { integerDigits: 1 } : { maxLength: 3 }) : {}),
  }));
}
