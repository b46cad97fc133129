import { describe, expect, it } from 'vitest';
import { control } from '../../../testbed/asking.ts';
import { ask, column, contactIds, query, queryError, startOrg, update } from '../org.ts';

describe('an org with the Nonprofit Success Pack', () => {
  it('has a household as the account and the employer as the primary affiliation', async () => {
    const org = await startOrg();
    const soql = `SELECT Account.Name, Account.npe01__SYSTEM_AccountType__c, LastName,
      npsp__Primary_Affiliation__r.Name FROM Contact
      WHERE npsp__Primary_Affiliation__c != null ORDER BY Id LIMIT 1`;
    const [contact] = (await query(org, soql)).records;
    expect(contact).toMatchObject({
      Account: {
        Name: `${contact?.['LastName']} Household`,
        npe01__SYSTEM_AccountType__c: 'Household Account',
      },
      npsp__Primary_Affiliation__r: { Name: expect.any(String) },
    });
  });

  it('has an affiliation for each employer, and the board with its former members', async () => {
    const org = await startOrg({ contacts: 60 });
    const count = async (where: string) =>
      (await query(org, `SELECT COUNT() FROM npe5__Affiliation__c WHERE ${where}`)).totalSize;
    const employed = 'SELECT COUNT() FROM Contact WHERE npsp__Primary_Affiliation__c != null';
    expect(await count('npe5__Primary__c = true')).toBe((await query(org, employed)).totalSize);
    const board = "npe5__Organization__r.Name = 'Riverside Food Bank'";
    expect(await count(`${board} AND npe5__Status__c = 'Current'`)).toBe(18);
    expect(await count(`${board} AND npe5__Status__c = 'Former'`)).toBe(2);
  });

  it('keeps the members of one household under one account', async () => {
    const org = await startOrg({ contacts: 200, donors: 1000 });
    const soql =
      'SELECT AccountId, COUNT(Id) members FROM Contact GROUP BY AccountId ORDER BY AccountId';
    expect(Math.max(...(await column(org, soql, 'members')).map(Number))).toBeGreaterThan(1);
  });
});

describe('the groups of an org', () => {
  it('are a board and a staff without a common member', async () => {
    const org = await startOrg({ contacts: 100, donors: 1000 });
    const members = (name: string) =>
      column(
        org,
        `SELECT ContactId FROM CampaignMember WHERE Campaign.Name = '${name}'`,
        'ContactId',
      );
    const board = await members('Board of Directors');
    const staff = await members('Staff');
    expect(board).toHaveLength(20);
    expect(staff).toHaveLength(15);
    expect(new Set([...board, ...staff]).size).toBe(35);
    const counts = 'SELECT NumberOfContacts FROM Campaign WHERE IsActive = true ORDER BY Name';
    expect(await column(org, counts, 'NumberOfContacts')).toEqual([20, 15]);
  });
});

describe('a plain org', () => {
  it('has the employer as the account, and nothing of the Nonprofit Success Pack', async () => {
    const org = await startOrg({ shape: 'plain' });
    const { body } = await control(org, 'GET', '/people?limit=20');
    expect(body).toHaveProperty('people');
    const employed = await query(org, 'SELECT Account.Name FROM Contact WHERE AccountId != null');
    expect(employed.totalSize).toBeGreaterThan(0);
    const households = "SELECT Id FROM Account WHERE Name LIKE '% Household'";
    expect(await column(org, households)).toEqual([]);
    const affiliations = 'SELECT Id FROM npe5__Affiliation__c';
    expect((await queryError(org, affiliations)).errorCode).toBe('INVALID_TYPE');
    const primary = 'SELECT npsp__Primary_Affiliation__c FROM Contact';
    expect((await queryError(org, primary)).errorCode).toBe('INVALID_FIELD');
  });
});

describe('an org with person accounts', () => {
  const FIELDS =
    'Id, Name, IsPersonAccount, PersonContactId, FirstName, PersonEmail, PersonMailingStreet, PersonMailingAddress';

  it('shows every person as an account and as a contact', async () => {
    const org = await startOrg({ shape: 'personAccounts' });
    const [id = ''] = await contactIds(org, 1);
    const soql = `SELECT ${FIELDS} FROM Account WHERE PersonContactId = '${id}'`;
    const [account] = (await query(org, soql)).records;
    const contact = `SELECT AccountId, IsPersonAccount, Name, FirstName, Email, MailingStreet FROM Contact WHERE Id = '${id}'`;
    expect((await query(org, contact)).records).toMatchObject([
      {
        AccountId: account?.['Id'],
        IsPersonAccount: true,
        Name: account?.['Name'],
        FirstName: account?.['FirstName'],
        Email: account?.['PersonEmail'],
        MailingStreet: account?.['PersonMailingStreet'],
      },
    ]);
    expect(account).toMatchObject({ IsPersonAccount: true });
  });

  it('changes the person through the account and not through the contact', async () => {
    const org = await startOrg({ shape: 'personAccounts' });
    const [id = ''] = await contactIds(org, 1);
    const [accountId] = await column(
      org,
      `SELECT AccountId FROM Contact WHERE Id = '${id}'`,
      'AccountId',
    );
    const body = { FirstName: 'Changed', PersonTitle: 'Chair' };
    const path = `/sobjects/Account/${accountId}`;
    expect((await ask(org, 'PATCH', path, { body })).status).toBe(204);
    const soql = `SELECT FirstName, Title, Account.Name FROM Contact WHERE Id = '${id}'`;
    expect((await query(org, soql)).records).toMatchObject([
      {
        FirstName: 'Changed',
        Title: 'Chair',
        Account: { Name: expect.stringMatching(/^Changed /) },
      },
    ]);
    const [refused] = await update(org, [{ id, FirstName: 'No' }]);
    expect(refused?.errors[0]?.statusCode).toBe('INVALID_FIELD_FOR_INSERT_UPDATE');
  });

  it('makes a contact for every new person, and none for an organisation', async () => {
    const org = await startOrg({ shape: 'personAccounts' });
    const person = { LastName: 'Ash', FirstName: 'Ann', PersonEmail: 'ann@example.org' };
    expect((await ask(org, 'POST', '/sobjects/Account', { body: person })).status).toBe(201);
    const soql =
      "SELECT Account.Name, Account.IsPersonAccount FROM Contact WHERE Email = 'ann@example.org'";
    expect((await query(org, soql)).records).toMatchObject([
      { Account: { Name: 'Ann Ash', IsPersonAccount: true } },
    ]);
    const nameless = await ask(org, 'POST', '/sobjects/Account', { body: { FirstName: 'Ann' } });
    expect(nameless).toMatchObject({ status: 400, body: [{ fields: ['LastName'] }] });
    const count = async () => (await query(org, 'SELECT COUNT() FROM Contact')).totalSize;
    const before = await count();
    await ask(org, 'POST', '/sobjects/Account', { body: { Name: 'Acme' } });
    expect(await count()).toBe(before);
  });

  it('ties people to their employers by relations', async () => {
    const org = await startOrg({ shape: 'personAccounts' });
    const soql =
      "SELECT Account.IsPersonAccount, Contact.IsPersonAccount FROM AccountContactRelation WHERE Roles INCLUDES ('Employee') LIMIT 1";
    expect((await query(org, soql)).records).toMatchObject([
      { Account: { IsPersonAccount: false }, Contact: { IsPersonAccount: true } },
    ]);
  });
});
