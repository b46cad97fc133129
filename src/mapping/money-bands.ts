import { moneyRangeLabel } from './money-range.ts';

/** The bounds between which wealth screenings give a net worth, in US dollars. */
const BOUNDS = [
  0, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000, 10_000_000, 25_000_000,
  50_000_000, 100_000_000, 500_000_000, 1_000_000_000, 5_000_000_000,
];

/** The bands of a net worth as people choose them from a list: `$1M – $5M`; the last is open above. */
export const MONEY_BANDS: readonly string[] = BOUNDS.map((low, at) =>
  moneyRangeLabel(low, BOUNDS[at + 1] ?? null),
);
