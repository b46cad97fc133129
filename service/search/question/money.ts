/** Amounts of US dollars in words. */

/** A pattern for an amount, for example `$1.5M`, `250,000`, `5 million` or `$5M+`. */
export const MONEY = String.raw`(?:US)?\$?\s?\d[\d,]*(?:\.\d+)?(?:\s?(?:thousand|million|billion|mil|mm|bn|k|m|b))?\b\+?(?:\s+dollars)?`;

/** A pattern for words that precede a lower limit. */
export const OVER =
  '(?:over|above|more than|greater than|at least|exceeding|a minimum of|upwards of|>=?)';

/** A pattern for words that precede an upper limit. */
export const UNDER = '(?:under|below|less than|at most|up to|no more than|<=?)';

const UNITS = new Map([
  ['thousand', 1_000],
  ['k', 1_000],
  ['million', 1_000_000],
  ['mil', 1_000_000],
  ['mm', 1_000_000],
  ['m', 1_000_000],
  ['billion', 1_000_000_000],
  ['bn', 1_000_000_000],
  ['b', 1_000_000_000],
]);

/** Returns the amount in a text in whole dollars. */
export function dollarsIn(text: string): number {
  const [, digits = '0', unit = ''] = /(\d[\d,]*(?:\.\d+)?)\s?([a-z]*)/i.exec(text) ?? [];
  return Math.round(Number(digits.replaceAll(',', '')) * (UNITS.get(unit.toLowerCase()) ?? 1));
}

/** Formats an amount, for example `$5,000,000`. */
export function inDollars(amount: number): string {
  return `$${amount.toLocaleString('en-US')}`;
}
