import { describe, expect, it } from 'vitest';
import type { SalesforceSandbox } from '../../../../sandbox/salesforce/index.ts';
import { aClock } from '../../../testbed/a-clock.ts';
import { ask, column, connect, create, query, queryError, startOrg } from '../org.ts';

/** Starts an org with only these contacts, in this order. */
async function orgWith(...contacts: Record<string, unknown>[]): Promise<SalesforceSandbox> {
  const org = await startOrg({ contacts: 0, clock: aClock().read });
  for (const contact of contacts) await create(org, 'Contact', contact);
  return org;
}

/** Returns the last names of the contacts that meet a condition, in the order of their creation. */
function lastNames(org: SalesforceSandbox, where: string): Promise<unknown[]> {
  return column(org, `SELECT LastName FROM Contact WHERE ${where} ORDER BY Id`, 'LastName');
}

const THREE = [
  { LastName: 'Ash', FirstName: 'Ann', Email: 'ann@example.org', DoNotCall: true },
  { LastName: 'Birch', FirstName: 'Bob', Title: '100% "O\'Neil" _ \\' },
  { LastName: 'cedar', Birthdate: '1970-05-06', Email: 'c@example.com' },
];

describe('WHERE', () => {
  it.each([
    ["LastName = 'CEDAR'", ['cedar']],
    ["LastName != 'ash'", ['Birch', 'cedar']],
    ["FirstName != 'Ann'", ['Birch', 'cedar']],
    ['FirstName = null', ['cedar']],
    ["FirstName = ''", ['cedar']],
    ['FirstName != null', ['Ash', 'Birch']],
    ["LastName > 'b'", ['Birch', 'cedar']],
    ["LastName IN ('ash', 'cedar')", ['Ash', 'cedar']],
    ["FirstName IN ('ann', null)", ['Ash', 'cedar']],
    ["FirstName NOT IN ('Ann')", ['Birch', 'cedar']],
    ["LastName LIKE '_ir%'", ['Birch']],
    ["Title LIKE '100\\%%'", ['Birch']],
    ["Title LIKE '%\\_%'", ['Birch']],
    ["Title LIKE '%\\'%'", ['Birch']],
    ["(NOT LastName LIKE 'a%') AND Email = null", ['Birch']],
    ["NOT FirstName = 'Ann'", ['Birch', 'cedar']],
    ["(LastName = 'Ash' OR LastName = 'Birch') AND FirstName = 'Bob'", ['Birch']],
    ["LastName = 'Ash' OR (LastName = 'Birch' AND FirstName = 'Bob')", ['Ash', 'Birch']],
    ['DoNotCall = true', ['Ash']],
    ['DoNotCall = FALSE', ['Birch', 'cedar']],
    ['Birthdate = 1970-05-06', ['cedar']],
    ['Birthdate > 1970-05-06', []],
    ['Birthdate < LAST_N_DAYS:30', ['cedar']],
    ['CreatedDate = TODAY', ['Ash', 'Birch', 'cedar']],
    ['CreatedDate > TODAY', []],
    ['CreatedDate >= 2026-03-10T13:00:00+01:00', ['Ash', 'Birch', 'cedar']],
    ['CreatedDate > 2026-03-10T12:00:00.000Z', []],
    ["Name = 'bob birch'", ['Birch']],
    ["Owner.Username LIKE 'integration%'", ['Ash', 'Birch', 'cedar']],
    ['Account.Name = null', ['Ash', 'Birch', 'cedar']],
  ])('finds with %s: %j', async (where, names) => {
    expect(await lastNames(await orgWith(...THREE), where)).toEqual(names);
  });

  it('takes ids in both forms, and knows what hangs together by semi-joins', async () => {
    const org = await orgWith(...THREE);
    const [id] = await column(org, "SELECT Id FROM Contact WHERE LastName = 'Ash'");
    const campaign = await create(org, 'Campaign', { Name: 'Board' });
    await create(org, 'CampaignMember', { CampaignId: campaign, ContactId: id });
    const short = String(id).slice(0, 15);
    expect(await lastNames(org, `Id = '${short}'`)).toEqual(['Ash']);
    expect(await lastNames(org, `Id IN ('${short}', '${id}')`)).toEqual(['Ash']);
    const members = "SELECT ContactId FROM CampaignMember WHERE Campaign.Name = 'board'";
    expect(await lastNames(org, `Id IN (${members})`)).toEqual(['Ash']);
    expect(await lastNames(org, `Id NOT IN (${members})`)).toEqual(['Birch', 'cedar']);
  });
});

describe('SELECT', () => {
  it('shows fields, parents and addresses as the REST API does', async () => {
    const org = await orgWith();
    const account = await create(org, 'Account', { Name: 'Acme' });
    const values = { FirstName: 'Ann', LastName: 'Ash', AccountId: account, MailingCity: 'Rome' };
    const id = await create(org, 'Contact', values);
    const soql =
      'SELECT id, firstname, Account.Name, account.owner.Name, MailingAddress, DoNotCall, CreatedDate FROM contact';
    expect((await query(org, soql)).records).toEqual([
      {
        attributes: { type: 'Contact', url: `/services/data/v67.0/sobjects/Contact/${id}` },
        Id: id,
        FirstName: 'Ann',
        Account: {
          attributes: { type: 'Account', url: `/services/data/v67.0/sobjects/Account/${account}` },
          Name: 'Acme',
          Owner: {
            attributes: { type: 'User', url: expect.stringContaining('/sobjects/User/005') },
            Name: 'Donor Sync',
          },
        },
        MailingAddress: expect.objectContaining({ city: 'Rome', street: null }),
        DoNotCall: false,
        CreatedDate: '2026-03-10T12:00:00.000+0000',
      },
    ]);
  });

  it('shows null for a parent that is not there', async () => {
    const org = await orgWith({ LastName: 'Ash' });
    const [record] = (await query(org, 'SELECT Account.Name FROM Contact')).records;
    expect(record).toMatchObject({ Account: null });
  });

  it('shows children inside, or null', async () => {
    const org = await orgWith();
    const account = await create(org, 'Account', { Name: 'Acme' });
    await create(org, 'Account', { Name: 'Empty' });
    await create(org, 'Contact', { LastName: 'Ash', AccountId: account });
    await create(org, 'Contact', { LastName: 'Birch', AccountId: account });
    const inner = "SELECT LastName FROM Contacts WHERE LastName != 'x' ORDER BY LastName DESC";
    const { records } = await query(
      org,
      `SELECT Name, (${inner}) FROM Account WHERE Name IN ('Acme','Empty') ORDER BY Name`,
    );
    expect(records).toMatchObject([
      {
        Contacts: {
          totalSize: 2,
          done: true,
          records: [{ LastName: 'Birch' }, { LastName: 'Ash' }],
        },
      },
      { Contacts: null },
    ]);
  });

  it('knows FIELDS(ALL) with a limit of 200 at most', async () => {
    const org = await orgWith({ LastName: 'Ash' });
    const { records } = await query(org, 'SELECT FIELDS(ALL) FROM Contact LIMIT 200');
    expect(records).toMatchObject([{ LastName: 'Ash', Email: null, IsDeleted: false }]);
    expect((await queryError(org, 'SELECT FIELDS(ALL) FROM Contact')).errorCode).toBe(
      'MALFORMED_QUERY',
    );
  });
});

describe('ORDER BY, LIMIT and OFFSET', () => {
  it('puts blanks first in either direction by default', async () => {
    const org = await orgWith(...THREE);
    const order = (by: string) =>
      column(org, `SELECT LastName FROM Contact ORDER BY ${by}`, 'LastName');
    expect(await order('FirstName')).toEqual(['cedar', 'Ash', 'Birch']);
    expect(await order('FirstName DESC')).toEqual(['cedar', 'Birch', 'Ash']);
    expect(await order('FirstName DESC NULLS LAST')).toEqual(['Birch', 'Ash', 'cedar']);
    expect(await order('DoNotCall DESC, LastName DESC')).toEqual(['Ash', 'cedar', 'Birch']);
    expect(await order('LastName LIMIT 1 OFFSET 1')).toEqual(['Birch']);
  });
});

describe('counting', () => {
  it('answers COUNT() with a total and no records', async () => {
    const org = await orgWith(...THREE);
    expect(await query(org, 'SELECT COUNT() FROM Contact WHERE Email != null')).toEqual({
      totalSize: 2,
      done: true,
      records: [],
    });
  });

  it('groups and sums up', async () => {
    const org = await orgWith(...THREE);
    const soql = 'SELECT DoNotCall, COUNT(Id), MIN(LastName) least FROM Contact GROUP BY DoNotCall';
    const attributes = { type: 'AggregateResult' };
    expect((await query(org, soql)).records).toEqual([
      { attributes, DoNotCall: false, expr0: 2, least: 'Birch' },
      { attributes, DoNotCall: true, expr0: 1, least: 'Ash' },
    ]);
    expect(await queryError(org, 'SELECT Id FROM Contact GROUP BY Email')).toMatchObject({
      errorCode: 'MALFORMED_QUERY',
      message: expect.stringContaining('Field must be grouped or aggregated: Id'),
    });
  });
});

describe('a query that cannot be run', () => {
  it('says that a column does not exist, and where it stands', async () => {
    const org = await orgWith();
    expect(await queryError(org, 'SELECT Id, Foo__c FROM Contact')).toEqual({
      status: 400,
      errorCode: 'INVALID_FIELD',
      message:
        "\nSELECT Id, Foo__c FROM Contact\n           ^\nERROR at Row:1:Column:12\nNo such column 'Foo__c' on entity 'Contact'. If you are attempting to use a custom field, be sure to append the '__c' after the custom field name. Please reference your WSDL or the describe call for the appropriate names.",
    });
  });

  it.each([
    ['SELECT Id FROM Nothing', 'INVALID_TYPE', "sObject type 'Nothing' is not supported"],
    ['SELECT Id FROM CustomField', 'INVALID_TYPE', "sObject type 'CustomField'"],
    ['SELECT Id FROM ScratchOrgInfo LIMIT 1', 'INVALID_TYPE', 'ScratchOrgInfo'],
    ['SELECT Foo.Name FROM Contact', 'INVALID_FIELD', "Didn't understand relationship 'Foo'"],
    ['SELECT Account.Foo FROM Contact', 'INVALID_FIELD', "column 'Foo' on entity 'Account'"],
    ["SELECT Id FROM Contact WHERE Foo = 'x'", 'INVALID_FIELD', "No such column 'Foo'"],
    ['SELECT Id FROM Contact ORDER BY Foo', 'INVALID_FIELD', "No such column 'Foo'"],
    ['SELECT Id, Id FROM Contact', 'INVALID_FIELD', 'duplicate field selected: Id'],
    [
      "SELECT Id FROM Contact WHERE CreatedDate > '2020'",
      'INVALID_FIELD',
      'must be of type dateTime and should not be enclosed in quotes',
    ],
    [
      'SELECT Id FROM Contact WHERE Email = 5',
      'INVALID_FIELD',
      'must be of type string and should be enclosed in quotes',
    ],
    ["SELECT Id FROM Contact WHERE Description = 'x'", 'INVALID_FIELD', 'can not be filtered'],
    [
      "SELECT Id FROM Contact WHERE Id = 'x'",
      'INVALID_QUERY_FILTER_OPERATOR',
      'invalid ID field: x',
    ],
    [
      'SELECT Id FROM Contact OFFSET 2001',
      'NUMBER_OUTSIDE_VALID_RANGE',
      'Maximum SOQL offset allowed is 2000',
    ],
    ['SELEC Id FROM Contact', 'MALFORMED_QUERY', "unexpected token: 'SELEC'"],
    ['SELECT Id FROM Contact WHERE', 'MALFORMED_QUERY', "unexpected token: '<EOF>'"],
    [
      "SELECT Id FROM Contact WHERE Email = 'a' AND Email = 'b' OR Email = 'c'",
      'MALFORMED_QUERY',
      "unexpected token: 'OR'",
    ],
  ])('%s: %s', async (soql, errorCode, words) => {
    expect(await queryError(await orgWith(), soql)).toMatchObject({
      status: 400,
      errorCode,
      message: expect.stringContaining(words),
    });
  });
});

describe('pages', () => {
  it('are followed by the real client to the end, each record once', async () => {
    const connection = connect(await startOrg({ contacts: 4500 }));
    const ids = new Set<unknown>();
    let page = await connection.query('SELECT Id FROM Contact');
    const sizes = [page.records.length];
    for (const { Id } of page.records) ids.add(Id);
    while (page.nextRecordsUrl !== undefined && sizes.length < 5) {
      page = await connection.queryMore(page.nextRecordsUrl);
      sizes.push(page.records.length);
      for (const { Id } of page.records) ids.add(Id);
    }
    expect(sizes).toEqual([2000, 2000, 500]);
    expect(ids.size).toBe(4500);
  });

  it('are as short as the client asks, down to 200', async () => {
    const org = await startOrg({ contacts: 450 });
    const headers = { 'Sforce-Query-Options': 'batchSize=1' };
    const { body } = await ask(org, 'GET', '/query/?q=SELECT+Id+FROM+Contact', { headers });
    expect(body).toMatchObject({
      totalSize: 450,
      done: false,
      nextRecordsUrl: expect.stringMatching(/^\/services\/data\/v67\.0\/query\/0r8\w{15}-200$/),
    });
  });

  it('refuse a locator that was never given', async () => {
    const org = await startOrg();
    expect(await ask(org, 'GET', '/query/0r8000000000000-2000')).toMatchObject({
      status: 400,
      body: [{ errorCode: 'INVALID_QUERY_LOCATOR' }],
    });
  });
});

describe('columns=true', () => {
  it('describes the columns for clients that draw tables', async () => {
    const org = await startOrg();
    const soql = encodeURIComponent('SELECT Id, Name, Account.Name FROM Contact');
    const { body } = await ask(org, 'GET', `/query?q=${soql}&columns=true`);
    expect(body).toMatchObject({
      entityName: 'Contact',
      idSelected: true,
      columnMetadata: [
        { columnName: 'Id', aggregate: false, joinColumns: [] },
        { columnName: 'Name', textType: true },
        { columnName: 'Account', joinColumns: [{ columnName: 'Name', displayName: 'Name' }] },
      ],
    });
  });
});
