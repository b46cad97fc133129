import type { CrmField } from '../core/crm-field.ts';
import type { Fit } from './fit.ts';
import { plainNumber } from './plain-number.ts';

/**
 * Fits a number to a field that counts its digits before and after the point. Digits after the
 * point are rounded away; digits before it are never given up. The value is finite.
 */
export function fitNumber(value: number, field: CrmField): Fit {
  const rounded = round(value, field.type === 'integer' ? 0 : field.decimalDigits);
  const digits = integerDigits(rounded);
  if (field.integerDigits !== null && digits > field.integerDigits) {
    return {
      fits: false,
      reason: `${field.name} holds at most ${field.integerDigits} digits before the decimal point; the value has ${digits}: give the field more digits.`,
    };
  }
  return { fits: true, value: rounded };
}

/** The most digits after the point that a number of this machine can tell apart. */
const MAX_DECIMALS = 15;

/** Adding zero makes zero of the minus zero of a small loss. */
function round(value: number, decimals: number | null): number {
  return Number(value.toFixed(Math.min(decimals ?? MAX_DECIMALS, MAX_DECIMALS))) + 0;
}

function integerDigits(value: number): number {
  const whole = plainNumber(Math.trunc(Math.abs(value)));
  return whole === '0' ? 0 : whole.length;
}
