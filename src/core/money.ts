import { z } from 'zod';

/** The currency of every amount in a profile. */
export const PROFILE_CURRENCY = 'USD';

/**
 * What happens to amounts for records in another currency. `usdOnly` leaves them out, and `convert` converts them at
 * the CRM's own rates.
 */
const CURRENCY_MODES = ['usdOnly', 'convert'] as const;
export type CurrencyMode = (typeof CURRENCY_MODES)[number];

/** `crm.currency` of the settings. */
export const currencyModeSchema = z.enum(CURRENCY_MODES).default('usdOnly');

/** The value of one US dollar in another currency, and that currency's number of decimal digits. */
export interface Rate {
  perDollar: number;
  decimals: number;
}

/**
 * How amounts in US dollars are written to a currency field of a CRM that also has other
 * currencies.
 */
export interface MoneyField {
  mode: CurrencyMode;
  /**
   * The CRM field with a record's currency (a key of `Contact.currencies`), or null if all records have the same
   * currency.
   */
  from: string | null;
  /** The currency of records without their own currency, or null if unknown. */
  code: string | null;
  /** The rates by currency. Empty if the CRM has no active rate for the US dollar, or hides its rates. */
  rates: Readonly<Record<string, Rate>>;
}

/**
 * The currencies of a record, by the CRM field that contains them. Null if the field is blank. A field that could not
 * be read has no entry.
 */
export type RecordCurrencies = Readonly<Record<string, string | null>>;

const CODE = /^[A-Z]{3}$/;

/** Returns the currency as its ISO code, or null if the text is not a currency. */
export function currencyCode(text: string | null): string | null {
  const code = text?.trim().toUpperCase() ?? '';
  return CODE.test(code) ? code : null;
}

/** Returns the currency of this field in a record, or null if unknown. */
export function findCurrency(
  { from, code }: MoneyField,
  currencies: RecordCurrencies = {},
): string | null {
  if (from === null) return code;
  if (!Object.hasOwn(currencies, from)) return null;
  const own = currencies[from] ?? null;
  return own === null ? code : currencyCode(own);
}

/** Returns a record's currencies as one text that changes with them, or null if the CRM has no such field. */
export function currenciesText(currencies: RecordCurrencies | undefined): string | null {
  const fields = Object.keys(currencies ?? {}).sort();
  if (fields.length === 0) return null;
  return fields.map((field) => currencyCode(currencies?.[field] ?? null) ?? '-').join(' ');
}

/** True if previously written amounts may now be in a different currency. */
export function currenciesDiffer(before: string | null, now: string): boolean {
  if (before !== null) return before !== now;
  // When the contact was last read, the CRM had only one currency, so amounts were written in US dollars.
  return now.split(' ').some((code) => code !== PROFILE_CURRENCY);
}

/** Returns the usual number of decimal digits of amounts in a currency. */
export function countDecimals(code: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: code });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** Returns the rates per US dollar, from the values of one unit of a common currency in each currency. */
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
