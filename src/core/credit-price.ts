/** The operator's price for a credit, from the settings. */
import { z } from 'zod';

const priceSchema = z
  .strictObject({
    amount: z.number().nonnegative().max(1_000_000),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'expected a currency code of three capital letters, for example "USD"'),
  })
  .nullable()
  .default(null);

/**
 * The price of a credit, by bucket. Queries about connections have a separate price, because the service decides which
 * bucket pays for them.
 */
export const creditPricesSchema = z.strictObject({
  enhancements: priceSchema,
  networks: priceSchema,
  queries: priceSchema,
});

export type CreditPrices = z.infer<typeof creditPricesSchema>;

export interface Amount {
  amount: number;
  currency: string;
}

/**
 * Returns the cost, as one amount per currency. Returns null if a bucket with spent credits has no price, because a
 * partial cost would look complete.
 */
export function costOf(
  spent: Readonly<Record<keyof CreditPrices, number>>,
  prices: CreditPrices | undefined,
): Amount[] | null {
  const costs = new Map<string, number>();
  for (const bucket of ['enhancements', 'networks', 'queries'] as const) {
    const price = prices?.[bucket] ?? null;
    if (price === null) {
      if (spent[bucket] > 0) return null;
      continue;
    }
    costs.set(price.currency, (costs.get(price.currency) ?? 0) + spent[bucket] * price.amount);
  }
  if (costs.size === 0) return null;
  return [...costs].map(([currency, amount]) => ({
    amount: Math.round(amount * 100) / 100,
    currency,
  }));
}

/** Returns an amount such as `$1,250.00`. */
export function formatAmount({ amount, currency }: Amount): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(amount);
}
