/** The currencies of an account: the company currency, and other currencies with exchange rates. */

import { z } from 'zod';

export const currenciesSchema = z.strictObject({
  company: z.string().length(3).default('USD'),
  /** For each currency except the company currency, the value of one unit in the company currency. */
  rates: z.record(z.string().length(3), z.number().positive()).default({}),
});

interface ExchangeRate {
  id: string;
  from: string;
  rate: number;
  createdAtMs: number;
  updatedAtMs: number;
}

export interface Currencies {
  company(): string;
  /** Returns all currencies except the company currency, in the order in which they were added. */
  rates(): readonly ExchangeRate[];
  set(currencies: z.output<typeof currenciesSchema>): void;
}

/** Creates the currencies of a new account, which has only the company currency. */
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
