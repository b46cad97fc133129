/**
 * Compares the requests that the stand-ins received with the requests that the vendors' libraries built. No request may
 * bypass the libraries.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import { createRequests } from '../../connectors/hubspot/client.ts';
import { people } from '../../connectors/testing/seeds.ts';
import {
  listenToLibraries,
  OWN_TO_HUBSPOT,
  tally,
  toEntry,
  watchSending,
} from './built-requests.ts';
import { toArray } from './connector-options.ts';
import { openAccount } from './hubspot/account.ts';
import { openOrg } from './salesforce/org.ts';

/** Does everything that a connector does during a night, with single requests and with many. */
async function play(connector: Connector, ids: readonly string[], field: string): Promise<void> {
  await toArray(connector.readPages(null));
  await connector.readByIds(ids.slice(0, 3), [field]);
  await toArray(connector.write(ids.map((id) => ({ id, values: { [field]: 'x' } }))));
  await connector.readByIds(ids.slice(0, 3), [field]);
  await connector.listGroups();
  await connector.describeFields();
  await connector.readLimits();
  await connector.close();
}

describe('requests to Salesforce', () => {
  let org: Awaited<ReturnType<typeof openOrg>>;
  let built: string[];
  let stop: () => void;

  beforeEach(async () => {
    org = await openOrg();
    built = [];
    stop = listenToLibraries((method, url) => built.push(toEntry(method, url)));
  });

  afterEach(async () => {
    stop();
    await org.close();
  });

  async function seenSince(start: number): Promise<Record<string, number>> {
    const seen = (await org.requests()).slice(start);
    return tally(seen.map(({ method, path }) => toEntry(method, path)));
  }

  it.each([
    ['REST', 2_000],
    ['the Bulk API', 1],
  ])('are all built by jsforce, by %s', async (_, bulkThreshold) => {
    const ids = await org.addContacts(people(12));
    await org.addField('Note__c', { type: 'Text', length: 80 });
    const start = (await org.requests()).length;
    await play(await org.connector({ bulkThreshold }), ids, 'Note__c');
    const seen = await seenSince(start);
    expect(seen).toEqual(tally(built));
    expect(Object.keys(seen).length).toBeGreaterThan(5);
  });

  it('would be found out: one that goes around it', async () => {
    const start = (await org.requests()).length;
    const connector = await org.connector();
    await org.ask('GET', '/limits');
    await connector.close();
    expect(await seenSince(start)).not.toEqual(tally(built));
  });
});

describe('requests to HubSpot', () => {
  let account: Awaited<ReturnType<typeof openAccount>>;
  let built: string[];
  let stop: () => void;

  beforeEach(async () => {
    account = await openAccount();
    built = [];
    stop = listenToLibraries((method, url) => built.push(toEntry(method, url)));
  });

  afterEach(async () => {
    stop();
    await account.close();
  });

  async function seenSince(start: number): Promise<Record<string, number>> {
    const seen = (await account.requests()).slice(start);
    const entries = seen.map(({ method, path }) => toEntry(method, path));
    return tally(entries.filter((entry) => !OWN_TO_HUBSPOT.test(entry)));
  }

  it('are all built by the library, but for the named ones', async () => {
    const ids = await account.addContacts(people(12));
    await account.employ(ids[0] ?? '', 'Acme');
    await account.createProperty({ name: 'note' });
    const start = (await account.requests()).length;
    await play(await account.connector(), ids, 'note');
    const seen = await seenSince(start);
    expect(seen).toEqual(tally(built));
    expect(Object.keys(seen).length).toBeGreaterThan(3);
  });

  it('would be found out: one that goes around it', async () => {
    const start = (await account.requests()).length;
    const connector = await account.connector();
    await account.ask('GET', '/crm/objects/2026-09/contacts');
    await connector.close();
    expect(await seenSince(start)).not.toEqual(tally(built));
  });
});

describe('every test of a connector', () => {
  const url = 'http://127.0.0.1/crm/objects/2026-09/contacts?limit=1';

  it('would fail by a request that no library has built', async () => {
    const { fetch, end } = watchSending(async () => new Response());
    await fetch(url, { method: 'GET' });
    expect(end).toThrow(
      "Sent around the vendor's library: GET /crm/objects/2026-09/contacts?limit=1",
    );
  });

  it('passes what a library has built, as often as it is tried, and the listed requests', async () => {
    const { fetch, end } = watchSending(async () => new Response());
    await createRequests('2026-09').listRecords('contacts', { limit: 1 });
    for (const each of [url, url, 'http://127.0.0.1/account-info/2026-09/details']) {
      await fetch(each, { method: 'GET' });
    }
    end();
  });
});
