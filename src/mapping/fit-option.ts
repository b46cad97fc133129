import type { CrmField } from '../core/crm-field.ts';
import type { Fit } from './fit.ts';
import { fitLine, fitsLength } from './fit-text.ts';
import { type MoneyRange, parseMoneyRange } from './money-range.ts';

/** Stands between the values of a multi-select picklist, in Salesforce and in HubSpot. */
const PICKED_SEPARATOR = ';';

/**
 * The option that says the same as the text, in the option's own spelling; for an amount or a
 * range of them also the one option whose range holds it. A picklist that is not restricted
 * takes the text as it is.
 */
export function fitOption(text: string, range: MoneyRange | null, field: CrmField): Fit {
  const option = sameOption(text, field.options) ?? rangeOption(range, field.options);
  if (option !== null && fitsLength(option, field)) return { fits: true, value: option };
  return field.restricted ? noOption(field) : fitLine(text, field);
}

/**
 * The options for the items of a list, in the picklist's order; items without an option follow
 * if the picklist is not restricted, and are left out otherwise, as when a list is cut.
 */
export function fitOptions(items: readonly string[], field: CrmField): Fit {
  const picked = new Set(items.map((item) => sameOption(item, field.options)));
  const known = field.options.filter((option) => picked.has(option));
  const others = field.restricted ? [] : items.filter((item) => isNewOption(item, field.options));
  const kept = withinLength([...known, ...others], field);
  return kept === '' ? noOption(field) : { fits: true, value: kept };
}

function sameOption(text: string, options: readonly string[]): string | null {
  return options.find((option) => optionKey(option) === optionKey(text)) ?? null;
}

/** Case, white space and the many kinds of dash do not make another option. */
function optionKey(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/\s*\p{Pd}\s*/gu, '-')
    .replace(/\s+/g, ' ');
}

/**
 * Neighbouring options usually share a bound ("$500K – $1M", "$1M – $5M"), and an amount on it
 * belongs to the upper one. Where two options still hold it, neither is right for sure.
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

/** The upper bound of an option counts for a range that ends there, but not for an amount on it. */
function holdsBelow(option: MoneyRange, range: MoneyRange): boolean {
  return holds(option, range) && range.low < option.high;
}

function holds(option: MoneyRange, range: MoneyRange): boolean {
  return option.low <= range.low && range.high <= option.high;
}

/** A value with a semicolon would be read back as two. */
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
