import { expect, it } from 'vitest';
import { costOf, creditPricesSchema } from '../../src/core/credit-price.ts';

const usd = (amount: number) => ({ amount, currency: 'USD' });

it('a cost contains the queries, at their own price', () => {
  const prices = { enhancements: usd(0.5), networks: usd(1), queries: usd(2) };
  expect(costOf({ enhancements: 4, networks: 3, queries: 5 }, prices)).toEqual([usd(15)]);
});

it('a cost is not known if anything was spent that has no price', () => {
  const prices = creditPricesSchema.parse({ enhancements: usd(0.5), networks: usd(1) });
  expect(costOf({ enhancements: 4, networks: 3, queries: 1 }, prices)).toBeNull();
  expect(costOf({ enhancements: 4, networks: 3, queries: 0 }, prices)).toEqual([usd(5)]);
});
