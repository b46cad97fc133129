import { Client } from '@hubspot/api-client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { HubspotSandbox } from '../../../../sandbox/hubspot/index.ts';
import {
  badArguments,
  breach,
  RULE_TYPES,
} from '../../../../sandbox/hubspot/properties/validation-rule.ts';
import { control } from '../../../testbed/asking.ts';
import { ask, CONTACTS, contactIds, startAccount } from '../account.ts';

const RULES = '/crm/property-validations/2026-09/0-1';

async function setRules(account: HubspotSandbox, property: string, ...rules: object[]) {
  const { status, body } = await control(account, 'PUT', '/property-validations', {
    property,
    rules,
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

const ALPHA = { ruleType: 'ALPHANUMERIC', ruleArguments: ['ALPHA_ONLY'] };

describe('property validations', () => {
  it('are listed in every version that has them', async () => {
    const account = await startAccount();
    await setRules(account, 'firstname', ALPHA, { ruleType: 'MAX_LENGTH', ruleArguments: ['20'] });
    await setRules(account, 'annualrevenue', { ruleType: 'MIN_NUMBER', ruleArguments: ['1'] });
    const expected = {
      results: [
        { propertyName: 'annualrevenue', propertyValidationRules: [{ ruleType: 'MIN_NUMBER' }] },
        {
          propertyName: 'firstname',
          propertyValidationRules: [ALPHA, { ruleType: 'MAX_LENGTH', ruleArguments: ['20'] }],
        },
      ],
    };
    for (const path of [
      RULES,
      '/crm/property-validations/2026-03/0-1',
      '/crm/property-validations/latest/0-1',
      '/crm/v3/property-validations/0-1',
    ]) {
      expect(await ask(account, 'GET', path)).toMatchObject({ status: 200, body: expected });
    }
    expect((await ask(account, 'GET', '/crm/property-validations/2025-09/0-1')).status).toBe(404);
    expect((await ask(account, 'GET', '/crm/v3/property-validations/0-2')).body).toEqual({
      results: [],
    });
  });

  it('are set and read one by one', async () => {
    const account = await startAccount();
    const path = `${RULES}/zip/rule-type/ALPHANUMERIC`;
    const put = (ruleArguments: string[]) => ask(account, 'PUT', path, { body: { ruleArguments } });
    expect((await ask(account, 'GET', path)).status).toBe(404);
    expect((await put(['NUMERIC_ONLY'])).status).toBe(204);
    expect((await put(['ALPHA_ONLY'])).status).toBe(204);
    expect((await ask(account, 'GET', path)).body).toMatchObject({ ruleArguments: ['ALPHA_ONLY'] });
    expect((await ask(account, 'GET', `${RULES}/zip`)).body).toMatchObject({
      results: [{ ruleType: 'ALPHANUMERIC', ruleArguments: ['ALPHA_ONLY'] }],
    });
    expect((await put(['Foo'])).status).toBe(400);
    const unknown = { body: { ruleArguments: [] } };
    expect((await ask(account, 'PUT', `${RULES}/zip/rule-type/Foo`, unknown)).status).toBe(400);
    expect((await ask(account, 'PUT', `${RULES}/foo/rule-type/URL`, unknown)).status).toBe(404);
  });

  it("refuse a batch with HubSpot's message, which names property and code but no value", async () => {
    const account = await startAccount();
    const [one = '', two = ''] = await contactIds(account, 2);
    await setRules(account, 'firstname', ALPHA);
    const inputs = [
      { id: one, properties: { firstname: 'R2D2' } },
      { id: two, properties: { jobtitle: 'Pilot' } },
    ];
    const refused = await ask(account, 'POST', `${CONTACTS}/batch/update`, { body: { inputs } });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        category: 'VALIDATION_ERROR',
        message:
          'Property values were not valid: [{"isValid":false,"message":"Enter only letters","error":"INVALID_ALPHA","name":"firstname"}]',
        errors: [{ code: 'INVALID_ALPHA', context: { propertyName: ['firstname'] } }],
      },
    });
    const { body } = await ask(account, 'GET', `${CONTACTS}/${two}?properties=jobtitle`);
    expect(body).not.toMatchObject({ properties: { jobtitle: 'Pilot' } });
    await setRules(account, 'firstname');
    const again = await ask(account, 'POST', `${CONTACTS}/batch/update`, { body: { inputs } });
    expect(again.status).toBe(200);
  });

  it("are enforced on writes of HubSpot's own client, in its older version", async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    await setRules(account, 'annualrevenue', { ruleType: 'MAX_NUMBER', ruleArguments: ['10'] });
    const client = new Client({ basePath: account.baseUrl, accessToken: account.token });
    const write = (annualrevenue: string) =>
      client.crm.contacts.basicApi.update(id, { properties: { annualrevenue } });
    await expect(write('11')).rejects.toMatchObject({ code: 400 });
    await expect(write('10')).resolves.toMatchObject({ id });
    await expect(write('')).resolves.toMatchObject({ id });
  });
});

const NOW_MS = Date.parse('2026-11-26T12:00:00Z');

describe('a validation rule', () => {
  it.each([
    ['ALPHANUMERIC', ['ALPHA_ONLY'], 'Zoë Müller', 'Zoe2'],
    ['ALPHANUMERIC', ['NUMERIC_ONLY'], '0123', '1.5'],
    ['ALPHANUMERIC', ['ALPHANUMERIC'], 'Room 5', 'Room #5'],
    ['MIN_LENGTH', ['3'], 'abc', 'ab'],
    ['MAX_LENGTH', ['3'], 'abc', 'abcd'],
    ['MIN_NUMBER', ['-1.5'], '-1.5', '-1.6'],
    ['MAX_NUMBER', ['100'], '100', '100.01'],
    ['DECIMAL', ['2'], '1.25', '1.255'],
    ['REGEX', ['[A-Z]{2}\\d'], 'AB1', 'xAB1'],
    ['SPECIAL_CHARACTERS', ['NOT_ALLOWED'], 'abc 1', 'abc$'],
    ['WHITESPACE', [], 'abc', 'a c'],
    ['DOMAIN', [], 'a.example.org', 'example'],
    ['EMAIL', [], 'a@example.org', 'a@'],
    ['EMAIL_ALLOWED_DOMAINS', ['example.org'], 'a@example.org', 'a@example.com'],
    ['EMAIL_BLOCKED_DOMAINS', ['example.org'], 'a@example.com', 'a@example.org'],
    ['URL', [], 'https://example.org/x', 'nowhere'],
    ['URL_ALLOWED_DOMAINS', ['example.org'], 'https://example.org', 'https://example.com'],
    ['URL_BLOCKED_DOMAINS', ['example.org'], 'https://example.com', 'https://example.org'],
    ['PHONE_NUMBER_WITH_EXPLICIT_COUNTRY_CODE', [], '+1 312 555 0100', '312 555 0100'],
    ['DAYS_OF_WEEK', ['MONDAY'], '2026-11-23', '2026-11-24'],
    ['START_DATE', ['2026-01-02'], '2026-01-02', '2026-01-01'],
    ['END_DATE', ['2026-01-02'], '2026-01-02', '2026-01-03'],
    ['START_DATETIME', ['2026-01-02T00:00:00Z'], '2026-01-02T00:00:00Z', '2026-01-01T23:59:59Z'],
    ['END_DATETIME', ['2026-01-02T00:00:00Z'], '2026-01-02T00:00:00Z', '2026-01-02T00:00:01Z'],
    ['AFTER_DURATION', ['P7D'], '2026-12-04', '2026-12-03'],
    ['BEFORE_DURATION', ['P1Y'], '2025-11-26', '2025-11-27'],
    ['AFTER_DATETIME_DURATION', ['PT2H'], '2026-11-26T14:00:00Z', '2026-11-26T13:59:59Z'],
    ['BEFORE_DATETIME_DURATION', ['P1M'], '2026-10-26T12:00:00Z', '2026-10-26T12:00:01Z'],
  ])('%s %j accepts %s and refuses %s', (name, ruleArguments, good, bad) => {
    const rule = { ruleType: z.enum(RULE_TYPES).parse(name), ruleArguments };
    expect(breach(rule, good, NOW_MS)).toBeUndefined();
    expect(breach(rule, bad, NOW_MS)).toMatchObject({ error: expect.any(String) });
    expect(breach(rule, '', NOW_MS)).toBeUndefined();
  });

  it('trims the value first if it says so', () => {
    const rule = { ruleType: 'MAX_LENGTH', ruleArguments: ['2'] } as const;
    expect(breach({ ...rule, ruleArguments: ['2'] }, ' ab ', NOW_MS)).toBeDefined();
    const trimmed = { ...rule, ruleArguments: ['2'], shouldApplyNormalization: true };
    expect(breach(trimmed, ' ab ', NOW_MS)).toBeUndefined();
  });

  it.each([
    ['string', 'MIN_NUMBER', ['1']],
    ['number', 'MIN_NUMBER', []],
    ['number', 'MIN_NUMBER', ['x']],
    ['number', 'DECIMAL', ['1.5']],
    ['string', 'REGEX', ['(']],
    ['date', 'START_DATE', ['soon']],
    ['date', 'AFTER_DURATION', ['P']],
    ['date', 'DAYS_OF_WEEK', ['CATURDAY']],
  ] as const)('of a %s does not take %s %j', (type, ruleType, ruleArguments) => {
    expect(badArguments({ type }, { ruleType, ruleArguments: [...ruleArguments] })).toBeDefined();
  });
});
