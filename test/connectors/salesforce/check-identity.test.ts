import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ContactsSettings, Finding } from '../../../connectors/contract.ts';
import { type Org, openOrg } from './org.ts';

const PLAIN: ContactsSettings = { filter: null, optOutField: null };

/** Tests the findings of `doctor` about the people whom donor-sync would send to the service. */
describe('checking what Salesforce contacts are made of', () => {
  let org: Org;

  afterEach(() => org.close());

  it.each([
    ['plain', 'Account.Name'],
    ['npsp', 'npsp__Primary_Affiliation__r.Name'],
    ['personAccounts', 'Account.Name and AccountContactRelation.Account.Name'],
  ] as const)('names the sources of a %s org', async (shape, employer) => {
    org = await openOrg({ shape });
    const findings = await check();
    expect(unmet(findings)).toEqual([]);
    expect(of(findings, 'addresses')).toMatchObject([{ ok: true, fix: null }]);
    expect(of(findings, 'employer')).toMatchObject([
      { ok: true, fix: null, message: expect.stringContaining(employer) },
    ]);
  });

  it('finds the hidden affiliation of the Nonprofit Success Pack, and what to do', async () => {
    org = await openOrg({ shape: 'npsp' });
    await hide('npsp__Primary_Affiliation__c');
    expect(of(await check(), 'employer')).toMatchObject([
      {
        ok: false,
        message: expect.stringMatching(
          /npsp__Primary_Affiliation__c.*hidden.*left out of submissions to the service/,
        ),
        fix: expect.stringMatching(/permission set.*crm.employer/),
      },
    ]);
    // A user has deliberately set the account as the employer, so `doctor` reports no finding.
    expect(unmet(await check({ employer: 'account' }))).toEqual([]);
  });

  it('knows the Nonprofit Success Pack although all of it is hidden', async () => {
    org = await openOrg({ shape: 'npsp' });
    await hideSuccessPack();
    const findings = await check();
    expect(of(findings, 'employer')).toMatchObject([
      {
        ok: false,
        cause: 'crm_success_pack_hidden',
        message: expect.stringMatching(/all of it is hidden.*Account.Name.*household/),
        fix: expect.stringMatching(
          /npsp__Primary_Affiliation__c.*permission|permission.*Affiliation/,
        ),
      },
    ]);
    expect(unmet(await check({ employer: 'account' }))).toEqual([]);
  });

  it.each([
    ['Account', []],
    ['Campaign', [{ campaign: 'Gala' }]],
    ['CampaignMember', [{ campaign: 'Gala' }]],
    ['npe5__Affiliation__c', [{ affiliation: { organization: 'Board' } }]],
  ])('finds that the object %s is hidden, where the settings use it', async (type, groups) => {
    org = await openOrg({ shape: 'npsp' });
    const uses = { fields: [], groups };
    expect(of(await org.check({}, {}, PLAIN, uses), 'objects')).toMatchObject([{ ok: true }]);
    await org.control('PUT', 'object-access', { type, access: 'hidden' });
    const findings = await org.check({}, {}, PLAIN, uses);
    expect(of(findings, 'objects')).toMatchObject([
      {
        ok: false,
        cause: 'crm_object_hidden',
        message: expect.stringContaining(type),
        fix: expect.stringContaining(`read access to the object ${type}`),
      },
    ]);
    if (groups.length > 0) expect(unmet(await check())).toEqual([]);
  });

  it('finds a hidden field of an object that a group is read from', async () => {
    org = await openOrg({ shape: 'npsp' });
    const field = { type: 'npe5__Affiliation__c', field: 'npe5__Status__c', access: 'hidden' };
    await org.control('PUT', 'field-access', field);
    const groups = [{ affiliation: { organization: 'Board' } }];
    const findings = await org.check({}, {}, PLAIN, { fields: [], groups });
    expect(of(findings, 'objects')).toMatchObject([
      { ok: false, message: expect.stringContaining('npe5__Status__c of npe5__Affiliation__c') },
    ]);
  });

  it('finds a report and a condition that cannot be read', async () => {
    org = await openOrg();
    const groups = [{ report: '00O000000000099' }, { where: 'Nothing__c = true' }];
    const findings = await org.check({}, {}, PLAIN, { fields: [], groups });
    expect(findings.filter(({ ok }) => !ok)).toMatchObject([
      { subject: 'objects', fix: expect.stringContaining('Run Reports') },
      { subject: 'group', message: expect.stringContaining('Nothing__c') },
    ]);
  });

  it('says that the limit is reached and when it ends, and not that access is wrong', async () => {
    org = await openOrg();
    await org.control('PUT', 'api-usage', { used: 1_000_000 });
    expect((await check()).filter(({ ok }) => !ok)).toMatchObject([
      {
        subject: 'daily requests',
        cause: 'crm_limit_reached',
        message: expect.stringContaining("used up Salesforce's request limit"),
        fix: expect.stringMatching(
          /24 hours old.*, no later than .*\. You do not have to change the sign-in or the access/,
        ),
      },
    ]);
  });

  it('finds a hidden mailing address, and takes a hidden second address for advice', async () => {
    org = await openOrg();
    await hide('OtherAddress');
    const advised = of(await check(), 'addresses');
    expect(advised).toMatchObject([
      {
        ok: true,
        message: expect.stringMatching(/OtherStreet.*left out of submissions to the service/),
        fix: expect.stringContaining('Other Address'),
      },
    ]);
    await hide('MailingAddress');
    expect(of(await check(), 'addresses')).toMatchObject([
      {
        ok: false,
        message: expect.stringMatching(/MailingStreet.*OtherCountry.*left out/),
        fix: expect.stringContaining('Mailing Address and Other Address'),
      },
    ]);
  });

  it('finds that the account cannot be read', async () => {
    org = await openOrg();
    await hide('AccountId');
    expect(of(await check(), 'employer')).toMatchObject([
      {
        ok: false,
        message: expect.stringContaining('Account.Name'),
        fix: expect.stringContaining('AccountId'),
      },
    ]);
  });

  it('advises where relations of person accounts cannot be read, which an org may do without', async () => {
    org = await openOrg({ shape: 'personAccounts' });
    await org.control('PUT', 'object-access', { type: 'AccountContactRelation', access: 'hidden' });
    expect(of(await check(), 'employer')).toMatchObject([
      { ok: true, fix: expect.stringContaining('AccountContactRelation') },
    ]);
  });

  it('names the marks by which people are left out', async () => {
    org = await openOrg({ shape: 'npsp', individuals: true });
    const findings = await check();
    expect(of(findings, 'deceased')).toMatchObject([
      { ok: true, message: expect.stringMatching(/npsp__Deceased__c and Individual.DeathDate/) },
    ]);
    expect(of(findings, 'do not contact')).toMatchObject([
      {
        ok: true,
        message: expect.stringMatching(/npsp__Do_Not_Contact__c.*Individual.ShouldForget/),
      },
    ]);
  });

  it('finds marks that are hidden, since each person behind them may cost a credit', async () => {
    org = await openOrg({ shape: 'npsp', individuals: true });
    await hide('npsp__Deceased__c');
    await org.control('PUT', 'object-access', { type: 'Individual', access: 'hidden' });
    const findings = await check();
    expect(of(findings, 'deceased')).toMatchObject([
      {
        ok: false,
        message: expect.stringMatching(/cannot read.*npsp__Deceased__c and Individual.DeathDate/),
        fix: expect.stringMatching(/permission set.*contacts.includeDeceased: true/),
      },
    ]);
    expect(of(findings, 'do not contact')).toMatchObject([
      { ok: false, fix: expect.stringContaining('contacts.includeDoNotContact: true') },
    ]);
    const decided = { ...PLAIN, includeDeceased: true, includeDoNotContact: true };
    expect(unmet(await check({}, decided))).toEqual([]);
  });

  it('advises to name a field where an org brings no mark', async () => {
    org = await openOrg();
    const findings = await check();
    expect(of(findings, 'deceased')).toMatchObject([
      { ok: true, fix: expect.stringContaining('contacts.deceasedField') },
    ]);
    expect(of(findings, 'do not contact')).toMatchObject([
      { ok: true, fix: expect.stringContaining('contacts.doNotContactField') },
    ]);
  });

  it('repeats what is to be written for an opt-out that is a picklist', async () => {
    org = await openOrg();
    await org.addPicklist('Research__c', ['Yes', 'No']);
    const findings = await check({}, { ...PLAIN, optOutField: 'Research__c' });
    expect(findings.filter(({ ok }) => !ok)).toMatchObject([
      {
        subject: 'opt-out',
        message: expect.stringContaining('optOutValues: ["Yes", "No"]'),
        fix: expect.stringContaining('settings'),
      },
    ]);
  });

  function check(settings: Record<string, unknown> = {}, contacts = PLAIN): Promise<Finding[]> {
    return org.check(settings, {}, contacts);
  }

  /**
   * Hides the fields of the Nonprofit Success Pack. An integration user does not see the fields before an administrator
   * grants access.
   */
  async function hideSuccessPack(): Promise<void> {
    const describe = z.object({ fields: z.array(z.object({ name: z.string() })) });
    const { fields } = describe.parse(await org.ask('GET', '/sobjects/Contact/describe'));
    const ofThePack = fields.filter(({ name }) => /^(npsp|npe|npo)\w*__/.test(name));
    for (const { name } of ofThePack) await hide(name);
    const access = { type: 'npe5__Affiliation__c', access: 'hidden' };
    await org.control('PUT', 'object-access', access);
    const household = { type: 'Account', field: 'npe01__One2OneContact__c', access: 'hidden' };
    await org.control('PUT', 'field-access', household);
  }

  async function hide(field: string): Promise<void> {
    await org.control('PUT', 'field-access', { type: 'Contact', field, access: 'hidden' });
  }
});

function of(findings: readonly Finding[], subject: string): Finding[] {
  return findings.filter((finding) => finding.subject === subject);
}

function unmet(findings: readonly Finding[]): string[] {
  return findings.filter(({ ok }) => !ok).map(({ subject }) => subject);
}
