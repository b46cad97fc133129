import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  field,
  openScriptedSalesforce,
  records,
  type ScriptedSalesforce,
} from '../scripted-salesforce.ts';
import { answer, describeContact, queries, readAll, rowOf } from './scripted-reading.ts';

describe('reading the employer from Salesforce', () => {
  let crm: ScriptedSalesforce;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
  });

  afterEach(() => crm.close());

  it('takes the employer from the primary affiliation where the account is the household', async () => {
    describeContact(crm, 'AccountId', 'npsp__Primary_Affiliation__c');
    answer(crm, () =>
      records({
        ...rowOf(1),
        Account: { Name: 'Lopez Household' },
        npsp__Primary_Affiliation__r: { Name: 'Acme' },
      }),
    );
    expect((await readAll(crm))[0]?.employers).toEqual(['Acme']);
    expect(queries(crm).join()).not.toContain('Account.Name');
  });

  it('never takes a person account for an employer', async () => {
    describeContact(crm, 'AccountId', 'IsPersonAccount');
    answer(crm, () =>
      records(
        { ...rowOf(1), IsPersonAccount: true, Account: { Name: 'Maria Lopez' } },
        { ...rowOf(2), IsPersonAccount: false, Account: { Name: 'Acme' } },
      ),
    );
    expect((await readAll(crm)).map(({ employers }) => employers)).toEqual([[], ['Acme']]);
  });

  it('leaves households out even when the account is to be the employer', async () => {
    describeContact(crm, 'AccountId', 'npsp__Primary_Affiliation__c');
    crm.script(({ path }) =>
      path === '/sobjects/Account/describe'
        ? { body: { fields: [field('Name'), field('npe01__SYSTEM_AccountType__c')] } }
        : null,
    );
    const household = {
      Name: 'Lopez Household',
      npe01__SYSTEM_AccountType__c: 'Household Account',
    };
    const marked = { Name: 'Acme', npe01__SYSTEM_AccountType__c: 'Organization' };
    const accounts = [household, marked, { Name: 'Beta', npe01__SYSTEM_AccountType__c: null }];
    answer(crm, () => records(...accounts.map((Account, at) => ({ ...rowOf(at), Account }))));
    expect((await readAll(crm, { employer: 'account' })).map(({ employers }) => employers)).toEqual(
      [[], ['Acme'], ['Beta']],
    );
  });

  it('takes no employer where it cannot tell it from a household', async () => {
    describeContact(crm, 'AccountId', 'npo02__TotalOppAmount__c');
    crm.script(({ path }) =>
      path === '/sobjects/Account/describe' ? { body: { fields: [field('Name')] } } : null,
    );
    answer(crm, () => records({ ...rowOf(1), Account: { Name: 'Lopez Household' } }));
    expect((await readAll(crm))[0]?.employers).toEqual([]);
  });
});
