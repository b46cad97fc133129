import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SalesforceSandbox } from '../../../../sandbox/salesforce/index.ts';
import { control } from '../../../testbed/asking.ts';
import { ask, column, contactIds, create, query, queryError, startOrg, update } from '../org.ts';

const describedSchema = z.object({
  fields: z.array(z.object({ name: z.string() })),
  childRelationships: z.array(z.object({ childSObject: z.string(), field: z.string() })),
});

async function describeContact(org: SalesforceSandbox) {
  const { body } = await ask(org, 'GET', '/sobjects/Contact/describe');
  const { fields, childRelationships } = describedSchema.parse(body);
  return { names: fields.map(({ name }) => name), childRelationships };
}

async function setAccess(org: SalesforceSandbox, kind: string, order: object): Promise<void> {
  const { status, body } = await control(org, 'PUT', `/${kind}-access`, order);
  if (status !== 200) throw new Error(JSON.stringify(body));
}

describe('PUT /_sandbox/field-access', () => {
  it('withdraws an address as a whole, from descriptions and from SOQL, and grants it back', async () => {
    const org = await startOrg();
    const address = { type: 'Contact', field: 'MailingAddress' };
    await setAccess(org, 'field', { ...address, access: 'hidden' });
    const { names } = await describeContact(org);
    expect(names.filter((name) => name.startsWith('Mailing'))).toEqual([]);
    expect(names).toContain('OtherCity');
    for (const soql of [
      'SELECT MailingCity FROM Contact',
      "SELECT Id FROM Contact WHERE MailingState = 'IL'",
    ]) {
      expect((await queryError(org, soql)).errorCode).toBe('INVALID_FIELD');
    }
    await setAccess(org, 'field', { ...address, access: 'visible' });
    expect((await describeContact(org)).names).toContain('MailingCity');
    expect(await query(org, 'SELECT MailingCity FROM Contact')).toMatchObject({ totalSize: 20 });
  });

  it('withdraws a lookup together with what it leads to', async () => {
    const org = await startOrg();
    const field = 'npsp__Primary_Affiliation__c';
    await setAccess(org, 'field', { type: 'Contact', field, access: 'hidden' });
    const soql = 'SELECT npsp__Primary_Affiliation__r.Name FROM Contact';
    expect(await queryError(org, soql)).toMatchObject({ status: 400, errorCode: 'INVALID_FIELD' });
  });
});

describe('PUT /_sandbox/object-access', () => {
  it('takes an object away: no description, no query, and blank parents', async () => {
    const org = await startOrg({ shape: 'plain' });
    await setAccess(org, 'object', { type: 'Account', access: 'hidden' });
    expect(await ask(org, 'GET', '/sobjects/Account/describe')).toMatchObject({
      status: 404,
      body: [{ errorCode: 'NOT_FOUND' }],
    });
    expect((await queryError(org, 'SELECT Id FROM Account')).errorCode).toBe('INVALID_TYPE');
    const soql = 'SELECT AccountId, Account.Name FROM Contact WHERE AccountId != null LIMIT 1';
    expect((await query(org, soql)).records).toMatchObject([
      { AccountId: expect.stringMatching(/^001/), Account: null },
    ]);
    await setAccess(org, 'object', { type: 'Account', access: 'visible' });
    expect((await query(org, soql)).records).toMatchObject([
      { Account: { Name: expect.any(String) } },
    ]);
  });

  it('lists no children of an object that is not seen', async () => {
    const org = await startOrg();
    const affiliations = async () =>
      (await describeContact(org)).childRelationships.map(({ childSObject }) => childSObject);
    expect(await affiliations()).toContain('npe5__Affiliation__c');
    await setAccess(org, 'object', { type: 'npe5__Affiliation__c', access: 'hidden' });
    expect(await affiliations()).not.toContain('npe5__Affiliation__c');
  });
});

describe('PUT /_sandbox/record-access', () => {
  it('shares a record no more: not found, and a blank parent of those that point to it', async () => {
    const org = await startOrg();
    const account = await create(org, 'Account', { Name: 'Acme' });
    const contact = await create(org, 'Contact', {
      LastName: 'Lopez',
      npsp__Primary_Affiliation__c: account,
    });
    await setAccess(org, 'record', { id: account, access: 'hidden' });
    expect(await column(org, `SELECT Id FROM Account WHERE Id = '${account}'`)).toEqual([]);
    const soql = `SELECT npsp__Primary_Affiliation__c, npsp__Primary_Affiliation__r.Name FROM Contact WHERE Id = '${contact}'`;
    expect((await query(org, soql)).records).toMatchObject([
      { npsp__Primary_Affiliation__c: account, npsp__Primary_Affiliation__r: null },
    ]);
    await setAccess(org, 'record', { id: account, access: 'visible' });
    expect((await query(org, soql)).records).toMatchObject([
      { npsp__Primary_Affiliation__r: { Name: 'Acme' } },
    ]);
  });

  it('refuses a record that is not there', async () => {
    const order = { id: '001000000000000AAA', access: 'hidden' };
    expect((await control(await startOrg(), 'PUT', '/record-access', order)).status).toBe(422);
  });
});

describe('the trigger of the Nonprofit Success Pack', () => {
  it('lets deceased lead to do not contact, and that to no mail and no call, both ways', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    const boxes = 'npsp__Deceased__c, npsp__Do_Not_Contact__c, HasOptedOutOfEmail, DoNotCall';
    const seen = async () => {
      const [record] = (await query(org, `SELECT ${boxes} FROM Contact WHERE Id = '${id}'`))
        .records;
      return boxes.split(', ').map((name) => record?.[name]);
    };
    await update(org, [{ id, npsp__Deceased__c: true }]);
    expect(await seen()).toEqual([true, true, true, true]);
    await update(org, [{ id, npsp__Deceased__c: false }]);
    expect(await seen()).toEqual([false, false, false, false]);
    await update(org, [{ id, npsp__Do_Not_Contact__c: true }]);
    expect(await seen()).toEqual([false, true, true, true]);
    await update(org, [{ id, HasOptedOutOfEmail: false, npsp__Do_Not_Contact__c: true }]);
    expect(await seen()).toEqual([false, true, false, true]);
    const fresh = await create(org, 'Contact', { LastName: 'New', npsp__Deceased__c: true });
    const soql = `SELECT npsp__Do_Not_Contact__c FROM Contact WHERE Id = '${fresh}'`;
    expect(await column(org, soql, 'npsp__Do_Not_Contact__c')).toEqual([true]);
  });
});

describe('what an org may have besides', () => {
  it('has Individuals with Data Protection and Privacy on, and else neither object nor field', async () => {
    const org = await startOrg({ individuals: true });
    const individual = await create(org, 'Individual', { LastName: 'Lopez', ShouldForget: true });
    const [id = '', other = ''] = await contactIds(org, 2);
    await update(org, [{ id, IndividualId: individual }]);
    const soql = `SELECT Individual.ShouldForget, Individual.Id FROM Contact WHERE Id IN ('${id}', '${other}') ORDER BY Id`;
    expect((await query(org, soql)).records).toMatchObject([
      { Individual: { ShouldForget: true, Id: individual } },
      { Individual: null },
    ]);
    const plain = await startOrg();
    expect((await ask(plain, 'GET', '/sobjects/Individual/describe')).status).toBe(404);
    expect((await describeContact(plain)).names).not.toContain('IndividualId');
  });

  it('has a date of death on request, on the account of a person too', async () => {
    const org = await startOrg({ shape: 'personAccounts', deceasedDate: true });
    const [account] = await column(org, 'SELECT AccountId FROM Contact LIMIT 1', 'AccountId');
    const path = `/sobjects/Account/${String(account)}`;
    const body = { PersonDeceasedDate: '2025-03-04T00:00:00.000Z' };
    expect((await ask(org, 'PATCH', path, { body })).status).toBe(204);
    const soql = `SELECT DeceasedDate FROM Contact WHERE AccountId = '${String(account)}'`;
    expect(await column(org, soql, 'DeceasedDate')).toEqual(['2025-03-04T00:00:00.000+0000']);
  });
});
