import type { CrmField } from '../core/crm-field.ts';
import { plainText } from '../core/printable.ts';
import { faultFor, faultReason } from './field-fault.ts';
import type { Fit } from './fit.ts';
import { fitNumber } from './fit-number.ts';
import { fitOption, fitOptions } from './fit-option.ts';
import { fitItems, fitLine, fitProse } from './fit-text.ts';
import { moneyRangeLabel } from './money-range.ts';
import { plainNumber } from './plain-number.ts';
import type { RawValue } from './raw-value.ts';

/**
 * Fits a value to a field's real type, length and options, in the canonical form of FieldValue.
 * Nothing in it acts, wherever it is shown later.
 */
export function fitValue(given: RawValue, field: CrmField): Fit {
  const raw = plainly(given);
  const fault = faultFor(field, raw.kind);
  if (fault !== null) return { fits: false, reason: faultReason(fault) };
  switch (raw.kind) {
    case 'text':
      return fitText(raw.text, field);
    case 'url':
      return fitUrl(raw.text, field);
    case 'prose':
      return fitProse(raw.text, field);
    case 'list':
      return field.type === 'multiPicklist'
        ? fitOptions(raw.items, field)
        : fitItems(raw.items, field);
    case 'number':
      return fitFigure(raw.value, field);
    case 'share':
      return fitShare(raw.value, field);
    case 'range':
      return fitRange(raw.low, raw.high, field);
    case 'instant':
      return fitInstant(raw.epochMs, field);
  }
}

function plainly(raw: RawValue): RawValue {
  switch (raw.kind) {
    case 'text':
    case 'url':
    case 'prose':
      return { ...raw, text: plainText(raw.text) };
    case 'list':
      return { ...raw, items: raw.items.map(plainText) };
    default:
      return raw;
  }
}

function fitText(text: string, field: CrmField): Fit {
  if (field.type === 'picklist') return fitOption(text, null, field);
  if (field.type === 'multiPicklist') return fitOptions([text], field);
  return fitLine(text, field);
}

function fitUrl(text: string, field: CrmField): Fit {
  if (field.type === 'url' && !isWebAddress(text)) {
    return { fits: false, reason: `${field.name} takes web addresses only: map a text field.` };
  }
  return fitLine(text, field);
}

function fitFigure(value: number, field: CrmField): Fit {
  if (!Number.isFinite(value)) {
    return { fits: false, reason: `The value for ${field.name} is not a number.` };
  }
  const digits = plainNumber(value);
  if (field.type === 'picklist') return fitOption(digits, { low: value, high: value }, field);
  return holdsText(field) ? fitLine(digits, field) : fitNumber(value, field);
}

/**
 * Percent fields hold what their readers see: 72 for a share of 0.72, as Salesforce stores it. A
 * field without decimals would turn every share into 0 or 1.
 */
function fitShare(value: number, field: CrmField): Fit {
  if (!(value >= 0 && value <= 1)) {
    return { fits: false, reason: `The share for ${field.name} is not between 0 and 1.` };
  }
  if (holdsText(field)) return fitLine(plainNumber(value), field);
  if (field.type === 'percent') return fitNumber(Number((value * 100).toFixed(10)), field);
  if (field.decimalDigits !== 0) return fitNumber(value, field);
  return {
    fits: false,
    reason: `${field.name} keeps no decimals: give it two decimal places, or map a percent field.`,
  };
}

function fitRange(low: number, high: number | null, field: CrmField): Fit {
  const label = moneyRangeLabel(low, high);
  const range = { low, high: high ?? Number.POSITIVE_INFINITY };
  return field.type === 'picklist' ? fitOption(label, range, field) : fitLine(label, field);
}

function fitInstant(epochMs: number, field: CrmField): Fit {
  const instant = new Date(epochMs);
  if (Number.isNaN(instant.getTime())) {
    return { fits: false, reason: `The time for ${field.name} is no date of the calendar.` };
  }
  const text = instant.toISOString();
  const day = text.slice(0, text.indexOf('T'));
  if (field.type === 'datetime') return { fits: true, value: text };
  if (field.type === 'date') return { fits: true, value: day };
  const whole = fitLine(text, field);
  return whole.fits ? whole : fitLine(day, field);
}

function holdsText(field: CrmField): boolean {
  return field.type === 'text' || field.type === 'longText';
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
