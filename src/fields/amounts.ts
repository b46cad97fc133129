/** Amounts in the currency of a record, by the rate that they were first written with. Pure but for fingerprints. */

import { rateIn, sentFingerprint } from '../contacts/owned-values.ts';
import type { CrmField } from '../core/crm-field.ts';
import type { RecordCurrencies } from '../core/money.ts';
import { type Amount, type AppliedRate, amountFor, convert } from '../mapping/amount.ts';
import { fitValue } from '../mapping/fit.ts';
import type { Store } from '../store.ts';
import type { WrittenValues } from './former-values.ts';
import { valueFingerprint } from './values.ts';

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
