/** Amounts in the currency of a record, by the rate that they were first written with. Pure but for fingerprints. */

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
 * What an amount is in a field of this record. An amount that was written before by an earlier rate of the same
 * currency keeps that rate; another amount takes the present one.
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

  /** Whether this amount at that rate is what was sent. */
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

/** A record as its amounts are looked at. */
interface Standing {
  written: readonly WrittenValues[];
  present: FieldValues;
  currencies: RecordCurrencies | undefined;
  fields: readonly CrmField[];
}

/**
 * The fields of these that hold an amount of ours in another currency than the record has now: the record has left
 * that currency, and the same number reads as another amount. A record whose currency is not known has none.
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

/** The currencies in which this value was written; none if it is not ours. */
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
