import { createSecretKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { plainField } from '../../../src/core/crm-field.ts';
import type { RecordCurrencies } from '../../../src/core/money.ts';
import { createFingerprint } from '../../../src/database/encryption/fingerprint.ts';
import { findMisplaced } from '../../../src/fields/money/amounts.ts';
import { valueFingerprint } from '../../../src/fields/values.ts';

const FIELD = 'Net_Worth__c';
const deps = { store: { fingerprint: createFingerprint(createSecretKey(Buffer.alloc(32, 7))) } };
const money = { mode: 'usdOnly', from: 'CurrencyIsoCode', code: null, rates: {} } as const;
const fields = [{ ...plainField(FIELD), type: 'currency' as const, money }];
const unfit = [{ field: FIELD, reason: '', why: 'other_currency' as const }];

function misplaced(currencies: RecordCurrencies, standing: number, suffix = '') {
  const owned = { [FIELD]: valueFingerprint(deps, '1', FIELD, 2_000_000) + suffix };
  const written = [{ crmId: '1', owned, donor: null }];
  return findMisplaced(
    deps,
    { written, present: { [FIELD]: standing }, currencies, fields },
    unfit,
  );
}

it('finds an amount of ours in another currency than the record has now, and no other one', () => {
  const yen = { CurrencyIsoCode: 'JPY' };
  expect(misplaced(yen, 2_000_000)).toEqual([FIELD]);
  expect(misplaced(yen, 777)).toEqual([]);
  expect(misplaced(yen, 2_000_000, ' JPY:150:0')).toEqual([]);
  expect(misplaced(yen, 2_000_000, ' EUR:0.92:2')).toEqual([FIELD]);
});

it('finds none in a record whose currency was not read', () => {
  expect(misplaced({}, 2_000_000)).toEqual([]);
  expect(misplaced({ CurrencyIsoCode: null }, 2_000_000)).toEqual([]);
});
