import type { CrmField } from '../core/crm-field.ts';
import type { FieldSource } from '../core/field-map.ts';
import { findCurrency, PROFILE_CURRENCY, type Rate, type RecordCurrencies } from '../core/money.ts';

/** The sources that are amounts in US dollars. Excludes labels, because a label contains its currency. */
const AMOUNTS: ReadonlySet<FieldSource> = new Set([
  'netWorth.low',
  'netWorth.high',
  'capacity.nonprofit',
  'capacity.political',
  'capacity.highest',
]);

/** True if the source is an amount and the field's currency depends on the record. */
export function isMoneyLine(from: FieldSource, field: CrmField | undefined): boolean {
  return field?.type === 'currency' && field.money !== undefined && AMOUNTS.has(from);
}

/** A rate at which an amount was converted, with its currency. */
export interface AppliedRate extends Rate {
  code: string;
}

/** An amount in a form that the record's field accepts, or the reason why there is no such form. */
export type Amount =
  | { kind: 'converted'; value: number; rate: AppliedRate | null }
  | { kind: 'kept_out'; why: 'other_currency' | 'no_rate'; reason: string };

/**
 * Converts an amount in US dollars for a currency field of a record. `earlier` returns the rate at which this amount
 * was converted before. The same rate is used again, so that a new rate does not change existing values.
 */
export function amountFor(
  usd: number,
  field: CrmField,
  currencies: RecordCurrencies | undefined,
  earlier: (code: string) => AppliedRate | undefined = () => undefined,
): Amount {
  const { money } = field;
  if (money === undefined) return { kind: 'converted', value: usd, rate: null };
  const code = findCurrency(money, currencies);
  if (code === PROFILE_CURRENCY) return { kind: 'converted', value: usd, rate: null };
  if (money.mode === 'usdOnly' || code === null) {
    return { kind: 'kept_out', why: 'other_currency', reason: otherCurrency(field, code) };
  }
  const present = Object.hasOwn(money.rates, code) ? money.rates[code] : undefined;
  const rate = earlier(code) ?? (present && { ...present, code });
  if (rate === undefined) {
    return { kind: 'kept_out', why: 'no_rate', reason: noRate(field, code) };
  }
  return { kind: 'converted', value: convert(usd, rate), rate };
}

/** Returns the amount in another currency, with that currency's number of decimal places. */
export function convert(usd: number, { perDollar, decimals }: Rate): number {
  return Number((usd * perDollar).toFixed(decimals));
}

function otherCurrency({ name }: CrmField, code: string | null): string {
  const record = code === null ? 'in a currency that is not known' : `in ${code}`;
  const advice =
    code === null
      ? `let the integration's user read the currency of contacts`
      : 'set crm.currency to convert';
  return `${name} is a currency field and this contact is ${record}, so the amount in US dollars was not written: ${advice}, or map a number field.`;
}

function noRate({ name }: CrmField, code: string): string {
  return `The CRM has no active exchange rate for USD or ${code}, or hides its rates from the integration's user. The amount for ${name} was not written. Activate the rate, or let the user read the rates.`;
}
