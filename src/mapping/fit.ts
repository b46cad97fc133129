import type { CrmField, FieldValue } from '../core/crm-field.ts';
import { isPlainLine, plainText } from '../core/printable.ts';
import { faultFor, faultReason } from './field-fault.ts';
import { type MoneyRange, moneyRangeLabel, parseMoneyRange } from './money-range.ts';
import type { RawValue } from './raw-value.ts';
import { plainNumber } from './same-value.ts';

/**
 * The value in a form that the field accepts, or the reason why there is no such form. The reason contains the field's
 * name and the fix. The reason never contains the value, because the value is personal data.
 */
export type Fit =
  /**
   * The field accepts the value. `isCut` is true if the field has too little space or too few options for the whole
   * value.
   */
  { fits: true; value: NonNullable<FieldValue>; isCut?: true } | { fits: false; reason: string };

/**
 * Fits a number to a field with limited digits. Decimal places are rounded. Digits before the decimal point are never
 * dropped. The value is finite.
 */
function fitNumber(value: number, field: CrmField): Fit {
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

/** The maximum number of decimal places that a floating-point number can distinguish. */
const MAX_DECIMALS = 15;

/**
 * Rounds a number for a field. Adding zero converts negative zero to zero. A small negative number can round to
 * negative zero.
 */
function round(value: number, decimals: number | null): number {
  return Number(value.toFixed(Math.min(decimals ?? MAX_DECIMALS, MAX_DECIMALS))) + 0;
}

function integerDigits(value: number): number {
  const whole = plainNumber(Math.trunc(Math.abs(value)));
  return whole === '0' ? 0 : whole.length;
}

/** The separator of values in a multi-select picklist (`FieldValue`). */
const PICKED_SEPARATOR = ';';

/**
 * Returns the option that equals the text, in the option's own spelling. For an amount or a range, this can also be the
 * only option whose range contains it. A picklist without restrictions accepts any value unchanged.
 */
export function fitOption(text: string, range: MoneyRange | null, field: CrmField): Fit {
  const option = sameOption(text, field.options) ?? rangeOption(range, field.options);
  if (option !== null && fitsLength(option, field)) return { fits: true, value: option };
  return field.restricted ? noOption(field) : fitLine(text, field);
}

/**
 * Returns the options for the items of a list, in the picklist's order. If the picklist is unrestricted, items without
 * an option follow. If the picklist is restricted, the items without an option are omitted.
 */
function fitOptions(items: readonly string[], field: CrmField): Fit {
  const picked = new Set(items.map((item) => sameOption(item, field.options)));
  const known = field.options.filter((option) => picked.has(option));
  const others = field.restricted ? [] : items.filter((item) => isNewOption(item, field.options));
  const kept = withinLength([...known, ...others], field);
  if (kept === '') return noOption(field);
  const isWhole = kept.split(PICKED_SEPARATOR).length >= new Set(items.map(optionKey)).size;
  return isWhole ? { fits: true, value: kept } : { fits: true, value: kept, isCut: true };
}

function sameOption(text: string, options: readonly string[]): string | null {
  const key = optionKey(text);
  return options.find((option) => optionKey(option) === key) ?? null;
}

/** Returns an option's text for comparisons, without differences in case, white space and dashes. */
function optionKey(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/ ?\p{Pd} ?/gu, '-');
}

/**
 * Finds the option whose range contains a value. Neighbouring options usually share a bound ("$500K – $1M", "$1M –
 * $5M"). An amount equal to this bound belongs to the upper option. If two options still match, the value is ambiguous.
 */
function rangeOption(range: MoneyRange | null, options: readonly string[]): string | null {
  if (range === null) return null;
  return (
    theOnly(options, (option) => holdsBelow(option, range)) ??
    theOnly(options, (option) => holds(option, range))
  );
}

function theOnly(options: readonly string[], test: (option: MoneyRange) => boolean): string | null {
  const found = options.filter((option) => {
    const parsed = parseMoneyRange(option);
    return parsed !== null && test(parsed);
  });
  return found.length === 1 ? (found[0] ?? null) : null;
}

/**
 * True if the value is below the option's upper bound. A range may end at the bound. An amount must be below the bound.
 */
function holdsBelow(option: MoneyRange, range: MoneyRange): boolean {
  return holds(option, range) && range.low < option.high;
}

function holds(option: MoneyRange, range: MoneyRange): boolean {
  return option.low <= range.low && range.high <= option.high;
}

/** True if the item can become a new option. A value with a semicolon would be read as two values. */
function isNewOption(item: string, options: readonly string[]): boolean {
  return (
    sameOption(item, options) === null && !item.includes(PICKED_SEPARATOR) && item.trim() !== ''
  );
}

function withinLength(values: readonly string[], field: CrmField): string {
  let kept = '';
  for (const value of values) {
    const longer = kept === '' ? value : `${kept}${PICKED_SEPARATOR}${value}`;
    if (fitsLength(longer, field)) kept = longer;
  }
  return kept;
}

function noOption(field: CrmField): Fit {
  return {
    fits: false,
    reason: `${field.name} has no option for this value: add one in the CRM, or map a text field.`,
  };
}

/** Marks the place at which a value was cut. */
const ELLIPSIS = '…';

/** The separator of list items. Company names contain commas, so lists need a different separator. */
const ITEM_SEPARATOR = '; ';

/** Fits text that must not be cut, because a part of it would be misleading. */
export function fitLine(text: string, field: CrmField): Fit {
  const value = arranged(text, field);
  if (value === '') return blank(field);
  return fitsLength(value, field) ? { fits: true, value } : tooLong(value, field);
}

/** Fits prose to a field. If the prose is too long, it is cut after a word. */
export function fitProse(text: string, field: CrmField): Fit {
  const value = arranged(text, field);
  if (value === '') return blank(field);
  if (fitsLength(value, field)) return { fits: true, value };
  const cut = cutAfterWord(value, field);
  return cut === null ? tooLong(value, field) : { fits: true, value: cut, isCut: true };
}

/**
 * Joins a list into one text that fits the field. If the text is too long, it is cut after an item, or within the first
 * item.
 */
function fitItems(items: readonly string[], field: CrmField): Fit {
  for (let kept = items.length; kept > 0; kept -= 1) {
    const more = kept < items.length ? [ELLIPSIS] : [];
    const fit = fitLine([...items.slice(0, kept), ...more].join(ITEM_SEPARATOR), field);
    if (fit.fits) return more.length === 0 ? fit : { ...fit, isCut: true };
  }
  const first = fitProse(items[0] ?? '', field);
  return first.fits ? { ...first, isCut: true } : first;
}

/** True if the text is not longer than the field allows. */
function fitsLength(text: string, field: CrmField): boolean {
  return field.maxLength === null || storedLength(text) <= field.maxLength;
}

/** Puts the text on one line, unless the field is a long text field, which allows several lines. */
function arranged(text: string, field: CrmField): string {
  if (isPlainLine(text)) return text;
  const trimmed = text.trim();
  return field.type === 'longText' ? trimmed : trimmed.replace(/\s+/g, ' ');
}

/**
 * Returns the stored length of a text. A line break counts as two characters (`maxLength` of `CrmField`), because some
 * CRMs store two.
 */
function storedLength(text: string): number {
  if (!text.includes('\n')) return text.length;
  return text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n').length;
}

function cutAfterWord(text: string, field: CrmField): string | null {
  const room = prefixWithin(text, (field.maxLength ?? text.length) - ELLIPSIS.length);
  const lastSpace = text.slice(0, room.length + 1).search(/\s\S*$/);
  const kept = room
    .slice(0, lastSpace > 0 ? lastSpace : room.length)
    .replace(/(?<![\s\p{P}])[\s\p{P}]+$/u, '');
  return kept === '' ? null : `${kept}${ELLIPSIS}`;
}

/** Returns the longest prefix whose stored length is within the limit. Never splits a character. */
function prefixWithin(text: string, limit: number): string {
  let length = 0;
  let end = 0;
  for (const character of text) {
    length += storedLength(character);
    if (length > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function blank(field: CrmField): Fit {
  return {
    fits: false,
    reason: `There is nothing to write to ${field.name}, because the value is blank.`,
  };
}

function tooLong(text: string, field: CrmField): Fit {
  return {
    fits: false,
    reason: `${field.name} holds at most ${field.maxLength} characters; the value has ${storedLength(text)}: make the field longer.`,
  };
}

/**
 * Fits a value to a field's type, length and options, in the canonical form of FieldValue. Removes control characters,
 * so that the result can be shown anywhere.
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
    case 'prose': {
      const text = plainText(raw.text);
      return text === raw.text ? raw : { ...raw, text };
    }
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
    return { fits: false, reason: `${field.name} accepts only web addresses: map a text field.` };
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
 * Fits a share to a field. Percent fields contain the number that users see: 72 for a share of 0.72
 * (`CRM_FIELD_TYPES`). Without this conversion, every share would become 0 or 1 in a field without decimals.
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
    return { fits: false, reason: `The time for ${field.name} is not a valid calendar date.` };
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
