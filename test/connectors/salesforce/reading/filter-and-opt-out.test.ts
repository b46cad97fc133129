import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../../../connectors/contract.ts';
import { toArray } from '../../connector-options.ts';
import {
  field,
  openScriptedSalesforce,
  records,
  refused,
  type ScriptedSalesforce,
} from '../scripted-salesforce.ts';
import { answer, names, queries, readAll, rowOf, STAMP } from './scripted-reading.ts';

describe('reading from Salesforce with a filter or an opt-out field', () => {
  let crm: ScriptedSalesforce;
  let connector: Connector;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
  });

  afterEach(() => crm.close());

  it('ends in an error when an answer leaves out who has opted out', async () => {
    answer(crm, () => records({ Id: rowOf(1).Id, LastName: 'Lopez', SystemModstamp: STAMP }));
    connector = await crm.connector({}, {}, { filter: null, optOutField: 'Note__c' });
    await expect(toArray(connector.readPages(null))).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_field_missing',
      message: expect.stringContaining('Note__c'),
    });
  });

  it('asks whether the filter means anything before work begins', async () => {
    crm.script(({ path }) =>
      path.startsWith('/query?') ? refused(400, 'INVALID_FIELD', "No such column 'Nope__c'") : null,
    );
    const contacts = { filter: 'Nope__c = 1', optOutField: null };
    await expect(crm.connector({}, {}, contacts)).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_filter_invalid',
      message: expect.stringMatching(/^The filter names Nope__c, /),
    });
    expect(queries(crm)).toEqual(['/query?q=SELECT Id FROM Contact WHERE (Nope__c = 1) LIMIT 1']);
  });

  it('names an opt-out field that it cannot see, and the one that was probably meant', async () => {
    const contacts = { filter: null, optOutField: 'Note_c' };
    await expect(crm.connector({}, {}, contacts)).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(/Note_c.*did you mean "Note__c"/i),
    });
  });

  it('sees who has opted out, by a checkbox or by any text', async () => {
    crm.script(({ path }) =>
      path.endsWith('/Contact/describe')
        ? {
            body: {
              updateable: true,
              fields: [...names('FirstName', 'LastName'), field('No__c', { type: 'boolean' })],
            },
          }
        : null,
    );
    answer(crm, () => records({ ...rowOf(1), No__c: true }, { ...rowOf(2), No__c: false }));
    expect(
      (await readAll(crm, {}, {}, { filter: null, optOutField: 'No__c' })).map(
        ({ optedOut }) => optedOut,
      ),
    ).toEqual([true, false]);
  });
});
