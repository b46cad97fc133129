/** Date literals such as TODAY and LAST_N_DAYS:30. Date literals are in UTC, which is this org's time zone. */

/** A period in milliseconds since 1970. The period includes its start and excludes its end. */
export interface Span {
  fromMs: number;
  toMs: number;
}

/** Returns the period of a literal, or undefined if the stand-in does not support the literal. */
export function spanOf(literal: string, nowMs: number): Span | undefined {
  const [name = '', count] = literal.toUpperCase().split(':');
  const unit = LITERAL.exec(name)?.[1];
  const fixed = FIXED[name];
  if (fixed !== undefined) return spanOfUnits('DAY', fixed, fixed + 1, nowMs);
  if (unit === undefined) return undefined;
  if (count === undefined) return spanOfNamed(name, unit, nowMs);
  return spanOfCounted(name, unit, Number(count), nowMs);
}

const LITERAL = /^(?:THIS|(?:LAST|NEXT)(?:_N|_90)?|N)_(DAY|WEEK|MONTH|QUARTER|YEAR)S?(?:_AGO)?$/;

const FIXED: Partial<Record<string, number>> = { YESTERDAY: -1, TODAY: 0, TOMORROW: 1 };

function spanOfNamed(name: string, unit: string, nowMs: number): Span | undefined {
  if (name === 'LAST_90_DAYS') return spanOfUnits('DAY', -90, 1, nowMs);
  if (name === 'NEXT_90_DAYS') return spanOfUnits('DAY', 1, 91, nowMs);
  const offset = name.startsWith('LAST_') ? -1 : name.startsWith('NEXT_') ? 1 : 0;
  return spanOfUnits(unit, offset, offset + 1, nowMs);
}

/**
 * Returns the period of a literal with a number. LAST_N_DAYS includes today. Literals for longer units do not include
 * the current unit.
 */
function spanOfCounted(name: string, unit: string, count: number, nowMs: number): Span {
  if (name.endsWith('_AGO')) return spanOfUnits(unit, -count, -count + 1, nowMs);
  if (name.startsWith('NEXT_')) return spanOfUnits(unit, 1, count + 1, nowMs);
  return spanOfUnits(unit, -count, unit === 'DAY' ? 1 : 0, nowMs);
}

function spanOfUnits(unit: string, from: number, to: number, nowMs: number): Span {
  return { fromMs: startOf(unit, from, nowMs), toMs: startOf(unit, to, nowMs) };
}

/** Returns the start of a unit. `offset` is the number of units before or after the current unit. */
function startOf(unit: string, offset: number, nowMs: number): number {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  switch (unit) {
    case 'DAY':
      return Date.UTC(year, month, day + offset);
    case 'WEEK':
      return Date.UTC(year, month, day - now.getUTCDay() + 7 * offset);
    case 'MONTH':
      return Date.UTC(year, month + offset, 1);
    case 'QUARTER':
      return Date.UTC(year, month - (month % 3) + 3 * offset, 1);
    default:
      return Date.UTC(year + offset, 0, 1);
  }
}
