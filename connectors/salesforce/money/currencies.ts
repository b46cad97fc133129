import { z } from 'zod';
import { type MoneyField, ratesPerDollar } from '../../../src/core/money.ts';
import type { SalesforceApi } from '../api.ts';
import type { ObjectDescription } from '../describe.ts';
import { getCrmCode } from '../errors.ts';
import { queryRecords } from '../query.ts';
import type { SalesforceSettings } from '../settings.ts';

/** The field with a record's currency. The currency field exists only in orgs with several currencies. */
export const CURRENCY = 'CurrencyIsoCode';

/** Returns true for an org in which each record has its own currency. */
export function hasCurrencies({ fields }: Pick<ObjectDescription, 'fields'>): boolean {
  return fields.has(CURRENCY);
}

const rowSchema = z.object({
  IsoCode: z.string(),
  ConversionRate: z.number(),
  DecimalPlaces: z.number(),
});

interface OrgWithRates {
  api: SalesforceApi;
}

/**
 * Returns how donor-sync writes amounts to currency fields, or null if the org has only one currency. donor-sync
 * requests the exchange rates only if it must convert amounts.
 */
export async function readMoney(
  session: OrgWithRates & {
    description: ObjectDescription;
    settings: Pick<SalesforceSettings, 'currency'>;
  },
): Promise<MoneyField | null> {
  if (!hasCurrencies(session.description)) return null;
  const { currency: mode } = session.settings;
  const rates = mode === 'convert' ? await readRates(session) : {};
  return { mode, from: CURRENCY, code: null, rates };
}

const RATES =
  'SELECT IsoCode, ConversionRate, DecimalPlaces FROM CurrencyType WHERE IsActive = true ORDER BY IsoCode';

/**
 * Returns the active exchange rates by currency. Returns an empty map if the user cannot see the rates or if the US
 * dollar is not active.
 */
export async function readRates({ api }: OrgWithRates): Promise<MoneyField['rates']> {
  try {
    const rows = z.array(rowSchema).parse(await queryRecords(api, RATES, 'query'));
    return ratesPerDollar(
      rows.map(({ IsoCode: code, ConversionRate: perCommon, DecimalPlaces: decimals }) => ({
        code,
        perCommon,
        decimals,
      })),
    );
  } catch (error) {
    if (HIDDEN.has(getCrmCode(error) ?? '')) return {};
    throw error;
  }
}

const HIDDEN: ReadonlySet<string> = new Set([
  ...['INVALID_TYPE', 'INVALID_FIELD', 'INSUFFICIENT_ACCESS', 'INSUFFICIENT_ACCESS_OR_READONLY'],
]);
