import { describe, expect, it } from 'vitest';
import { control } from '../../../testbed/asking.ts';
import { ask, startAccount } from '../account.ts';

const PROPERTIES = '/crm/properties/2026-03/contacts';

describe('an account with several currencies', () => {
  it('has the rates to the company currency, for tokens that may read them', async () => {
    const account = await startAccount();
    const order = { company: 'EUR', rates: { USD: 0.92, JPY: 0.0061 } };
    await control(account, 'PUT', '/currencies', order);
    const details = await ask(account, 'GET', '/account-info/2026-09/details');
    expect(details.body).toMatchObject({
      companyCurrency: 'EUR',
      additionalCurrencies: ['USD', 'JPY'],
    });
    for (const path of ['/settings/currencies/2026-09', '/settings/v3/currencies']) {
      const current = await ask(account, 'GET', `${path}/exchange-rates/current`);
      expect(current.body).toMatchObject({
        results: [
          { fromCurrencyCode: 'USD', toCurrencyCode: 'EUR', conversionRate: 0.92 },
          { fromCurrencyCode: 'JPY', toCurrencyCode: 'EUR', conversionRate: 0.0061 },
        ],
      });
    }
    await control(account, 'PUT', '/scopes', {
      withdrawn: ['settings.currencies.read', 'settings.currencies.write'],
    });
    const refused = await ask(
      account,
      'GET',
      '/settings/currencies/2026-09/exchange-rates/current',
    );
    expect(refused.status).toBe(403);
  });

  it('has amounts whose currency another property names, set by the versions that can', async () => {
    const account = await startAccount();
    const code = { name: 'giving_currency', label: 'Currency', type: 'string', fieldType: 'text' };
    const amount = { name: 'worth', label: 'Worth', type: 'number', fieldType: 'number' };
    const group = { groupName: 'contactinformation' };
    const hints = { showCurrencySymbol: true, numberDisplayHint: 'currency' };
    const named = { ...hints, currencyPropertyName: code.name };
    const early = await ask(account, 'POST', PROPERTIES, {
      body: { ...amount, ...group, ...named },
    });
    expect(early.status).toBe(400);
    await ask(account, 'POST', PROPERTIES, { body: { ...code, ...group } });
    const made = await ask(account, 'POST', PROPERTIES, {
      body: { ...amount, ...group, ...named },
    });
    expect(made).toMatchObject({ status: 201, body: named });
    const newest = PROPERTIES.replace('2026-03', '2026-09');
    const shown = await ask(account, 'GET', `${newest}/worth`);
    expect(shown.body).toMatchObject(named);
    const plain = await ask(account, 'POST', newest, {
      body: { ...amount, name: 'plain', ...group, ...named },
    });
    expect(plain.status).toBe(201);
    expect(plain.body).not.toHaveProperty('currencyPropertyName');
  });
});
