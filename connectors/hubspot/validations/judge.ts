/** Decides which values certainly break a validation rule. Anything uncertain is left to HubSpot. */
import type { DescribedProperty } from '../describe.ts';
import { isPercent } from '../values.ts';
import { createMismatch, type Mismatch } from './expression.ts';

/** A validation rule of a property, as HubSpot returns it. */
export interface ValidationRule {
  ruleType: string;
  ruleArguments: readonly string[];
  /** True if HubSpot changes the value in an unknown way before it applies the rule. */
  shouldApplyNormalization?: boolean | undefined;
}

/** A rule that can be judged. It returns true if the rule rejects the value under every interpretation. */
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
 * The rule types that can be judged. Types whose meaning depends on the account (time zones, the current time, phone
 * numbers, domains, special characters) are left out.
 */
const JUDGES: ReadonlyMap<string, Breaks> = new Map(
  Object.entries({
    MIN_NUMBER: (value, [least], property) => compareNumbers(value, least, property) < 0,
    MAX_NUMBER: (value, [most], property) => compareNumbers(value, most, property) > 0,
    DECIMAL: (value, [most], property) => countDecimals(value, property) > countIn(most),
    // Characters can be counted in two ways, with or without surrounding white space.
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
 * Creates the judge of a rule, or returns null if such a rule cannot be judged. Its values are then sent, and HubSpot
 * decides.
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

/** Returns the type of the first rule that this value certainly breaks, or null if there is none. */
export function brokenRule(
  judges: readonly Judge[],
  value: string,
  property: DescribedProperty,
): string | null {
  // No rule prevents clearing a value.
  if (value.trim() === '') return null;
  return judges.find(({ breaks }) => breaks(value, property))?.ruleType ?? null;
}

function isText({ type }: DescribedProperty): boolean {
  return type === 'string';
}

/**
 * Returns false for a percentage. It is unknown whether a limit applies to the stored value (0.72) or the displayed one
 * (72).
 */
function isPlainNumber(property: DescribedProperty): boolean {
  return property.type === 'number' && !isPercent(property);
}

/** Compares numbers. Returns NaN if the number or the limit is uncertain, because NaN is neither less nor more. */
function compareNumbers(value: string, limit: string | undefined, property: DescribedProperty) {
  if (!isPlainNumber(property)) return Number.NaN;
  return Number(value) - numberIn(limit);
}

function countDecimals(value: string, property: DescribedProperty): number {
  if (!isPlainNumber(property)) return Number.NaN;
  const [, decimals] = /^-?\d+(?:\.(\d+))?$/.exec(value) ?? [];
  return decimals === undefined ? 0 : decimals.replace(/(?<!0)0+$/, '').length;
}

/** Returns the number in an argument, or NaN if it is not a plain number. */
function numberIn(argument: string | undefined): number {
  const text = argument?.trim() ?? '';
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
}

/** Returns the count in an argument, or NaN if it is not a count. */
function countIn(argument: string | undefined): number {
  const count = numberIn(argument);
  return Number.isInteger(count) && count >= 0 ? count : Number.NaN;
}

/**
 * Returns true for a character of the opposite kind. Blanks and punctuation may be allowed in addition to digits or
 * letters, so they do not count.
 */
function hasForeignCharacter(value: string, kind: string | undefined): boolean {
  if (kind === 'NUMERIC_ONLY') return /\p{L}/u.test(value);
  return kind === 'ALPHA_ONLY' && /\p{N}/u.test(value);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:?\d{2})$/;

/**
 * Returns the epoch ms of a day, of an instant with its zone, or of epoch ms as text. Returns NaN for anything else.
 */
function parseTime(text: string | undefined): number {
  const trimmed = text?.trim() ?? '';
  if (DAY.test(trimmed) || INSTANT.test(trimmed)) return Date.parse(trimmed);
  return /^-?\d{6,16}$/.test(trimmed) ? Number(trimmed) : Number.NaN;
}

const DAY_MS = 86_400_000;

/** Returns the margin. A day means that day in every zone. An instant may be the start of a day in some zone. */
function getMargin(argument: string | undefined): number {
  return INSTANT.test(argument?.trim() ?? '') ? 0 : DAY_MS;
}
