import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SalesforceSandbox } from '../../../../sandbox/salesforce/index.ts';
import { control } from '../../../testbed/asking.ts';
import {
  addField,
  ask,
  column,
  connect,
  contactIds,
  create,
  query,
  queryError,
  startOrg,
  update,
} from '../org.ts';

const WORTH = {
  FullName: 'Contact.Donor_Net_Worth__c',
  Metadata: { label: 'Net Worth', type: 'Currency', precision: 18, scale: 0 },
};

function order(org: SalesforceSandbox, name: string, Metadata: object) {
  const body = { FullName: `Contact.${name}`, Metadata };
  return ask(org, 'POST', '/tooling/sobjects/CustomField', { body });
}

async function describedFields(org: SalesforceSandbox, token = org.token) {
  const { body } = await ask(org, 'GET', '/sobjects/Contact/describe', { token });
  return z.object({ fields: z.array(z.looseObject({ name: z.string() })) }).parse(body).fields;
}

async function fieldNames(org: SalesforceSandbox, token?: string): Promise<string[]> {
  return (await describedFields(org, token)).map(({ name }) => name);
}

async function administratorToken(org: SalesforceSandbox): Promise<string> {
  const { body } = await control(org, 'POST', '/tokens', { user: 'administrator' });
  return z.object({ token: z.string() }).parse(body).token;
}

describe('a new custom field', () => {
  it('is seen by no user before a permission set grants it', async () => {
    const org = await startOrg();
    const connection = connect(org);
    const created = await connection.tooling.create('CustomField', WORTH);
    expect(created).toMatchObject({ id: expect.stringMatching(/^00N/), success: true });

    expect(await fieldNames(org)).not.toContain('Donor_Net_Worth__c');
    expect(await fieldNames(org, await administratorToken(org))).not.toContain(
      'Donor_Net_Worth__c',
    );
    const soql = 'SELECT Donor_Net_Worth__c FROM Contact';
    expect((await queryError(org, soql)).errorCode).toBe('INVALID_FIELD');

    const set = await create(org, 'PermissionSet', { Name: 'Donor_Sync', Label: 'Donor Sync' });
    const permission = { ParentId: set, SobjectType: 'Contact', Field: WORTH.FullName };
    const fieldPermission = await create(org, 'FieldPermissions', {
      ...permission,
      PermissionsRead: true,
    });
    expect(await fieldNames(org)).not.toContain('Donor_Net_Worth__c');

    const [AssigneeId] = await column(org, "SELECT Id FROM User WHERE Username LIKE 'integ%'");
    await create(org, 'PermissionSetAssignment', { PermissionSetId: set, AssigneeId });
    const [field] = (await describedFields(org)).filter(
      ({ name }) => name === 'Donor_Net_Worth__c',
    );
    expect(field).toMatchObject({ createable: false, updateable: false });
    const [id = ''] = await contactIds(org, 1);
    const [refused] = await update(org, [{ id, Donor_Net_Worth__c: 1 }]);
    expect(refused?.errors).toEqual([
      {
        statusCode: 'INVALID_FIELD_FOR_INSERT_UPDATE',
        message:
          'Unable to create/update fields: Donor_Net_Worth__c. Please check the security settings of this field and verify that it is read/write for your profile or permission set.',
        fields: ['Donor_Net_Worth__c'],
      },
    ]);

    const path = `/sobjects/FieldPermissions/${fieldPermission}`;
    await ask(org, 'PATCH', path, { body: { PermissionsRead: true, PermissionsEdit: true } });
    expect(await update(org, [{ id, Donor_Net_Worth__c: 5_000_000 }])).toMatchObject([
      { success: true },
    ]);
    expect(await column(org, `${soql} WHERE Id = '${id}'`, 'Donor_Net_Worth__c')).toEqual([
      5_000_000,
    ]);
  });

  it('is described as it was ordered', async () => {
    const org = await startOrg();
    const value = [
      { fullName: 'Low', label: 'Low' },
      { fullName: 'High', label: 'High' },
    ];
    await addField(org, 'Worth__c', { type: 'Currency', precision: 16, scale: 2 });
    await addField(org, 'Band__c', {
      type: 'Picklist',
      valueSet: { restricted: true, valueSetDefinition: { sorted: false, value } },
    });
    await addField(org, 'Bio__c', { type: 'LongTextArea', length: 32_000, visibleLines: 5 });
    await addField(org, 'Link__c', { type: 'Url' });
    await addField(org, 'Checked__c', { type: 'Checkbox', defaultValue: 'false' });
    const fields = Object.fromEntries(
      (await describedFields(org)).map((field) => [field.name, field]),
    );
    expect(fields['Worth__c']).toMatchObject({
      type: 'currency',
      precision: 16,
      scale: 2,
      custom: true,
    });
    expect(fields['Band__c']).toMatchObject({
      type: 'picklist',
      restrictedPicklist: true,
      picklistValues: [
        { value: 'Low', label: 'Low', active: true, defaultValue: false, validFor: null },
        { value: 'High' },
      ],
    });
    expect(fields['Bio__c']).toMatchObject({ type: 'textarea', length: 32_000, filterable: false });
    expect(fields['Link__c']).toMatchObject({ type: 'url', length: 255, nillable: true });
    expect(fields['Checked__c']).toMatchObject({
      type: 'boolean',
      updateable: true,
      nillable: false,
    });
  });

  it('is refused if there is one of that name already', async () => {
    const org = await startOrg();
    const connection = connect(org);
    await connection.tooling.create('CustomField', WORTH);
    await expect(connection.tooling.create('CustomField', WORTH)).rejects.toMatchObject({
      errorCode: 'DUPLICATE_DEVELOPER_NAME',
      message: 'There is already a field named Donor_Net_Worth on Contact.',
    });
  });

  it.each([
    ['X__c', { label: 'X', type: 'Text' }, "Must specify 'length' for a CustomField of type Text"],
    ['X__c', { label: 'X', type: 'Number', precision: 3, scale: 5 }, 'Scale may not be greater'],
    ['X__c', { label: 'X', type: 'LongTextArea', length: 300 }, "Must specify 'visibleLines'"],
    ['X__c', { label: 'X', type: 'Checkbox' }, "Must specify 'defaultValue'"],
    ['X__c', { label: 'X', type: 'Text', length: 256 }, 'from 0 to 255'],
    ['X__c', { type: 'Date' }, 'Required fields are missing: [label]'],
    ['X', { label: 'X', type: 'Date' }, 'The field name can only contain'],
    ['X__y__c', { label: 'X', type: 'Date' }, 'The field name can only contain'],
  ])('is refused as %s %j', async (name, metadata, words) => {
    const answer = await order(await startOrg(), name, metadata);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject([{ message: expect.stringContaining(words) }]);
  });

  it('can be asked for, read and deleted again', async () => {
    const org = await startOrg();
    const { id } = await connect(org).tooling.create('CustomField', WORTH);
    const soql =
      "SELECT Id, FullName FROM CustomField WHERE DeveloperName = 'Donor_Net_Worth' AND TableEnumOrId = 'Contact'";
    const found = await query(org, soql, 'tooling/query');
    expect(found.records).toMatchObject([{ Id: id, FullName: WORTH.FullName }]);
    const path = `/tooling/sobjects/CustomField/${id}`;
    expect((await ask(org, 'GET', path)).body).toMatchObject({ Metadata: WORTH.Metadata });
    expect((await ask(org, 'DELETE', path)).status).toBe(204);
    expect((await ask(org, 'GET', path)).status).toBe(404);
    await connect(org).tooling.create('CustomField', WORTH);
  });
});

describe('FieldPermissions', () => {
  it.each([
    ['a field that does not exist', { Field: 'Contact.Nothing__c', PermissionsRead: true }],
    ['a required field', { Field: 'Contact.LastName', PermissionsRead: true }],
    ['editing without reading', { Field: 'Contact.Email', PermissionsEdit: true }],
  ])('are refused for %s', async (_, values) => {
    const org = await startOrg();
    const ParentId = await create(org, 'PermissionSet', { Name: 'A', Label: 'A' });
    const body = { ParentId, SobjectType: 'Contact', ...values };
    expect((await ask(org, 'POST', '/sobjects/FieldPermissions', { body })).status).toBe(400);
  });

  it('can be given once for each field and set', async () => {
    const org = await startOrg();
    await addField(org, 'X__c', { type: 'Date' });
    await expect(addField(org, 'X__c', { type: 'Date' })).rejects.toThrow(
      'DUPLICATE_DEVELOPER_NAME',
    );
    const [ParentId] = await column(org, "SELECT Id FROM PermissionSet WHERE Name = 'Test'");
    const body = { ParentId, SobjectType: 'Contact', Field: 'Contact.X__c', PermissionsRead: true };
    expect(await ask(org, 'POST', '/sobjects/FieldPermissions', { body })).toMatchObject({
      status: 400,
      body: [{ errorCode: 'DUPLICATE_VALUE' }],
    });
  });

  it('hide the field again when they are deleted', async () => {
    const org = await startOrg();
    await addField(org, 'X__c', { type: 'Date' });
    expect(await fieldNames(org)).toContain('X__c');
    const [id] = await column(org, 'SELECT Id FROM FieldPermissions');
    await ask(org, 'DELETE', `/sobjects/FieldPermissions/${id}`);
    expect(await fieldNames(org)).not.toContain('X__c');
  });
});

describe('PUT /_sandbox/field-access', () => {
  it('hides a standard field from the integration user but not from an administrator', async () => {
    const org = await startOrg();
    const token = await administratorToken(org);
    const rule = { type: 'Contact', field: 'Email', access: 'hidden' };
    expect((await control(org, 'PUT', '/field-access', rule)).status).toBe(200);
    expect(await fieldNames(org)).not.toContain('Email');
    expect(await fieldNames(org, token)).toContain('Email');
    expect((await queryError(org, 'SELECT Email FROM Contact')).errorCode).toBe('INVALID_FIELD');
    await control(org, 'PUT', '/field-access', { ...rule, access: 'visible' });
    expect(await fieldNames(org)).toContain('Email');
  });

  it('makes a field read-only', async () => {
    const org = await startOrg();
    await control(org, 'PUT', '/field-access', {
      type: 'Contact',
      field: 'Title',
      access: 'readOnly',
    });
    const [title] = (await describedFields(org)).filter(({ name }) => name === 'Title');
    expect(title).toMatchObject({ updateable: false });
    const [id = ''] = await contactIds(org, 1);
    const [result] = await update(org, [{ id, Title: 'x' }]);
    expect(result?.errors[0]?.statusCode).toBe('INVALID_FIELD_FOR_INSERT_UPDATE');
  });
});

describe('describe', () => {
  it('lists all objects in short', async () => {
    const { sobjects } = await connect(await startOrg()).describeGlobal();
    expect(sobjects.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Account', 'Contact', 'Campaign', 'Lead', 'npe5__Affiliation__c']),
    );
    expect(sobjects.find(({ name }) => name === 'Contact')).toMatchObject({
      keyPrefix: '003',
      custom: false,
      queryable: true,
    });
  });

  it('tells what the real client and others need of a field', async () => {
    const { fields, childRelationships } = await connect(await startOrg()).describe('Contact');
    const byName = Object.fromEntries(fields.map((field) => [field.name, field]));
    expect(byName['LastName']).toMatchObject({ type: 'string', length: 80, nillable: false });
    expect(byName['Name']).toMatchObject({ nameField: true, updateable: false });
    expect(byName['AccountId']).toMatchObject({
      referenceTo: ['Account'],
      relationshipName: 'Account',
    });
    expect(byName['MailingStreet']).toMatchObject({ compoundFieldName: 'MailingAddress' });
    expect(childRelationships).toContainEqual(
      expect.objectContaining({ childSObject: 'CampaignMember', field: 'ContactId' }),
    );
  });
});
