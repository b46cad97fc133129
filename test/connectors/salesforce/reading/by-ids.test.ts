import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../../../connectors/contract.ts';
import {
  field,
  openScriptedSalesforce,
  records,
  type ScriptedSalesforce,
} from '../scripted-salesforce.ts';
import { answer, names, queries, rowOf } from './scripted-reading.ts';

describe('reading from Salesforce by ids', () => {
  let crm: ScriptedSalesforce;
  let connector: Connector;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
  });

  afterEach(() => crm.close());

  it('reads canonical values of every type', async () => {
    const picklistValues = ['A', 'B', 'C'].map((value) => ({ value, active: true }));
    crm.script(({ path }) =>
      path.endsWith('/Contact/describe')
        ? {
            body: {
              updateable: true,
              fields: [
                ...names('FirstName', 'LastName', 'Text__c', 'Blank__c'),
                field('Money__c', { type: 'currency' }),
                field('Day__c', { type: 'date' }),
                field('Time__c', { type: 'datetime' }),
                field('Yes__c', { type: 'boolean' }),
                field('Many__c', { type: 'multipicklist', picklistValues }),
              ],
            },
          }
        : null,
    );
    const values = {
      Text__c: 'x',
      Blank__c: '  ',
      Money__c: 12.5,
      Day__c: '2026-11-20',
      Time__c: '2026-11-20T02:00:00.000+0000',
      Yes__c: false,
      Many__c: 'C;Gone;A',
    };
    answer(crm, () => records({ ...rowOf(1), ...values }));
    connector = await crm.connector();
    const [lookup] = await connector.readByIds([rowOf(1).Id], Object.keys(values));
    expect(lookup).toMatchObject({
      values: {
        Text__c: 'x',
        Blank__c: null,
        Money__c: 12.5,
        Day__c: '2026-11-20',
        Time__c: '2026-11-20T02:00:00.000Z',
        Yes__c: false,
        Many__c: 'A;C;Gone',
      },
    });
  });

  it('takes ids of every form, answers with the id as it was asked, and asks no nonsense', async () => {
    answer(crm, () => records({ ...rowOf(1), IsDeleted: false }));
    connector = await crm.connector();
    const short = rowOf(1).Id.slice(0, 15);
    const folded = rowOf(1).Id.toLowerCase();
    const asked = [short, folded, "x') OR (Id != '", rowOf(2).Id];
    const found = await connector.readByIds(asked, []);
    expect(found.map(({ id, state }) => [id, state])).toEqual([
      [short, 'found'],
      [folded, 'found'],
      ["x') OR (Id != '", 'missing'],
      [rowOf(2).Id, 'missing'],
    ]);
    // The response always contains a contact's ID in the same form, whatever form the request contained.
    expect(found.slice(0, 2)).toMatchObject([
      { contact: { id: rowOf(1).Id } },
      { contact: { id: rowOf(1).Id } },
    ]);
    expect(queries(crm).at(-1)).toContain(`Id IN ('${rowOf(1).Id}','${rowOf(2).Id}')`);
  });

  it('asks for two hundred contacts and forty fields without too long an address', async () => {
    const fields = Array.from(
      { length: 40 },
      (_, at) => `A_Field_With_A_Rather_Long_Name_${at}__c`,
    );
    crm.script(({ path }) =>
      path.endsWith('/Contact/describe')
        ? { body: { updateable: true, fields: names('FirstName', 'LastName', ...fields) } }
        : null,
    );
    answer(crm, (soql) =>
      records(...[...soql.matchAll(/'(003\w+)'/g)].map(([, Id]) => ({ Id, LastName: 'L' }))),
    );
    connector = await crm.connector();
    const ids = Array.from({ length: 200 }, (_, at) => rowOf(at).Id);
    const found = await connector.readByIds(ids, fields);
    expect(found.map(({ id, state }) => [id, state])).toEqual(ids.map((id) => [id, 'found']));
    expect(Math.max(...crm.asked.map(({ path }) => encodeURI(path).length))).toBeLessThan(14_000);
  });
});
