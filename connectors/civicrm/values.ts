/** Converts values between CiviCRM and their canonical form. All functions are pure. */
import type { FieldValue } from '../../src/core/crm-field.ts';
import { type Field, LARGEST_INT } from './fields.ts';

/** Returns the canonical form of a field's value in a response. */
export function fromApi({ type, options }: Field, value: unknown): FieldValue {
  if (value === null || value === undefined) return null;
  if (type === 'multiPicklist') return joined(value, options ?? []);
  const text = String(value).trim();
  if (text === '') return null;
  switch (type) {
    case 'integer':
    case 'number':
    case 'currency': {
      const number = Number(text);
      return Number.isFinite(number) ? number : null;
    }
    case 'boolean':
      return text === 'true' || text === '1';
    case 'date':
      return text.slice(0, DAY_LENGTH);
    case 'picklist':
      return text;
    default:
      // CiviCRM cannot store the word `Null`, so donor-sync stores `null`.
      return text === 'Null' ? 'null' : String(value);
  }
}

function isInCents(value: number): boolean {
  return Number.isFinite(value) && Number(value.toFixed(2)) === value;
}

const DAY_LENGTH = '2026-11-30'.length;

function joined(value: unknown, options: readonly string[]): string | null {
  const chosen = (Array.isArray(value) ? value : [value]).map(String).filter((each) => each !== '');
  const order = (option: string) => options.indexOf(option);
  return chosen.length === 0 ? null : chosen.toSorted((a, b) => order(a) - order(b)).join(';');
}

/** Returns the value to send to CiviCRM, or undefined if the field cannot store it. */
export function toApi(field: Field, value: FieldValue): unknown {
  const { type, options, maxLength } = field;
  if (value === null) return type === 'multiPicklist' ? [] : '';
  switch (type) {
    case 'integer':
      return Number.isInteger(value) && Math.abs(Number(value)) <= LARGEST_INT ? value : undefined;
    case 'currency':
      // CiviCRM would round an amount with more than two decimals.
      return typeof value === 'number' && isInCents(value) ? value : undefined;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'date':
      return /^\d{4}-\d{2}-\d{2}$/.test(String(value)) ? value : undefined;
    case 'picklist':
      return options?.includes(String(value)) ? value : undefined;
    case 'multiPicklist': {
      const chosen = String(value).split(';');
      return chosen.every((each) => options?.includes(each)) ? chosen : undefined;
    }
    default: {
      const text = String(value);
      return maxLength !== null && storedLength(text) > maxLength ? undefined : text;
    }
  }
}

/**
 * Returns the length of a string as CiviCRM stores it. CiviCRM stores `<` and `>` as four characters each. A character
 * outside the basic plane counts as one character.
 */
function storedLength(text: string): number {
  return [...text].length + 3 * (text.match(/[<>]/g)?.length ?? 0);
}
