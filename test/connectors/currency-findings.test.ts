import { afterEach, describe, expect, it } from 'vitest';
import { openAccount } from './hubspot/account.ts';
import { openOrg } from './salesforce/org.ts';

const CONTACTS = { filter: null, optOutField: null };

/** Tests the findings that `doctor` shows before a user chooses how to handle amounts. */
describe('the finding about currencies', () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  async function checkOrg(currencies: boolean, currency: 'usdOnly' | 'convert', isHidden = false) {
    const org = await openOrg({ currencies });
    open.push(org);
    await org.addField('Worth__c', { type: 'Currency', precision: 18, scale: 2 });
    const access = isHidden ? 'hidden' : 'visible';
    if (currencies) {
      await org.control('PUT', 'object-access', { type: 'CurrencyType', access });
    }
    const uses = { fields: ['Worth__c', 'Department'], groups: [] };
    const findings = await org.check({ currency }, {}, CONTACTS, uses);
    return findings.filter(({ subject }) => subject === 'currencies');
  }

  it('shows the rates of Salesforce with an example, and number fields as the other way', async () => {
    const [finding] = await checkOrg(true, 'usdOnly');
    expect(finding).toMatchObject({ ok: true });
    expect(finding?.message).toContain('Worth__c');
    expect(finding?.message).toContain('$2,100,000 becomes €1,932,000 (1 USD = 0.92 EUR)');
    expect(finding?.message).toContain('¥315,000,000 (1 USD = 150 JPY)');
    expect(finding?.fix).toContain('map number fields');
  });

  it('is a problem only if amounts are to be converted and there are no rates', async () => {
    expect(await checkOrg(true, 'convert')).toMatchObject([{ ok: true, fix: null }]);
    expect(await checkOrg(true, 'convert', true)).toMatchObject([
      { ok: false, cause: 'currency_rate_missing' },
    ]);
    expect(await checkOrg(true, 'usdOnly', true)).toMatchObject([{ ok: true }]);
  });

  it('is not there in an org with one currency', async () => {
    expect(await checkOrg(false, 'usdOnly')).toEqual([]);
  });

  it('shows the rates of HubSpot', async () => {
    const account = await openAccount();
    open.push(account);
    await account.control('PUT', 'currencies', { company: 'EUR', rates: { USD: 0.9, JPY: 0.006 } });
    await account.createProperty({ name: 'worth', type: 'number', fieldType: 'number' });
    const uses = { fields: ['worth', 'jobtitle'], groups: [] };
    const check = async () => {
      const findings = await account.check({}, {}, CONTACTS, uses);
      return findings.filter(({ subject }) => subject === 'currencies');
    };
    expect(await check()).toEqual([]);
    await account.control('PUT', 'property', { property: 'worth', showCurrencySymbol: true });
    const [finding] = await check();
    expect(finding?.message).toContain('€1,890,000 (1 USD = 0.9 EUR)');
    expect(finding?.message).toContain('¥315,000,000 (1 USD = 150 JPY)');
  });
});
