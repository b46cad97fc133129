import { didYouMean } from '../../core/near-miss.ts';

/** The limits of a cron field, and names for its numbers, starting at `min`. */
interface Field {
  name: string;
  min: number;
  max: number;
  words: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59, words: [] },
  { name: 'hour', min: 0, max: 23, words: [] },
  { name: 'day of the month', min: 1, max: 31, words: [] },
  {
    name: 'month',
    min: 1,
    max: 12,
    words: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  {
    name: 'day of the week',
    min: 0,
    max: 7,
    words: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
  },
];

/**
 * Returns the problem with a cron expression, or null if it is valid. The expression must have five fields. A field can
 * contain numbers, names (`MON`), ranges (`1-5`), steps (`0-30/10`) or lists of these. The message does not quote the
 * expression, because it may come from a variable.
 */
export function cronProblem(cron: string): string | null {
  const texts = cron.trim().split(/\s+/);
  if (texts.length !== FIELDS.length) {
    return `a schedule has five fields (minute, hour, day, month, weekday), but this one has ${texts.length}`;
  }
  for (const [index, field] of FIELDS.entries()) {
    const text = texts[index] ?? '';
    if (!text.split(',').every((part) => fits(part, field))) {
      return `the ${field.name} (field ${index + 1}) must be *, ${field.min} to ${field.max}, a range, a step or a list of those`;
    }
  }
  return null;
}

/**
 * Time zone names that have already been checked. Checking a name takes time, and thousands of integrations share a few
 * time zones.
 */
const knownTimezones = new Set<string>();

export function timezoneProblem(timezone: string): string | null {
  if (knownTimezones.has(timezone)) return null;
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    knownTimezones.add(timezone);
    return null;
  } catch {
    const hint = didYouMean(timezone, Intl.supportedValuesOf('timeZone'));
    return `not a time zone (an example is America/Chicago)${hint}`;
  }
}

function fits(part: string, field: Field): boolean {
  const [range = '', step, ...rest] = part.split('/');
  if (rest.length > 0 || (step !== undefined && !isStep(step))) return false;
  if (range === '*') return true;
  const ends = range.split('-').map((text) => parseNumber(text, field));
  const [first = null, last = first, ...others] = ends;
  if (first === null || last === null || others.length > 0) return false;
  // A step is allowed only after `*` or a range.
  return first <= last && (step === undefined || ends.length === 2);
}

function isStep(text: string): boolean {
  return /^[1-9]\d?$/.test(text);
}

function parseNumber(text: string, field: Field): number | null {
  const index = field.words.indexOf(text.toLowerCase());
  if (index >= 0) return index + field.min;
  if (!/^\d{1,2}$/.test(text)) return null;
  const value = Number(text);
  return value >= field.min && value <= field.max ? value : null;
}
