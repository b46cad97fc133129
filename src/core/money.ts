import { z } from 'zod';

export const PROFILE_CURRENCY = 'USD';

/**
 * The handling of amounts in records with another currency. `usdOnly` skips these amounts, and `convert` uses the CRM's
 * exchange rates.
 */
const CURRENCY_MODES = ['usdOnly', 'convert'] as const;
export type CurrencyMode = (typeof CURRENCY_MODES)[number];

/** The setting `crm.currency`. */
export const currencyModeSchema = z.enum(CURRENCY_MODES).default('usdOnly');

export interface Rate {
  perDollar: number;
  decimals: number;
}

/** The data for converting US dollars for a currency field. */
export interface MoneyField {
  mode: CurrencyMode;
  /** The field that contains a record's currency, or null if all records have the same currency. */
  from: string | null;
  /** The default currency, or null if it is unknown. */
  code: string | null;
  /** The exchange rates by currency. Empty if the CRM has no rate for US dollars or does not show its rates. */
  rates: Readonly<Record<string, Rate>>;
}

/** The currencies of a record, by CRM field. Null if the field is blank. A field that could not be read is missing. */
export type RecordCurrencies = Readonly<Record<string, string | null>>;

const CODE = /^[A-Z]{3}$/;

export function currencyCode(text: string | null): string | null {
  const code = text?.trim().toUpperCase() ?? '';
  return CODE.test(code) ? code : null;
}

/** Returns the currency of this field in a record, or null if it is unknown. */
export function findCurrency(
  { from, code }: MoneyField,
  currencies: RecordCurrencies = {},
): string | null {
  if (from === null) return code;
  if (!Object.hasOwn(currencies, from)) return null;
  const own = currencies[from] ?? null;
  return own === null ? code : currencyCode(own);
}

/**
 * Returns the currencies as text. The text changes with any change of a currency. Returns null if the CRM has no
 * currency field.
 */
export function currenciesText(currencies: RecordCurrencies | undefined): string | null {
  const fields = Object.keys(currencies ?? {}).sort();
  if (fields.length === 0) return null;
  return fields.map((field) => currencyCode(currencies?.[field] ?? null) ?? '-').join(' ');
}

export function currenciesDiffer(before: string | null, now: string): boolean {
  if (before !== null) return before !== now;
  // At the last reading, the CRM had only one currency, so amounts were written in US dollars.
  return now.split(' ').some((code) => code !== PROFILE_CURRENCY);
}

/** Returns the usual number of decimal digits of amounts in a currency. */
export function countDecimals(code: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: code });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** Converts rates that have a different base currency. */
export function ratesPerDollar(
  units: readonly { code: string; perCommon: number; decimals: number }[],
): Record<string, Rate> {
  const dollar = units.find(({ code }) => code === PROFILE_CURRENCY);
  if (dollar === undefined) return {};
  const rates = units.map(({ code, perCommon, decimals }) => {
    const perDollar = perCommon / dollar.perCommon;
    return [code, { perDollar, decimals }] as const;
  });
  return Object.fromEntries(
    rates.filter(([, { perDollar }]) => perDollar > 0 && Number.isFinite(perDollar)),
  );
}
