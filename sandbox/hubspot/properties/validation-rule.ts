/** The rules for property values that an administrator can set, with HubSpot's names. */

import { z } from 'zod';
import type { Property, propertyTypeSchema } from './property.ts';

/** The types of rules that HubSpot documents. */
export const RULE_TYPES = [
  'AFTER_DATETIME_DURATION',
  'AFTER_DURATION',
  'ALPHANUMERIC',
  'BEFORE_DATETIME_DURATION',
  'BEFORE_DURATION',
  'DAYS_OF_WEEK',
  'DECIMAL',
  'DOMAIN',
  'EMAIL',
  'EMAIL_ALLOWED_DOMAINS',
  'EMAIL_BLOCKED_DOMAINS',
  'END_DATE',
  'END_DATETIME',
  'FORMAT',
  'MAX_LENGTH',
  'MAX_NUMBER',
  'MIN_LENGTH',
  'MIN_NUMBER',
  'PHONE_NUMBER_WITH_EXPLICIT_COUNTRY_CODE',
  'REGEX',
  'SPECIAL_CHARACTERS',
  'START_DATE',
  'START_DATETIME',
  'URL',
  'URL_ALLOWED_DOMAINS',
  'URL_BLOCKED_DOMAINS',
  'WHITESPACE',
] as const;

export type RuleType = (typeof RULE_TYPES)[number];

/** A rule in a request. The path contains the rule's type, so the body does not. */
export const ruleBodySchema = z.object({
  ruleArguments: z.array(z.string()),
  shouldApplyNormalization: z.boolean().optional(),
});

/** A validation rule as the API returns it. */
export const validationRuleSchema = ruleBodySchema.extend({ ruleType: z.enum(RULE_TYPES) });

export type ValidationRule = z.output<typeof validationRuleSchema>;

/** The reason why a value breaks a rule. The message comes from HubSpot. */
export interface Breach {
  message: string;
  error: string;
}

/** Returns an error message for invalid rule arguments, or undefined if they are valid. */
export function badArguments(
  { type }: Pick<Property, 'type'>,
  { ruleType, ruleArguments }: ValidationRule,
): string | undefined {
  const judge = JUDGES[ruleType];
  if (!judge.types.includes(type)) return `${ruleType} is not a rule for the type ${type}.`;
  return judge.accepts(ruleArguments)
    ? undefined
    : `${ruleType} does not accept the arguments [${ruleArguments.join(', ')}].`;
}

/** Returns the reason why a value breaks a rule, or undefined if it does not. A blank value never breaks a rule. */
export function breach(
  { ruleType, ruleArguments, shouldApplyNormalization }: ValidationRule,
  value: string,
  nowMs: number,
): Breach | undefined {
  const judged = shouldApplyNormalization === true ? value.trim() : value;
  if (judged === '') return undefined;
  const { holds, message, error } = JUDGES[ruleType];
  if (holds(judged, ruleArguments, nowMs)) return undefined;
  return { message: message(ruleArguments), error: error?.(ruleArguments) ?? ruleType };
}

interface Judge {
  types: readonly z.infer<typeof propertyTypeSchema>[];
  accepts(args: readonly string[]): boolean;
  holds(value: string, args: readonly string[], nowMs: number): boolean;
  message(args: readonly string[]): string;
  /** HubSpot's code, if it differs from the type of the rule. */
  error?(args: readonly string[]): string;
}

const TEXT = ['string', 'phone_number'] as const;
const NUMBER = ['number'] as const;

const LETTERS: Partial<Record<string, { pattern: RegExp; message: string; error: string }>> = {
  ALPHA_ONLY: {
    pattern: /^[\p{L}\p{M}\s]*$/u,
    message: 'Enter only letters',
    error: 'INVALID_ALPHA',
  },
  NUMERIC_ONLY: { pattern: /^\d*$/, message: 'Enter only numbers', error: 'INVALID_NUMERIC' },
  ALPHANUMERIC: {
    pattern: /^[\p{L}\p{M}\d\s]*$/u,
    message: 'Enter only letters and numbers',
    error: 'INVALID_ALPHANUMERIC',
  },
};

const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

const first = (args: readonly string[]) => args[0] ?? '';
const asNumber = (args: readonly string[]) => Number(first(args));
const isOneNumber = (args: readonly string[]) =>
  args.length === 1 && first(args).trim() !== '' && Number.isFinite(asNumber(args));
const isOneCount = (args: readonly string[]) =>
  isOneNumber(args) && Number.isInteger(asNumber(args)) && asNumber(args) >= 0;
const isOneTime = (args: readonly string[]) =>
  args.length === 1 && !Number.isNaN(Date.parse(first(args)));
const isOnePeriod = (args: readonly string[]) =>
  args.length === 1 && addPeriod(first(args), 1, 0) !== undefined;
const areDomains = (args: readonly string[]) => args.length > 0;
const atMostOne = (args: readonly string[]) => args.length <= 1;
const domainOf = (value: string) => value.slice(value.lastIndexOf('@') + 1).toLowerCase();

const JUDGES: Readonly<Record<RuleType, Judge>> = {
  ALPHANUMERIC: {
    types: TEXT,
    accepts: (args) => args.length === 1 && LETTERS[first(args)] !== undefined,
    holds: (value, args) => LETTERS[first(args)]?.pattern.test(value) !== false,
    message: (args) => LETTERS[first(args)]?.message ?? '',
    error: (args) => LETTERS[first(args)]?.error ?? 'ALPHANUMERIC',
  },
  MIN_LENGTH: {
    types: TEXT,
    accepts: isOneCount,
    holds: (value, args) => value.length >= asNumber(args),
    message: (args) => `Enter at least ${first(args)} characters`,
  },
  MAX_LENGTH: {
    types: TEXT,
    accepts: isOneCount,
    holds: (value, args) => value.length <= asNumber(args),
    message: (args) => `Enter at most ${first(args)} characters`,
  },
  MIN_NUMBER: {
    types: NUMBER,
    accepts: isOneNumber,
    holds: (value, args) => Number(value) >= asNumber(args),
    message: (args) => `Enter a number that is ${first(args)} or more`,
  },
  MAX_NUMBER: {
    types: NUMBER,
    accepts: isOneNumber,
    holds: (value, args) => Number(value) <= asNumber(args),
    message: (args) => `Enter a number that is ${first(args)} or less`,
  },
  DECIMAL: {
    types: NUMBER,
    accepts: isOneCount,
    holds: (value, args) => (value.split('.')[1] ?? '').length <= asNumber(args),
    message: (args) => `Enter at most ${first(args)} decimal places`,
  },
  REGEX: {
    types: TEXT,
    accepts: (args) => args.length === 1 && isPattern(first(args)),
    holds: (value, args) => new RegExp(`^(?:${first(args)})$`, 'u').test(value),
    message: () => 'Enter a value in the required format',
  },
  SPECIAL_CHARACTERS: {
    types: TEXT,
    accepts: atMostOne,
    holds: (value) => /^[\p{L}\p{M}\p{N}\s]*$/u.test(value),
    message: () => 'Special characters are not allowed',
  },
  WHITESPACE: {
    types: TEXT,
    accepts: atMostOne,
    holds: (value) => !/\s/.test(value),
    message: () => 'Spaces are not allowed',
  },
  FORMAT: {
    types: ['string', 'phone_number', 'number'],
    accepts: atMostOne,
    // Accepts all values, because HubSpot does not document which values the rule refuses.
    holds: () => true,
    message: () => '',
  },
  DOMAIN: {
    types: TEXT,
    accepts: atMostOne,
    holds: (value) => /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/i.test(value),
    message: () => 'Enter a valid domain',
  },
  EMAIL: {
    types: TEXT,
    accepts: atMostOne,
    holds: (value) => z.email().safeParse(value).success,
    message: () => 'Enter a valid email address',
  },
  EMAIL_ALLOWED_DOMAINS: {
    types: TEXT,
    accepts: areDomains,
    holds: (value, args) => args.includes(domainOf(value)),
    message: () => 'Emails of this domain are not allowed',
  },
  EMAIL_BLOCKED_DOMAINS: {
    types: TEXT,
    accepts: areDomains,
    holds: (value, args) => !args.includes(domainOf(value)),
    message: () => 'Emails of this domain are not allowed',
  },
  URL: {
    types: TEXT,
    accepts: atMostOne,
    holds: (value) => hostOf(value) !== undefined,
    message: () => 'Enter a valid URL',
  },
  URL_ALLOWED_DOMAINS: {
    types: TEXT,
    accepts: areDomains,
    holds: (value, args) => args.includes(hostOf(value) ?? ''),
    message: () => 'URLs of this domain are not allowed',
  },
  URL_BLOCKED_DOMAINS: {
    types: TEXT,
    accepts: areDomains,
    holds: (value, args) => !args.includes(hostOf(value) ?? ''),
    message: () => 'URLs of this domain are not allowed',
  },
  PHONE_NUMBER_WITH_EXPLICIT_COUNTRY_CODE: {
    types: TEXT,
    accepts: atMostOne,
    holds: (value) => /^\+\d[\d\s().-]{5,}$/.test(value),
    message: () => 'Enter a phone number with its country code',
  },
  DAYS_OF_WEEK: {
    types: ['date', 'datetime'],
    accepts: (args) => args.length > 0 && args.every((day) => WEEKDAYS.includes(day)),
    holds: (value, args) => args.includes(WEEKDAYS[new Date(value).getUTCDay()] ?? ''),
    message: (args) => `Enter a date on one of these days: ${args.join(', ')}`,
  },
  ...timeJudges('date', { start: 'START_DATE', end: 'END_DATE' }),
  ...timeJudges('datetime', { start: 'START_DATETIME', end: 'END_DATETIME' }),
  ...durationJudges('date', { after: 'AFTER_DURATION', before: 'BEFORE_DURATION' }),
  ...durationJudges('datetime', {
    after: 'AFTER_DATETIME_DURATION',
    before: 'BEFORE_DATETIME_DURATION',
  }),
};

function timeJudges<Start extends RuleType, End extends RuleType>(
  type: 'date' | 'datetime',
  names: { start: Start; end: End },
): Record<Start | End, Judge>;
function timeJudges(
  type: 'date' | 'datetime',
  { start, end }: { start: string; end: string },
): Record<string, Judge> {
  return {
    [start]: {
      types: [type],
      accepts: isOneTime,
      holds: (value, args) => Date.parse(value) >= Date.parse(first(args)),
      message: (args) => `Enter a date on or after ${first(args)}`,
    },
    [end]: {
      types: [type],
      accepts: isOneTime,
      holds: (value, args) => Date.parse(value) <= Date.parse(first(args)),
      message: (args) => `Enter a date on or before ${first(args)}`,
    },
  };
}

/** Returns the rules that require a date to be at least a given time before or after the current time. */
function durationJudges<After extends RuleType, Before extends RuleType>(
  type: 'date' | 'datetime',
  names: { after: After; before: Before },
): Record<After | Before, Judge>;
function durationJudges(
  type: 'date' | 'datetime',
  { after, before }: { after: string; before: string },
): Record<string, Judge> {
  return {
    [after]: {
      types: [type],
      accepts: isOnePeriod,
      holds: (value, args, nowMs) => Date.parse(value) >= (addPeriod(first(args), 1, nowMs) ?? 0),
      message: (args) => `Enter a date at least ${first(args)} after today`,
    },
    [before]: {
      types: [type],
      accepts: isOnePeriod,
      holds: (value, args, nowMs) => Date.parse(value) <= (addPeriod(first(args), -1, nowMs) ?? 0),
      message: (args) => `Enter a date at least ${first(args)} before today`,
    },
  };
}

/** Adds an ISO 8601 period to a time, or subtracts it. Returns undefined if the period is invalid. */
function addPeriod(period: string, sign: 1 | -1, fromMs: number): number | undefined {
  const pattern =
    /^P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?)?$/;
  const match = pattern.exec(period);
  if (match === null) return undefined;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0) * sign);
  const date = new Date(fromMs);
  date.setUTCMonth(date.getUTCMonth() + years * 12 + months);
  date.setUTCDate(date.getUTCDate() + weeks * 7 + days);
  return date.getTime() + (hours * 60 + minutes) * 60_000;
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}

function hostOf(value: string): string | undefined {
  const text = /^https?:\/\//i.test(value) ? value : `https://${value}`;
  const host = URL.canParse(text) ? new URL(text).hostname : '';
  return host.includes('.') ? host : undefined;
}
