import { describe, expect, it } from 'vitest';
import {
  isNormalised,
  isOwned,
  normalisedEntry,
  rateIn,
  sentFingerprint,
  withRate,
} from '../../src/contacts/owned-values.ts';
import { type CrmField, plainField } from '../../src/core/crm-field.ts';
import { currenciesDiffer, currenciesText, type MoneyField } from '../../src/core/money.ts';
import { amountFor } from '../../src/mapping/amount.ts';

const MONEY: MoneyField = {
  mode: 'convert',
  from: 'Code',
  code: null,
  rates: { EUR: { perDollar: 0.92, decimals: 2 }, JPY: { perDollar: 150, decimals: 0 } },
};

function field(money: Partial<MoneyField> = {}): CrmField {
  return { ...plainField('Worth'), type: 'currency', money: { ...MONEY, ...money } };
}

describe('amountFor', () => {
  it('converts into the currency of the record, rounded to its digits', () => {
    expect(amountFor(1234.567, field(), { Code: 'JPY' })).toMatchObject({ value: 185_185 });
    expect(amountFor(1234.567, field(), { Code: 'eur' })).toMatchObject({ value: 1135.8 });
    expect(amountFor(1234.567, field(), { Code: 'USD' })).toMatchObject({
      value: 1234.567,
      rate: null,
    });
  });

  it('keeps an amount out of a record whose currency is another one, unknown, or without a rate', () => {
    const usdOnly = field({ mode: 'usdOnly' });
    expect(amountFor(1, usdOnly, { Code: 'JPY' })).toMatchObject({ why: 'other_currency' });
    expect(amountFor(1, field(), {})).toMatchObject({ why: 'other_currency' });
    expect(amountFor(1, field(), { Code: 'a text' })).toMatchObject({ why: 'other_currency' });
    expect(amountFor(1, field(), { Code: 'CAD' })).toMatchObject({ why: 'no_rate' });
  });

  it('takes the currency of the account for a record that names none', () => {
    expect(amountFor(2, field({ code: 'EUR' }), { Code: null })).toMatchObject({ value: 1.84 });
  });
});

describe('the currencies of a record as they are stored', () => {
  it('are codes and never another text', () => {
    expect(currenciesText({ b: 'usd', a: 'Jane Doe', c: null })).toBe('- USD -');
    expect(currenciesText({})).toBeNull();
  });

  it('count as changed where an older version has not looked and it is not US dollars', () => {
    expect(currenciesDiffer(null, 'USD')).toBe(false);
    expect(currenciesDiffer(null, 'JPY')).toBe(true);
    expect(currenciesDiffer('USD', 'JPY')).toBe(true);
    expect(currenciesDiffer('JPY', 'JPY')).toBe(false);
  });
});

describe('the entry of an owned value', () => {
  const rate = { code: 'JPY', perDollar: 0.1 + 0.2, decimals: 0 };

  it('carries the rate exactly, also where automation has changed the value', () => {
    const entry = withRate('aaa', rate);
    expect(rateIn({ f: entry }, 'f')).toEqual(rate);
    expect(sentFingerprint({ f: entry }, 'f')).toBe('aaa');
    expect(isNormalised({ f: entry }, 'f')).toBe(false);
    const changed = normalisedEntry(entry, 'bbb');
    expect(rateIn({ f: changed }, 'f')).toEqual(rate);
    expect(isNormalised({ f: changed }, 'f')).toBe(true);
    for (const fingerprint of ['aaa', 'bbb']) {
      expect(isOwned({ f: changed }, 'f', fingerprint)).toBe(true);
    }
    expect(rateIn({ f: 'aaa bbb' }, 'f')).toBeNull();
  });
});
