import { describe, expect, it } from 'vitest';
import { INTEGRATION_USER } from '../../../../sandbox/salesforce/metadata/setup-records.ts';
import { control, edit } from '../../../testbed/asking.ts';
import { addField, ask, codesOf, contactIds, query, startOrg, update } from '../org.ts';

const WORTH = { type: 'Number', precision: 12, scale: 2 };

describe('automation after a write', () => {
  it('rounds, capitalises and clears in the transaction of the write, in the name of its user', async () => {
    const org = await startOrg();
    await addField(org, 'Worth__c', WORTH);
    const [id = ''] = await contactIds(org, 1);
    for (const step of [
      { field: 'Worth__c', change: { kind: 'round', to: 1000 } },
      { field: 'Title', change: { kind: 'upperCase' } },
      { field: 'Department', change: { kind: 'clear' }, when: "Title = 'KING'" },
    ]) {
      expect((await control(org, 'POST', '/automation', step)).status).toBe(201);
    }
    const values = { Worth__c: 1_234_567.89, Title: 'King', Department: 'Court' };
    expect(codesOf(await update(org, [{ id, ...values }]))).toEqual([null]);
    const soql = `SELECT Worth__c, Title, Department, LastModifiedById, LastModifiedDate, SystemModstamp FROM Contact WHERE Id = '${id}'`;
    const [record] = (await query(org, soql)).records;
    expect(record).toMatchObject({
      Worth__c: 1_235_000,
      Title: 'KING',
      Department: null,
      LastModifiedById: INTEGRATION_USER.id,
    });
    expect(record?.['LastModifiedDate']).toBe(record?.['SystemModstamp']);
  });

  it('comes before validation rules, and is undone with a write that they refuse', async () => {
    const org = await startOrg();
    await addField(org, 'Worth__c', WORTH);
    const [id = ''] = await contactIds(org, 1);
    await update(org, [{ id, Worth__c: 5 }]);
    await control(org, 'POST', '/automation', {
      field: 'Worth__c',
      change: { kind: 'round', to: 1000 },
    });
    await control(org, 'POST', '/rules', {
      kind: 'validation',
      type: 'Contact',
      when: 'Worth__c = 2000',
      message: 'Not 2000',
    });
    expect(codesOf(await update(org, [{ id, Worth__c: 1999 }]))).toEqual([
      'FIELD_CUSTOM_VALIDATION_EXCEPTION',
    ]);
    const soql = `SELECT Worth__c FROM Contact WHERE Id = '${id}'`;
    expect((await query(org, soql)).records).toMatchObject([{ Worth__c: 5 }]);
  });

  it('runs only for its field, unless it is to run for the record, and ends when it is removed', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    const order = {
      name: 'caps',
      field: 'Title',
      change: { kind: 'set', value: 'Set' },
      runsOn: 'record',
    };
    await control(org, 'POST', '/automation', order);
    await control(org, 'POST', '/automation', { field: 'Title', change: { kind: 'upperCase' } });
    const soql = `SELECT Title FROM Contact WHERE Id = '${id}'`;
    await update(org, [{ id, Department: 'x' }]);
    expect((await query(org, soql)).records).toMatchObject([{ Title: 'Set' }]);
    expect((await control(org, 'DELETE', '/automation?name=caps')).status).toBe(200);
    expect((await control(org, 'DELETE', '/automation?name=caps')).status).toBe(404);
    await update(org, [{ id, Title: 'free' }]);
    expect((await query(org, soql)).records).toMatchObject([{ Title: 'FREE' }]);
    await control(org, 'DELETE', '/automation');
    await update(org, [{ id, Title: 'free' }]);
    expect((await query(org, soql)).records).toMatchObject([{ Title: 'free' }]);
  });

  it('that makes no sense is refused', async () => {
    const org = await startOrg();
    for (const order of [
      { field: 'Foo', change: { kind: 'clear' } },
      { field: 'Title', change: { kind: 'round' } },
      { field: 'Birthdate', change: { kind: 'upperCase' } },
      { field: 'Title', change: { kind: 'clear' }, when: 'Foo = 1' },
    ]) {
      expect((await control(org, 'POST', '/automation', order)).status).toBe(422);
    }
  });

  it('changes the person behind a person account', async () => {
    const org = await startOrg({ shape: 'personAccounts' });
    await control(org, 'POST', '/automation', { field: 'Title', change: { kind: 'upperCase' } });
    const soql = 'SELECT Id, PersonTitle FROM Account WHERE IsPersonAccount = true LIMIT 1';
    const [account] = (await query(org, soql)).records;
    const record = { attributes: { type: 'Account' }, id: account?.['Id'], PersonTitle: 'Duke' };
    expect(codesOf(await update(org, [record]))).toEqual([null]);
    const after = `SELECT PersonTitle FROM Account WHERE Id = '${account?.['Id']}'`;
    expect((await query(org, after)).records).toMatchObject([{ PersonTitle: 'DUKE' }]);
  });
});

describe('a rule', () => {
  it('on a pair of fields names neither, and can be removed alone', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    const when = "Title = 'King' AND Department = 'Court'";
    const rule = { kind: 'validation', type: 'Contact', when, message: 'No court' };
    await control(org, 'POST', '/rules', { ...rule, name: 'pair' });
    await control(org, 'POST', '/rules', {
      ...rule,
      name: 'one',
      when: "Title = 'Duke'",
      field: 'Title',
    });
    const [result] = await update(org, [{ id, Title: 'King', Department: 'Court' }]);
    expect(result?.errors).toMatchObject([{ message: 'No court', fields: [] }]);
    expect(codesOf(await update(org, [{ id, Title: 'King' }]))).toEqual([null]);
    expect(await control(org, 'DELETE', '/rules?name=pair')).toMatchObject({
      status: 200,
      body: { rules: [{ name: 'one' }] },
    });
    expect(codesOf(await update(org, [{ id, Department: 'Court' }]))).toEqual([null]);
    expect((await control(org, 'DELETE', '/rules?name=pair')).status).toBe(404);
  });
});

describe('an edit', () => {
  it('carries the name of another user, or of another tool that uses ours', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    const soql = `SELECT Title, LastModifiedById FROM Contact WHERE Id = '${id}'`;
    await edit(org, { action: 'update', id, values: { Title: 'By hand' } });
    const [byHand] = (await query(org, soql)).records;
    expect(byHand?.['LastModifiedById']).not.toBe(INTEGRATION_USER.id);
    await edit(org, { action: 'update', id, values: { Title: 'Tool' }, by: 'integration' });
    expect((await query(org, soql)).records).toMatchObject([
      { Title: 'Tool', LastModifiedById: INTEGRATION_USER.id },
    ]);
  });

  it('removes a record without a trace', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    await edit(org, { action: 'vanish', id });
    const soql = `SELECT Id FROM Contact WHERE Id = '${id}'`;
    const all = await ask(org, 'GET', `/queryAll?q=${encodeURIComponent(soql)}`);
    expect(all.body).toMatchObject({ totalSize: 0 });
    expect((await ask(org, 'GET', `/sobjects/Contact/${id}`)).body).toMatchObject([
      { errorCode: 'NOT_FOUND' },
    ]);
    const span = spanAround(Date.now());
    expect((await ask(org, 'GET', `/sobjects/Contact/deleted?${span}`)).body).toMatchObject({
      deletedRecords: [],
    });
    expect(codesOf(await update(org, [{ id, Title: 'x' }]))).toEqual([
      'INVALID_CROSS_REFERENCE_KEY',
    ]);
  });

  it('merges, fills what is blank in the master, and renames it in the same step', async () => {
    const org = await startOrg();
    const [masterId = '', loser = ''] = await contactIds(org, 2);
    await edit(org, { action: 'update', id: masterId, values: { Title: 'Own', Department: null } });
    await edit(org, { action: 'update', id: loser, values: { Title: 'Lost', Department: 'Won' } });
    const merge = { action: 'merge', masterId, loserIds: [loser] };
    await edit(org, { ...merge, fillBlanks: true, values: { LastName: 'Renamed' } });
    const soql = `SELECT Title, Department, LastName FROM Contact WHERE Id = '${masterId}'`;
    expect((await query(org, soql)).records).toMatchObject([
      { Title: 'Own', Department: 'Won', LastName: 'Renamed' },
    ]);
    const gone = `SELECT MasterRecordId FROM Contact WHERE Id = '${loser}'`;
    expect((await query(org, gone, 'queryAll')).records).toMatchObject([
      { MasterRecordId: masterId },
    ]);
  });
});

describe('a record that is shared no more', () => {
  it('is found nowhere and cannot be written, until it is shared again', async () => {
    const org = await startOrg();
    const [id = '', second = ''] = await contactIds(org, 2);
    const order = { ids: [id, second], access: 'hidden' };
    expect((await control(org, 'PUT', '/record-access', order)).status).toBe(200);
    expect((await ask(org, 'GET', `/sobjects/Contact/${id}`)).status).toBe(404);
    expect((await ask(org, 'GET', `/composite/sobjects/Contact?ids=${id}&fields=Id`)).body).toEqual(
      [null],
    );
    expect(codesOf(await update(org, [{ id, Title: 'x' }]))).toEqual([
      'INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY',
    ]);
    const span = spanAround(Date.now());
    await edit(org, { action: 'update', id, values: { Title: 'unseen' } });
    const updated = await ask(org, 'GET', `/sobjects/Contact/updated?${span}`);
    expect(JSON.stringify(updated.body)).not.toContain(id);
    await control(org, 'PUT', '/record-access', { ids: [id, second], access: 'visible' });
    expect(codesOf(await update(org, [{ id, Title: 'x' }]))).toEqual([null]);
  });
});

describe('PUT /_sandbox/field-access', () => {
  it('grants a field that nobody has a permission for', async () => {
    const org = await startOrg();
    const order = {
      FullName: 'Contact.Fresh__c',
      Metadata: { label: 'Fresh', type: 'Text', length: 20 },
    };
    await ask(org, 'POST', '/tooling/sobjects/CustomField', { body: order });
    const [id = ''] = await contactIds(org, 1);
    const write = () => ask(org, 'PATCH', `/sobjects/Contact/${id}`, { body: { Fresh__c: 'x' } });
    expect((await write()).body).toMatchObject([{ errorCode: 'INVALID_FIELD' }]);
    const access = { type: 'Contact', field: 'Fresh__c', access: 'granted' };
    expect((await control(org, 'PUT', '/field-access', access)).status).toBe(200);
    expect((await control(org, 'PUT', '/field-access', access)).status).toBe(200);
    expect((await write()).status).toBe(204);
  });
});

function spanAround(atMs: number): string {
  const [start, end] = [atMs - 3_600_000, atMs + 3_600_000].map((ms) => new Date(ms).toISOString());
  return `start=${start}&end=${end}`;
}
