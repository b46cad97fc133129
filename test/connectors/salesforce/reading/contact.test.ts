import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../../../connectors/contract.ts';
import { toArray } from '../../connector-options.ts';
import {
  openScriptedSalesforce,
  records,
  refused,
  type ScriptedSalesforce,
} from '../scripted-salesforce.ts';
import {
  answer,
  bulkQuery,
  describeContact,
  readAll,
  rowOf,
  STAMP,
  UNDESCRIBED,
} from './scripted-reading.ts';

describe('reading a contact from Salesforce', () => {
  let crm: ScriptedSalesforce;
  let connector: Connector;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
  });

  afterEach(() => crm.close());

  it('calls what an answer leaves out unknown, instead of none', async () => {
    answer(crm, () => records({ Id: rowOf(1).Id, LastName: 'Lopez', SystemModstamp: STAMP }));
    connector = await crm.connector();
    const [page] = await toArray(connector.readPages(null));
    expect(page?.contacts[0]).toMatchObject({ addresses: [], employers: [] });
    expect(page?.contacts[0]?.unreadable).toEqual(['MailingCity', ...UNDESCRIBED, 'Account.Name']);
    bulkQuery(crm, [`"Id","LastName"\n"${rowOf(1).Id}","Lopez"\n`]);
    answer(crm, () => refused(400, 'QUERY_TIMEOUT'));
    const [part] = await toArray(connector.readPages(null));
    expect(part?.contacts).toEqual(page?.contacts);
  });

  it('joins the parts of both addresses, street lines too', async () => {
    describeContact(crm, 'MailingStreet', 'MailingCity', 'MailingPostalCode', 'OtherCity');
    answer(crm, () =>
      records({
        ...rowOf(1),
        MailingStreet: '1 Elm Street\r\nApt 2',
        MailingCity: 'Springfield',
        MailingPostalCode: ' ',
        OtherCity: 'Boston',
      }),
    );
    expect((await readAll(crm))[0]?.addresses).toEqual([
      '1 Elm Street, Apt 2, Springfield',
      'Boston',
    ]);
  });
});
