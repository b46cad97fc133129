/**
 * Sends the requests of public Bloomerang clients. The requests are rebuilt from the clients' source code. The
 * authors did not write these clients for this stand-in, so the requests show how real accounts behave.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { BloomerangSandbox } from '../../../sandbox/bloomerang/index.ts';
import { control } from '../../testbed/asking.ts';
import { ask, startAccount } from './account.ts';

const constituentSchema = z.looseObject({
  Id: z.number(),
  Type: z.string(),
  FirstName: z.string().optional(),
  LastName: z.string().optional(),
  EmailIds: z.array(z.number()).default([]),
  PhoneIds: z.array(z.number()).default([]),
  PrimaryEmail: z.looseObject({ Id: z.number(), Value: z.string() }).optional(),
});

const pageSchema = z.object({ Total: z.number(), Results: z.array(constituentSchema) });

describe('the Java client of Impact Upgrade', () => {
  it('inserts a constituent with a primary phone and e-mail address, and finds it by a search', async () => {
    const account = await startAccount();
    // The client's models omit nulls, and have the ID 0 before they are created.
    const inserted = await ask(account, 'POST', '/constituent', {
      body: {
        Id: 0,
        Type: 'Individual',
        FirstName: 'Ada',
        LastName: 'Example',
        PrimaryEmail: { Id: 0, Type: 'Home', IsPrimary: true, Value: 'ada@example.org' },
        PrimaryPhone: { Id: 0, Type: 'Home', IsPrimary: true, Number: '(555) 555-0100' },
        EmailIds: [],
        PhoneIds: [],
      },
    });
    const { Id } = constituentSchema.parse(inserted.body);
    expect(Id).toBeGreaterThan(0);
    const searched = await ask(account, 'GET', '/constituents/search?search=Ada+Example');
    const found = pageSchema.parse(searched.body).Results.find((each) => each.Id === Id);
    expect(found).toMatchObject({ FirstName: 'Ada', PrimaryEmail: { Value: 'ada@example.org' } });
    const ids = found?.EmailIds.join('%7C');
    const emails = await ask(account, 'GET', `/emails?id=${ids}`);
    expect(emails.body).toMatchObject({ Results: [{ Value: 'ada@example.org' }] });
    const read = await ask(account, 'GET', `/constituent/${Id}`);
    expect(constituentSchema.parse(read.body).LastName).toBe('Example');
  });

  it('reads 404 as a constituent that does not exist', async () => {
    const account = await startAccount();
    expect(await ask(account, 'GET', '/constituent/1')).toMatchObject({ status: 404 });
  });
});

describe('the Python client of Parsons', () => {
  it('pages with skip and take, and with a slash at the end of each path', async () => {
    const account = await startAccount({ contacts: 120 });
    const names: number[] = [];
    for (let page = 1; page <= 3; page += 1) {
      const query = `skip=${50 * (page - 1)}&take=50&orderBy=Id`;
      const { body: json } = await ask(account, 'GET', `/constituents/?${query}`);
      names.push(...pageSchema.parse(json).Results.map(({ Id }) => Id));
    }
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(120);
    expect(names).toEqual(names.toSorted((a, b) => a - b));
  });

  it('gets an OAuth token for a code, with JSON in both requests', async () => {
    const account = await startAccount();
    const client = { client_id: account.clientId, client_secret: account.clientSecret };
    const authorized = await fetch(`${account.rootUrl}/authorize/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: account.clientId, response_type: 'code' }),
    });
    const { code } = z.object({ code: z.string() }).parse(await authorized.json());
    const body = { ...client, grant_type: 'authorization_code', code };
    const granted = await ask(account, 'POST', '/oauth/token', { body, key: '' });
    const { access_token } = z.looseObject({ access_token: z.string() }).parse(granted.body);
    const headers = { authorization: `Bearer ${access_token}` };
    const read = await ask(account, 'GET', '/constituents/', { headers, key: '' });
    expect(read.status).toBe(200);
    const again = await ask(account, 'POST', '/oauth/token', { body, key: '' });
    expect(again.status).toBe(400);
  });
});

describe('the Ruby gem bloomerang_api', () => {
  it('reads custom fields and their values by type', async () => {
    const account = await startAccount({
      customFields: [
        { name: 'Volunteer note' },
        { name: 'Availability', pickType: 'PickMultiple', values: ['Friday', 'Saturday'] },
      ],
    });
    const fields = await ask(account, 'GET', '/customFields/Constituent/?isActive=true');
    expect(fields.body).toMatchObject([
      { Name: 'Volunteer note', DataType: 'Text', PickType: 'Freeform', IsActive: true },
      { Name: 'Availability', PickType: 'PickMultiple' },
    ]);
    const values = await ask(account, 'GET', '/customValues/Constituent/');
    expect(values.body).toMatchObject([{ Value: 'Friday' }, { Value: 'Saturday' }]);
    const categories = await ask(account, 'GET', '/customFieldCategories/Constituent/');
    expect(categories.body).toMatchObject([{ Id: 1 }]);
  });

  it('changes communication settings by a request of their own', async () => {
    const account = await startAccount();
    const id = await firstId(account);
    const body = {
      CommunicationRestrictions: {
        UpdateReason: 'asked by phone',
        CommunicationRestrictions: ['DoNotCall'],
      },
    };
    const path = `/constituent/${id}/updateCommunicationSettings`;
    const { body: json } = await ask(account, 'PUT', path, { body });
    expect(json).toMatchObject({ CommunicationRestrictions: ['DoNotCall'] });
  });
});

describe('a volunteer script in Python', () => {
  it('changes one freeform field and clears a field with several choices', async () => {
    const account = await startAccount({
      customFields: [
        { name: 'Volunteer note' },
        { name: 'Availability', pickType: 'PickMultiple', values: ['Friday', 'Saturday'] },
        { name: 'Other' },
      ],
    });
    const id = await firstId(account);
    await control(account, 'POST', '/edit', { action: 'type', id, fieldId: 2, value: [1, 2] });
    await control(account, 'POST', '/edit', { action: 'type', id, fieldId: 3, value: 'kept' });
    const before = await ask(account, 'GET', `/constituent/${id}`);
    const { Type, FirstName, LastName } = constituentSchema.parse(before.body);
    const { status, body: json } = await ask(account, 'PUT', `/constituent/${id}`, {
      body: {
        ...{ Type, FirstName, LastName },
        CustomValues: [
          { FieldId: 1, Value: 'Updated volunteer note - again' },
          { FieldId: 2, ValueIds: [] },
        ],
      },
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      Id: id,
      Type: 'Individual',
      CustomValues: [
        { FieldId: 1, Value: { Value: 'Updated volunteer note - again' } },
        { FieldId: 3, Value: { Value: 'kept' } },
      ],
      AuditTrail: { LastModifiedDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) },
    });
  });
});

async function firstId(account: BloomerangSandbox): Promise<number> {
  const { body: json } = await ask(account, 'GET', '/constituents?take=1&type=Individual');
  return pageSchema.parse(json).Results[0]?.Id ?? 0;
}
