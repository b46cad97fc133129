import { describe, expect, it, onTestFinished } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import { openAccount } from './hubspot/account.ts';
import { openOrg } from './salesforce/org.ts';

const KINDS: readonly [
  string,
  () => Promise<{ connector(): Promise<Connector>; close(): Promise<void> }>,
][] = [
  ['HubSpot', openAccount],
  ['Salesforce', openOrg],
];

describe.each(KINDS)('a connector of %s', (_, open) => {
  it('says so if it is used after close', async () => {
    const crm = await open();
    onTestFinished(() => crm.close());
    const connector = await crm.connector();
    expect(await connector.describeFields()).not.toEqual([]);
    await connector.close();
    await expect(connector.describeFields()).rejects.toMatchObject({
      kind: 'fatal',
      code: 'connector_closed',
    });
  });
});
