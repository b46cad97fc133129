import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { type Account, openAccount } from './account.ts';

const FLOOD = { kind: 'flood', megabytes: 300 };

describe('a HubSpot that answers with floods', () => {
  let account: Account;
  let connector: Connector;

  beforeEach(async () => {
    account = await openAccount();
  });
  afterEach(async () => {
    await connector?.close();
    await account.close();
  });

  it('is read to 32 MB and no further, and not asked again', async () => {
    const [id = ''] = await account.addContacts(people(1));
    connector = await account.connector();
    await account.putFaults([{ on: { path: '*/batch/read' }, fault: FLOOD }]);
    await expect(connector.readByIds([id], [])).rejects.toMatchObject({
      kind: 'retriable',
      code: 'crm_reply_too_large',
      message: expect.stringContaining('more than 32 MB'),
    });
    const asked = (await account.requests()).filter(({ path }) => path.endsWith('/batch/read'));
    expect(asked).toHaveLength(1);
    await account.putFaults([]);
    expect(await connector.readByIds([id], [])).toMatchObject([{ state: 'found', id }]);
  });
});
