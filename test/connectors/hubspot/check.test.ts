import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../../connectors/contract.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { type Account, openAccount } from './account.ts';

describe('checking an integration with HubSpot', () => {
  let account: Account;

  beforeEach(async () => {
    account = await openAccount({ dailyLimit: 1_000 });
  });

  afterEach(() => account.close());

  function check(...args: Parameters<Account['check']>): Promise<Finding[]> {
    return account.check(...args);
  }

  it('finds everything in order, and changes nothing', async () => {
    const findings = await check();
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(findings.map(({ subject }) => subject)).toEqual([
      'sign-in',
      'API version',
      'scopes',
      'daily requests',
      'clock',
    ]);
    const paths = (await account.requests()).filter(({ method }) => method !== 'GET');
    expect(paths.filter(({ status }) => status === 201)).toEqual([]);
  });

  it('says why the sign-in is refused', async () => {
    const findings = await check({ auth: { type: 'token', token: 'unknown' } });
    expect(findings).toMatchObject([{ subject: 'sign-in', ok: false }]);
    expect(findings[0]?.fix).toContain('crm.auth');
  });

  it.each([
    ['crm.objects.contacts.read', false],
    ['crm.objects.contacts.write', false],
    ['crm.objects.companies.read', true],
    ['crm.lists.read', true],
    ['crm.schemas.contacts.write', true],
  ])('names a missing scope and what is off without it (%s)', async (missing, isOptional) => {
    const scopes = [
      'oauth',
      'crm.objects.contacts.read',
      'crm.objects.contacts.write',
      'crm.objects.companies.read',
      'crm.lists.read',
      'crm.schemas.contacts.read',
      'crm.schemas.contacts.write',
    ].filter((scope) => scope !== missing);
    const auth = { type: 'token', token: await account.issueToken({ scopes }) };
    const findings = (await check({ auth })).filter(({ subject }) => subject === 'scopes');
    expect(findings).toMatchObject([
      { ok: isOptional, message: expect.stringContaining(missing), fix: expect.any(String) },
    ]);
  });

  it('says with OAuth, too, that contacts cannot be read', async () => {
    await account.withdraw(['crm.objects.contacts.read']);
    const findings = await check({ auth: { type: 'oauth', ...(await account.install()) } });
    expect(findings.filter(({ ok }) => !ok)).toMatchObject([
      { message: expect.stringContaining('crm.objects.contacts.read') },
    ]);
  });

  it('needs the companies where the settings want nothing else for an employer', async () => {
    await account.withdraw(['crm.objects.companies.read']);
    const findings = await check({ employer: 'associated' });
    expect(findings.filter(({ ok }) => !ok)).toMatchObject([
      { message: expect.stringContaining('crm.objects.companies.read') },
    ]);
  });

  it.each([
    ['companies.name', () => account.withdraw(['crm.objects.companies.read']), /companies\.read/],
    ['companies.name', () => account.hide('associatedcompanyid'), /associatedcompanyid/],
    ['zip', () => account.hide('zip'), /property zip/],
    ['company', () => account.hide('company'), /property company/],
  ])(
    'names a part of the identity that cannot be read, and what helps (%s)',
    async (name, hide, help) => {
      await hide();
      const findings = (await check()).filter(({ subject }) => subject === 'identity');
      expect(findings).toMatchObject([
        {
          ok: true,
          message: expect.stringMatching(
            new RegExp(`${name}.*left out of what the service is asked`),
          ),
          fix: expect.stringMatching(help),
        },
      ]);
    },
  );

  it('says nothing of companies where the settings want the text alone', async () => {
    await account.withdraw(['crm.objects.companies.read']);
    const findings = await check({ employer: 'company' });
    expect(findings.filter(({ subject }) => subject === 'identity')).toEqual([]);
  });

  it('tells when HubSpot ends the older version', async () => {
    const findings = await check({ apiVersion: 'v3' });
    const version = findings.find(({ subject }) => subject === 'API version');
    expect(version).toMatchObject({
      ok: true,
      message: expect.stringContaining('September 2027'),
      fix: expect.stringContaining('crm.apiVersion'),
    });
  });

  it('warns when the requests of the day are used up to the reserve', async () => {
    await account.control('PUT', 'api-usage', { used: 790 });
    const findings = await check();
    expect(findings.find(({ subject }) => subject === 'daily requests')).toMatchObject({
      ok: true,
    });
    await account.control('PUT', 'api-usage', { used: 900 });
    const short = await check();
    expect(short.filter(({ ok }) => !ok).length).toBeGreaterThan(0);
  });

  it('notices a clock that is wrong', async () => {
    const clock = { now: () => Date.now() + 600_000, sleep: systemClock.sleep };
    const findings = await check({}, { clock });
    expect(findings.find(({ subject }) => subject === 'clock')).toMatchObject({
      ok: false,
      message: expect.stringMatching(/(599|600|601) seconds/),
    });
  });

  it('looks at the filter and the opt-out property', async () => {
    const contacts = {
      filter: '[{propertyName: city, operator: EQ, value: Springfield}]',
      optOutField: 'hs_lead_status',
      optOutValues: ['CONNECTED'],
      deceasedField: 'date_of_birth',
      doNotContactField: 'hs_email_optout',
    };
    const findings = await check({}, {}, contacts);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(findings.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(['contacts', 'opt-out', 'deceased', 'do not contact']),
    );
  });

  it('lists the values of an opt-out picklist, and the setting to write', async () => {
    const findings = await check({}, {}, { optOutField: 'hs_lead_status' });
    expect(findings).toMatchObject([
      { ok: false, message: expect.stringContaining('optOutValues: ["NEW","OPEN"') },
    ]);
    expect(findings[0]?.fix).toContain('contacts');
  });
});
