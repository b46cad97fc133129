import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SalesforceSandbox } from '../../../../sandbox/salesforce/index.ts';
import { control } from '../../../testbed/asking.ts';
import { addField, ask, codesOf, column, connect, contactIds, startOrg, update } from '../org.ts';

const NUMBER = { label: 'Worth', type: 'Number', precision: 6, scale: 0 };

async function changeField(org: SalesforceSandbox, order: object) {
  const { status, body } = await control(org, 'PUT', '/field', order);
  if (status !== 200) throw new Error(JSON.stringify(body));
}

async function describeField(org: SalesforceSandbox, name: string) {
  const { body } = await ask(org, 'GET', '/sobjects/Contact/describe');
  const { fields } = z.object({ fields: z.array(z.looseObject({ name: z.string() })) }).parse(body);
  return fields.find((field) => field.name === name);
}

describe('a field', () => {
  it('is enlarged while the org runs, a standard one too', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    await addField(org, 'Worth__c', NUMBER);
    const write = () => update(org, [{ id, Worth__c: 12_345_678 }]);
    expect(codesOf(await write())).toEqual(['NUMBER_OUTSIDE_VALID_RANGE']);
    await changeField(org, { field: 'Worth__c', precision: 12 });
    expect(codesOf(await write())).toEqual([null]);
    expect(await describeField(org, 'Worth__c')).toMatchObject({ precision: 12 });

    const long = 'x'.repeat(200);
    expect(codesOf(await update(org, [{ id, Title: long }]))).toEqual(['STRING_TOO_LONG']);
    await changeField(org, { field: 'Title', length: 255 });
    expect(codesOf(await update(org, [{ id, Title: long }]))).toEqual([null]);
    const unknown = await control(org, 'PUT', '/field', { field: 'Foo', length: 1 });
    expect(unknown.status).toBe(422);
  });

  it('gets other choices', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    const valueSet = {
      restricted: true,
      valueSetDefinition: { value: [{ fullName: 'A', label: 'A' }] },
    };
    await addField(org, 'Grade__c', { type: 'Picklist', valueSet });
    const code = 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST';
    expect(codesOf(await update(org, [{ id, Grade__c: 'B' }]))).toEqual([code]);
    await changeField(org, { field: 'Grade__c', picklist: ['B'] });
    expect(codesOf(await update(org, [{ id, Grade__c: 'B' }]))).toEqual([null]);
    expect(codesOf(await update(org, [{ id, Grade__c: 'A' }]))).toEqual([code]);
  });

  it('is changed by the real client, its type included, and loses its values then', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    await addField(org, 'Worth__c', NUMBER);
    await update(org, [{ id, Worth__c: 5 }]);
    const connection = connect(org);
    const soql = "SELECT Id FROM CustomField WHERE DeveloperName = 'Worth'";
    const [fieldId] = await column(org, soql, 'Id', 'tooling/query');
    const change = (Metadata: object) =>
      connection.tooling.update('CustomField', {
        Id: String(fieldId),
        FullName: 'Contact.Worth__c',
        Metadata,
      });
    await change({ ...NUMBER, precision: 9 });
    expect(await describeField(org, 'Worth__c')).toMatchObject({ precision: 9, type: 'double' });
    expect(
      await column(org, `SELECT Worth__c FROM Contact WHERE Id = '${id}'`, 'Worth__c'),
    ).toEqual([5]);
    await change({ label: 'Worth', type: 'Text', length: 40 });
    expect(await describeField(org, 'Worth__c')).toMatchObject({ length: 40, type: 'string' });
    expect(codesOf(await update(org, [{ id, Worth__c: 'much' }]))).toEqual([null]);
    const path = `/tooling/sobjects/CustomField/${fieldId}`;
    expect((await ask(org, 'GET', path)).body).toMatchObject({ Metadata: { type: 'Text' } });
    expect((await ask(org, 'PATCH', path, { body: { Metadata: {} } })).status).toBe(400);
  });
});
