import { z } from 'zod';
import { isConfigurationError } from '../../../src/core/errors.ts';
import {
  countDecimals,
  type MoneyField,
  PROFILE_CURRENCY,
  ratesPerDollar,
} from '../../../src/core/money.ts';
import type { HubspotApi } from '../api.ts';
import { type DescribedProperty, isMoney, type Properties } from '../describe.ts';
import { readAs } from '../errors.ts';
import type { HubspotSettings } from '../settings.ts';

export function currencyProperties(properties: Properties): string[] {
  const names = [...properties.values()].flatMap((property) =>
    isMoney(property) ? (property.currencyPropertyName ?? []) : [],
  );
  return [...new Set(names)].sort();
}

/** Returns how donor-sync writes amounts to a property, or null if HubSpot does not show the property as money. */
export type MoneyOf = (property: DescribedProperty) => MoneyField | null;

interface AccountWithRates {
  api: Pick<HubspotApi, 'get' | 'paths'>;
}

const detailsSchema = z.object({ companyCurrency: z.string() });
const ratesSchema = z.object({
  results: z.array(
    z.object({
      fromCurrencyCode: z.string(),
      toCurrencyCode: z.string(),
      conversionRate: z.number(),
    }),
  ),
});

/**
 * Reads the account's currencies, but only if a property contains money. The exchange rates are requested only if
 * amounts must be converted. Amounts without their own currency are in the company currency.
 */
export async function readMoney(
  session: AccountWithRates & {
    properties: Properties;
    settings: Pick<HubspotSettings, 'currency'>;
  },
): Promise<MoneyOf> {
  const { api, properties, settings } = session;
  if (![...properties.values()].some(isMoney)) return () => null;
  const { companyCurrency } = readAs(detailsSchema, await api.get(api.paths.accountDetails));
  const mode = settings.currency;
  const rates = mode === 'convert' ? await readRates(session, companyCurrency) : {};
  return (property) => {
    if (!isMoney(property)) return null;
    const from = property.currencyPropertyName ?? null;
    if (from === null && companyCurrency === PROFILE_CURRENCY) return null;
    return { mode, from, code: companyCurrency, rates };
  };
}

/**
 * Returns the exchange rates. The result is empty if the token cannot read the rates, or if there is no rate for the US
 * dollar.
 */
export async function readRates(
  { api }: AccountWithRates,
  companyCurrency: string,
): Promise<MoneyField['rates']> {
  try {
    const { results } = readAs(ratesSchema, await api.get(api.paths.exchangeRates));
    const others = results.filter(({ toCurrencyCode }) => toCurrencyCode === companyCurrency);
    return ratesPerDollar([
      { code: companyCurrency, perCommon: 1, decimals: countDecimals(companyCurrency) },
      // HubSpot's rates convert to the company currency. donor-sync needs the opposite direction, so it inverts the
      // rates.
      ...others.map(({ fromCurrencyCode: code, conversionRate }) => ({
        code,
        perCommon: 1 / conversionRate,
        decimals: countDecimals(code),
      })),
    ]);
  } catch (error) {
    if (isConfigurationError(error) && error.code === 'crm_scope_missing') return {};
    throw error;
  }
}
