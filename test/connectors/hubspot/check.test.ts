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
      'validation rules',
      'daily requests',
      'clock',
    ]);
    const paths = (await account.requests()).filter(({ method }) => method !== 'GET');
    expect(paths.filter(({ status }) => status === 201)).toEqual([]);
  });

  it('names the mapped properties that have validation rules', async () => {
    for (const property of ['jobtitle', 'city']) {
      const rules = [{ ruleType: 'MAX_LENGTH', ruleArguments: ['5'] }];
      await account.control('PUT', 'property-validations', { property, rules });
    }
    const uses = { fields: ['jobtitle', 'company'], groups: [] };
    const finding = (await check({}, {}, {}, uses)).find(isAboutRules);
    expect(finding).toMatchObject({
      ok: true,
      fix: null,
      message: expect.stringMatching(/Properties with rules: jobtitle\.$/),
    });
    expect(finding?.report).not.toContain('jobtitle');
  });

  it('says that refused values are found by trial where the rules cannot be read', async () => {
    const on = { path: '/crm/property-validations/*' };
    await account.putFaults([{ on, fault: { kind: 'gatewayError', status: 503 } }]);
    const finding = (await check()).find(isAboutRules);
    expect(finding).toMatchObject({ ok: true, message: expect.stringContaining('by trial') });
    expect(finding?.fix).toContain('crm.schemas.contacts.read');
  });

  function isAboutRules({ subject }: Finding): boolean {
    return subject === 'validation rules';
  }

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

  it.each([
    'crm.objects.contacts.read',
    'crm.objects.contacts.write',
    'crm.objects.companies.read',
    'crm.lists.read',
  ])('believes requests and not what HubSpot tells of a token (%s)', async (scope) => {
    const auth = { type: 'oauth', ...(await account.install()) };
    await account.control('PUT', 'scopes', { withdrawn: [scope], listed: true });
    const uses = { fields: [], groups: [{ list: '1' }] };
    const findings = await check({ auth, employer: 'associated' }, {}, {}, uses);
    expect(findings.filter(({ ok }) => !ok)).toMatchObject([
      {
        subject: 'scopes',
        cause: 'crm_scope_missing',
        message: expect.stringMatching(
          new RegExp(`lacks the scope ${scope}.*lists it among the scopes.*refuses`),
        ),
      },
    ]);
  });

  it('needs the lists where a group is one', async () => {
    await account.withdraw(['crm.lists.read']);
    const unmet = async (groups: Record<string, unknown>[]) =>
      (await check({}, {}, {}, { fields: [], groups })).filter(({ ok }) => !ok);
    expect(await unmet([{ property: 'city', equals: 'Springfield' }])).toEqual([]);
    expect(await unmet([{ list: '1' }])).toMatchObject([
      { message: expect.stringContaining('crm.lists.read') },
    ]);
  });

  it('says that the limit of the day is reached and when it ends, and not that access is wrong', async () => {
    await account.control('PUT', 'api-usage', { used: 1_000 });
    const now = Date.parse('2026-03-10T12:00:00Z');
    const findings = await check({}, { clock: { now: () => now, sleep: systemClock.sleep } });
    expect(findings.filter(({ ok }) => !ok)).toMatchObject([
      {
        subject: 'daily requests',
        cause: 'crm_limit_reached',
        message: expect.stringContaining("used up HubSpot's daily request limit"),
        fix: expect.stringMatching(
          /midnight in the account's time zone, no later than 2026-03-11 12:00 UTC\. You do not have to change the sign-in/,
        ),
      },
    ]);
  });

  it('takes a failure of HubSpot for one that passes', async () => {
    const on = { method: 'POST', path: '*/batch/update' };
    const rules = [{ on, times: 10, fault: { kind: 'error' } }];
    await account.control('PUT', 'faults', rules);
    expect((await check()).filter(({ ok }) => !ok)).toMatchObject([
      { cause: 'crm_unavailable', fix: expect.stringContaining('This is temporary') },
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
            new RegExp(`${name}.*left out of submissions to the service`),
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
    expect(findings.filter(({ ok }) => !ok)).toMatchObject([
      {
        message: expect.stringContaining('optOutValues: ["NEW","OPEN"'),
        fix: expect.stringContaining('contacts'),
      },
    ]);
  });
});
