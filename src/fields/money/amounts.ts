/** Converts amounts of money for CRM records. Apart from fingerprints, the functions are pure. */

import { rateIn, sentFingerprint } from '../../contacts/owned-values.ts';
import type { CrmField, FieldValue, FieldValues } from '../../core/crm-field.ts';
import { findCurrency, PROFILE_CURRENCY, type RecordCurrencies } from '../../core/money.ts';
import { type Amount, type AppliedRate, amountFor, convert } from '../../mapping/amount.ts';
import { fitValue } from '../../mapping/fit.ts';
import type { UnfitField } from '../../mapping/map-profile.ts';
import { isBlank } from '../../mapping/same-value.ts';
import type { Store } from '../../store.ts';
import type { WrittenValues } from '../former-values.ts';
import { createOwnershipCheck, valueFingerprint } from '../values.ts';

/**
 * Returns a function that converts amounts for this record. An earlier amount in the same currency keeps its rate.
 * Other amounts use the current rate.
 */
export function amountsIn(
  deps: { store: Pick<Store, 'fingerprint'> },
  written: readonly WrittenValues[],
  currencies: RecordCurrencies | undefined,
): (usd: number, field: CrmField) => Amount {
  return (usd, field) =>
    amountFor(usd, field, currencies, (code) => {
      for (const each of written) {
        const rate = rateIn(each.owned, field.name);
        if (rate?.code === code && wasSent(each, rate, usd, field)) return rate;
      }
      return undefined;
    });

  function wasSent(
    { crmId, owned }: WrittenValues,
    rate: AppliedRate,
    usd: number,
    field: CrmField,
  ): boolean {
    const fit = fitValue({ kind: 'number', value: convert(usd, rate) }, field);
    if (!fit.fits) return false;
    const sent = valueFingerprint(deps, crmId, field.name, fit.value);
    return sent === sentFingerprint(owned, field.name);
  }
}

/** The data that is needed to check a record's amounts. */
interface Standing {
  written: readonly WrittenValues[];
  present: FieldValues;
  currencies: RecordCurrencies | undefined;
  fields: readonly CrmField[];
}

/**
 * Finds amounts from donor-sync in a currency that the record no longer uses. In the record's new currency, these
 * numbers mean a different amount.
 */
export function findMisplaced(
  deps: { store: Pick<Store, 'fingerprint'> },
  { written, present, currencies, fields }: Standing,
  unfit: readonly UnfitField[],
): string[] {
  return unfit.flatMap(({ field: name, why }) => {
    const field = fields.find((each) => each.name === name);
    const value = present[name] ?? null;
    if (!OUT_OF_CURRENCY.has(why) || field?.money === undefined || isBlank(value)) return [];
    const code = findCurrency(field.money, currencies);
    const codes = currenciesWritten(deps, written, name, value);
    return code === null || codes.length === 0 || codes.includes(code) ? [] : [name];
  });
}

const OUT_OF_CURRENCY: ReadonlySet<UnfitField['why']> = new Set(['other_currency', 'no_rate']);

/** Returns the currencies in which donor-sync wrote this value. Empty if the value is not from donor-sync. */
function currenciesWritten(
  deps: { store: Pick<Store, 'fingerprint'> },
  written: readonly WrittenValues[],
  field: string,
  value: FieldValue,
): string[] {
  return written
    .filter(({ crmId, owned }) => createOwnershipCheck(deps, crmId, [owned])(field, value))
    .map(({ owned }) => rateIn(owned, field)?.code ?? PROFILE_CURRENCY);
}
