/** The currencies of an account: the company's own, and others with what one of each is worth in it. */

import { z } from 'zod';

/** How the account's currencies are set. */
export const currenciesSchema = z.strictObject({
  /** The company currency. */
  company: z.string().length(3).default('USD'),
  /** Units of the company currency for one unit of each other currency. */
  rates: z.record(z.string().length(3), z.number().positive()).default({}),
});

/** An exchange rate as it is kept. */
interface ExchangeRate {
  id: string;
  from: string;
  rate: number;
  createdAtMs: number;
  updatedAtMs: number;
}

/** The currencies of an account, as they are now. */
export interface Currencies {
  company(): string;
  /** Those besides the company currency, in the order in which they were added. */
  rates(): readonly ExchangeRate[];
  set(currencies: z.output<typeof currenciesSchema>): void;
}

/** A new account has one currency. */
export function createCurrencies(clock: () => number): Currencies {
  let company = 'USD';
  let rates: ExchangeRate[] = [];
  let lastId = 0;
  return {
    company: () => company,
    rates: () => rates,
    set(order) {
      const present = new Map(rates.map((each) => [each.from, each]));
      company = order.company;
      rates = Object.entries(order.rates).map(([from, rate]) => {
        const known = present.get(from);
        if (known?.rate === rate) return known;
        lastId += 1;
        const createdAtMs = known?.createdAtMs ?? clock();
        return { id: `${lastId}`, from, rate, createdAtMs, updatedAtMs: clock() };
      });
    },
  };
}
