/** Amounts in US dollars from `low` to `high`, both included. An infinite end means that the range is open. */
export interface MoneyRange {
  low: number;
  high: number;
}

/**
 * Returns a range in readable form, such as `$1M – $5M`, `$750K – $1M`, or `$10M+` without an upper end. If both ends
 * have the same text, the label contains the text only once. Amounts have three significant digits.
 */
export function moneyRangeLabel(low: number, high: number | null): string {
  if (high === null) return `${shortMoney(low)}+`;
  const [from, to] = [shortMoney(Math.min(low, high)), shortMoney(Math.max(low, high))];
  return from === to ? from : `${from} – ${to}`;
}

/**
 * The maximum length of a range. A longer text from a malicious source could make the patterns below take quadratic
 * time.
 */
const MAX_LENGTH = 100;

/**
 * Reads the range of a picklist option, in the spellings that CRMs use: `$1M - $5M`, `1,000,000 to 4,999,999`, `$1-5M`,
 * `$10M+`, `Over $10M`, `Under $25K`, `$500K`. Returns null for any other text, such as `Tier 1`.
 */
export function parseMoneyRange(option: string): MoneyRange | null {
  if (option.length > MAX_LENGTH) return null;
  for (const [pattern, rangeOf] of FORMS) {
    const match = pattern.exec(option.trim().toLowerCase());
    if (match !== null) return rangeOf(match.groups ?? {});
  }
  return null;
}

function shortMoney(amount: number): string {
  moneyFormat ??= new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumSignificantDigits: 3,
  });
  const known = shortAmounts.get(amount);
  if (known !== undefined) return known;
  const short = moneyFormat.format(amount);
  if (shortAmounts.size < MOST_SHORT_AMOUNTS) shortAmounts.set(amount, short);
  return short;
}

/** Caches formatted amounts, because thousands of profiles share a few bounds. */
const shortAmounts = new Map<number, string>();
const MOST_SHORT_AMOUNTS = 1_000;

/**
 * The number format. The format is created on first use, because creating it takes longer than handling 500 unchanged
 * contacts.
 */
let moneyFormat: Intl.NumberFormat | null = null;

const AMOUNT = String.raw`\$?\s*(?<first>\d[\d,]*(?:\.\d+)?)\s*(?<firstUnit>[a-z]+)?`;
const SECOND_AMOUNT = String.raw`\$?\s*(?<second>\d[\d,]*(?:\.\d+)?)\s*(?<secondUnit>[a-z]+)?`;

type Groups = Readonly<Record<string, string | undefined>>;

/** The patterns for ranges, from the most to the least specific. The pattern for a single amount comes last. */
const FORMS: readonly (readonly [RegExp, (groups: Groups) => MoneyRange | null])[] = [
  [new RegExp(`^${AMOUNT}\\s*(?:[-–—]|to\\b|up to\\b)\\s*${SECOND_AMOUNT}$`), closedRange],
  [new RegExp(`^(?:over|more than|above|at least|from|[>≥]=?)\\s*${AMOUNT}$`), openAbove],
  [new RegExp(`^${AMOUNT}\\s*(?:\\+|or more|and (?:above|over|up|more))$`), openAbove],
  [new RegExp(`^(?:under|below|less than|up to|[<≤]=?)\\s*${AMOUNT}$`), openBelow],
  [new RegExp(`^${AMOUNT}$`), oneAmount],
];

function closedRange(groups: Groups): MoneyRange | null {
  const high = parseAmount(groups['second'], groups['secondUnit']);
  const shared = parseAmount(groups['first'], groups['firstUnit'] ?? groups['secondUnit']);
  if (high === null || shared === null) return null;
  // In "$1-5M" the unit belongs to both amounts. In "$500-1M", it belongs only to the second amount.
  const low = shared <= high ? shared : parseAmount(groups['first'], groups['firstUnit']);
  return low === null || low > high ? null : { low, high };
}

function openAbove(groups: Groups): MoneyRange | null {
  const low = parseAmount(groups['first'], groups['firstUnit']);
  return low === null ? null : { low, high: Number.POSITIVE_INFINITY };
}

function openBelow(groups: Groups): MoneyRange | null {
  const high = parseAmount(groups['first'], groups['firstUnit']);
  return high === null ? null : { low: Number.NEGATIVE_INFINITY, high };
}

function oneAmount(groups: Groups): MoneyRange | null {
  const amount = parseAmount(groups['first'], groups['firstUnit']);
  return amount === null ? null : { low: amount, high: amount };
}

const UNITS: ReadonlyMap<string | undefined, number> = new Map([
  [undefined, 1],
  ...['k', 'thousand'].map((unit) => [unit, 1e3] as const),
  ...['m', 'mm', 'mil', 'million'].map((unit) => [unit, 1e6] as const),
  ...['b', 'bn', 'billion'].map((unit) => [unit, 1e9] as const),
]);

function parseAmount(digits: string | undefined, unit: string | undefined): number | null {
  const factor = UNITS.get(unit);
  if (digits === undefined || factor === undefined) return null;
  return Number(digits.replaceAll(',', '')) * factor;
}
