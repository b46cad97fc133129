import { describe, expect, it } from 'vitest';
import { spanOf } from '../../../../../sandbox/salesforce/query/soql/date-literal.ts';

/** This day is a Wednesday. */
const NOW = Date.parse('2026-03-11T15:30:00Z');

describe('date literals', () => {
  it.each([
    ['TODAY', '2026-03-11', '2026-03-12'],
    ['yesterday', '2026-03-10', '2026-03-11'],
    ['TOMORROW', '2026-03-12', '2026-03-13'],
    ['THIS_WEEK', '2026-03-08', '2026-03-15'],
    ['LAST_WEEK', '2026-03-01', '2026-03-08'],
    ['NEXT_MONTH', '2026-04-01', '2026-05-01'],
    ['LAST_QUARTER', '2025-10-01', '2026-01-01'],
    ['THIS_YEAR', '2026-01-01', '2027-01-01'],
    ['LAST_90_DAYS', '2025-12-11', '2026-03-12'],
    ['LAST_N_DAYS:3', '2026-03-08', '2026-03-12'],
    ['NEXT_N_DAYS:3', '2026-03-12', '2026-03-15'],
    ['N_DAYS_AGO:3', '2026-03-08', '2026-03-09'],
    ['LAST_N_MONTHS:2', '2026-01-01', '2026-03-01'],
    ['N_YEARS_AGO:1', '2025-01-01', '2026-01-01'],
  ])('%s goes from %s to %s', (literal, from, to) => {
    expect(spanOf(literal, NOW)).toEqual({ fromMs: Date.parse(from), toMs: Date.parse(to) });
  });

  it('does not know fiscal years, nor what is no literal', () => {
    expect(spanOf('THIS_FISCAL_YEAR', NOW)).toBeUndefined();
    expect(spanOf('SOMEDAY', NOW)).toBeUndefined();
  });
});
