import { describe, expect, it } from 'vitest';
import { control, edit } from '../../../testbed/asking.ts';
import { codesOf, contactIds, query, queryError, startOrg, update } from '../org.ts';

describe('an org with several currencies', () => {
  it('has a currency of each record, and the rates', async () => {
    const org = await startOrg({ currencies: true });
    const [id = ''] = await contactIds(org, 1);
    const soql = `SELECT CurrencyIsoCode FROM Contact WHERE Id = '${id}'`;
    expect((await query(org, soql)).records).toMatchObject([{ CurrencyIsoCode: 'USD' }]);
    expect(codesOf(await update(org, [{ id, CurrencyIsoCode: 'JPY' }]))).toEqual([null]);
    expect((await query(org, soql)).records).toMatchObject([{ CurrencyIsoCode: 'JPY' }]);
    expect(codesOf(await update(org, [{ id, CurrencyIsoCode: 'CAD' }]))).toEqual([
      'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
    ]);
    const rates =
      'SELECT IsoCode, ConversionRate, IsCorporate FROM CurrencyType WHERE IsActive = true ORDER BY IsoCode';
    expect((await query(org, rates)).records).toMatchObject([
      { IsoCode: 'EUR', ConversionRate: 0.92, IsCorporate: false },
      { IsoCode: 'JPY', ConversionRate: 150 },
      { IsoCode: 'USD', ConversionRate: 1, IsCorporate: true },
    ]);
    const own = await query(org, 'SELECT DefaultCurrencyIsoCode FROM Organization');
    expect(own.records).toMatchObject([{ DefaultCurrencyIsoCode: 'USD' }]);
  });

  it('has rates that move, and that a user may lack access to', async () => {
    const org = await startOrg({ currencies: true });
    const soql = "SELECT Id, ConversionRate FROM CurrencyType WHERE IsoCode = 'JPY'";
    const [yen] = (await query(org, soql)).records;
    const values = { ConversionRate: 151.5 };
    await edit(org, { action: 'update', type: 'CurrencyType', id: yen?.['Id'], values });
    expect((await query(org, soql)).records).toMatchObject([values]);
    await control(org, 'PUT', '/object-access', { type: 'CurrencyType', access: 'hidden' });
    expect((await queryError(org, soql)).errorCode).toBe('INVALID_TYPE');
  });

  it('is another than one with a single currency', async () => {
    const org = await startOrg();
    expect((await queryError(org, 'SELECT CurrencyIsoCode FROM Contact')).errorCode).toBe(
      'INVALID_FIELD',
    );
    expect((await queryError(org, 'SELECT Id FROM CurrencyType')).errorCode).toBe('INVALID_TYPE');
  });
});
