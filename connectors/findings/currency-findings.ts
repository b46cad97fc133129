/**
 * Creates the findings of `doctor` for a CRM with several currencies. Users should see the findings before they decide
 * how donor-sync handles amounts.
 */
import { type CurrencyMode, type MoneyField, PROFILE_CURRENCY } from '../../src/core/money.ts';
import type { Finding } from '../contract.ts';

/** The title of the finding. */
export const CURRENCIES = 'currencies';

const EXAMPLE_USD = 2_100_000;

/** The maximum number of currencies that are shown as examples. */
const MOST_EXAMPLES = 3;

/** Returns the finding about mapped fields with a currency. Returns an empty list if no mapped field has a currency. */
export function currencyFindings(
  crm: string,
  fields: readonly string[],
  { mode, rates }: { mode: CurrencyMode; rates: MoneyField['rates'] },
  advice: string,
): Finding[] {
  if (fields.length === 0) return [];
  const examples = Object.entries(rates)
    .filter(([code]) => code !== PROFILE_CURRENCY)
    .slice(0, MOST_EXAMPLES)
    .map(([code, { perDollar, decimals }]) => {
      const amount = inCurrency(Number((EXAMPLE_USD * perDollar).toFixed(decimals)), code);
      return `${amount} (1 USD = ${Number(perDollar.toPrecision(6))} ${code})`;
    });
  const converted = `${inCurrency(EXAMPLE_USD, PROFILE_CURRENCY)} becomes ${examples.join(', ')}`;
  const shown = `These mapped fields of ${crm} show a currency: ${fields.join(', ')}.`;
  const report = `crm.currency is ${mode}; ${examples.length === 0 ? 'no rates can be read' : 'rates can be read'}.`;
  const finding = { subject: CURRENCIES, report };
  if (mode === 'convert' && examples.length === 0) {
    const message = `${shown} crm.currency is convert, but ${crm} has no active exchange rate for US dollars, or hides its rates. Amounts for contacts in other currencies wait.`;
    return [{ ...finding, ok: false, message, fix: advice, cause: 'currency_rate_missing' }];
  }
  if (mode === 'convert') {
    const message = `${shown} Amounts are converted into the contact's currency at the rates of ${crm}: ${converted}. An amount keeps the rate of its first delivery.`;
    return [{ ...finding, ok: true, message, fix: null }];
  }
  const would =
    examples.length === 0
      ? `With crm.currency: convert, they would still wait, because ${crm} has no active exchange rate for US dollars, or hides its rates.`
      : `With crm.currency: convert, ${converted}.`;
  const message = `${shown} crm.currency is usdOnly, so amounts are written only into contacts in US dollars. Amounts for other contacts wait. ${would}`;
  const fix = `You do not have to do anything if this is intended. Otherwise set crm.currency: convert, or map number fields, which hold the amounts in US dollars. ${examples.length === 0 ? advice : ''}`;
  return [{ ...finding, ok: true, message, fix: fix.trim() }];
}

function inCurrency(amount: number, currency: string): string {
  const format = { style: 'currency', currency, minimumFractionDigits: 0 } as const;
  return new Intl.NumberFormat('en-US', format).format(amount);
}
