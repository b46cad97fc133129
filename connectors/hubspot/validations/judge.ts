/**
 * Decides which values certainly break a validation rule. If donor-sync cannot decide about a value, it sends the
 * value, and HubSpot decides.
 */
import type { DescribedProperty } from '../describe.ts';
import { isPercent } from '../values.ts';
import { createMismatch, type Mismatch } from './expression.ts';

/** A property's validation rule as HubSpot returns it. */
export interface ValidationRule {
  ruleType: string;
  ruleArguments: readonly string[];
  shouldApplyNormalization?: boolean | undefined;
}

/**
 * A function that tests values against a rule. Returns true only if every interpretation of the rule rejects the value.
 */
export interface Judge {
  ruleType: string;
  breaks(value: string, property: DescribedProperty): boolean;
}

type Breaks = (
  value: string,
  ruleArguments: readonly string[],
  property: DescribedProperty,
) => boolean;

/**
 * The rule types that donor-sync can evaluate. The list lacks types that depend on the account. The types that depend
 * on the account concern time zones, the current time, phone numbers and domains.
 */
const JUDGES: ReadonlyMap<string, Breaks> = new Map(
  Object.entries({
    MIN_NUMBER: (value, [least], property) => compareNumbers(value, least, property) < 0,
    MAX_NUMBER: (value, [most], property) => compareNumbers(value, most, property) > 0,
    DECIMAL: (value, [most], property) => countDecimals(value, property) > countIn(most),
    // HubSpot may count the characters with or without the white space at both ends.
    MIN_LENGTH: (value, [least], property) => isText(property) && value.length < countIn(least),
    MAX_LENGTH: (value, [most], property) =>
      isText(property) && [...value.trim()].length > countIn(most),
    ALPHANUMERIC: (value, kinds, property) =>
      isText(property) && kinds.length === 1 && hasForeignCharacter(value, kinds[0]),
    START_DATE: (value, [first], property) =>
      property.type === 'date' && parseTime(value) + getMargin(first) < parseTime(first),
    END_DATE: (value, [last], property) =>
      property.type === 'date' && parseTime(value) - getMargin(last) > parseTime(last),
    START_DATETIME: (value, [first], property) =>
      property.type === 'datetime' && parseTime(value) + getMargin(first) < parseTime(first),
    END_DATETIME: (value, [last], property) =>
      property.type === 'datetime' && parseTime(value) - getMargin(last) > parseTime(last),
  } satisfies Record<string, Breaks>),
);

/**
 * Creates a function that tests values against a rule. Returns null if donor-sync cannot evaluate the type of rule. If
 * donor-sync cannot evaluate a rule, it sends the values, and HubSpot decides.
 */
export async function createJudge({
  ruleType,
  ruleArguments,
  shouldApplyNormalization = false,
}: ValidationRule): Promise<Judge | null> {
  if (shouldApplyNormalization) return null;
  const [first] = ruleArguments;
  if (ruleType === 'REGEX' && first !== undefined && ruleArguments.length === 1) {
    const mismatches: Mismatch | null = await createMismatch(first);
    if (mismatches === null) return null;
    return { ruleType, breaks: (value, property) => isText(property) && mismatches(value) };
  }
  const breaks = JUDGES.get(ruleType);
  if (breaks === undefined) return null;
  return { ruleType, breaks: (value, property) => breaks(value, ruleArguments, property) };
}

/** Returns the type of the first rule that this value certainly breaks, or null if the value breaks none. */
export function brokenRule(
  judges: readonly Judge[],
  value: string,
  property: DescribedProperty,
): string | null {
  // A blank value is always allowed, because no rule prevents clearing a property.
  if (value.trim() === '') return null;
  return judges.find(({ breaks }) => breaks(value, property))?.ruleType ?? null;
}

function isText({ type }: DescribedProperty): boolean {
  return type === 'string';
}

/**
 * Returns false for a percentage. The rule's limit may apply to the stored value (0.72) or to the displayed value (72).
 */
function isPlainNumber(property: DescribedProperty): boolean {
  return property.type === 'number' && !isPercent(property);
}

/**
 * Compares a number with a limit. Returns NaN if the number or the limit is uncertain. NaN is neither less nor greater
 * than any number.
 */
function compareNumbers(value: string, limit: string | undefined, property: DescribedProperty) {
  if (!isPlainNumber(property)) return Number.NaN;
  return Number(value) - numberIn(limit);
}

function countDecimals(value: string, property: DescribedProperty): number {
  if (!isPlainNumber(property)) return Number.NaN;
  const [, decimals] = /^-?\d+(?:\.(\d+))?$/.exec(value) ?? [];
  return decimals === undefined ? 0 : decimals.replace(/(?<!0)0+$/, '').length;
}

function numberIn(argument: string | undefined): number {
  const text = argument?.trim() ?? '';
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
}

function countIn(argument: string | undefined): number {
  const count = numberIn(argument);
  return Number.isInteger(count) && count >= 0 ? count : Number.NaN;
}

/**
 * Returns true for a letter where the rule requires digits, or for a digit where the rule requires letters. The
 * comparison ignores spaces and punctuation, because a rule may allow them.
 */
function hasForeignCharacter(value: string, kind: string | undefined): boolean {
  if (kind === 'NUMERIC_ONLY') return /\p{L}/u.test(value);
  return kind === 'ALPHA_ONLY' && /\p{N}/u.test(value);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:?\d{2})$/;

/** Parses a day, an instant with a time zone, or epoch ms as a string. Returns NaN for any other text. */
function parseTime(text: string | undefined): number {
  const trimmed = text?.trim() ?? '';
  if (DAY.test(trimmed) || INSTANT.test(trimmed)) return Date.parse(trimmed);
  return /^-?\d{6,16}$/.test(trimmed) ? Number(trimmed) : Number.NaN;
}

const DAY_MS = 86_400_000;

/**
 * Returns the tolerance of a comparison (ms). The tolerance for a date is a day, because a date starts at different
 * times in different time zones.
 */
function getMargin(argument: string | undefined): number {
  return INSTANT.test(argument?.trim() ?? '') ? 0 : DAY_MS;
}
