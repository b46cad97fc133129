/** Requests that the stand-ins have seen, against those that the vendors' libraries have built: none goes around them. */
import * as companies from '@hubspot/api-client/lib/codegen/crm/companies/index.js';
import * as contacts from '@hubspot/api-client/lib/codegen/crm/contacts/index.js';
import * as lists from '@hubspot/api-client/lib/codegen/crm/lists/index.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import { GuardedTransport } from '../../connectors/salesforce/client.ts';
import { people } from '../../connectors/testing/seeds.ts';
import { toArray } from './connector-options.ts';
import { openAccount } from './hubspot/account.ts';
import { openOrg } from './salesforce/org.ts';

/** A request without its query, as a stand-in's ledger has it. */
function toEntry(method: string, url: string): string {
  return `${method} ${new URL(url, 'https://any.invalid').pathname.replace(/\/$/, '')}`;
}

/** How often each request was made. */
function tally(entries: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const entry of entries.toSorted()) counts[entry] = (counts[entry] ?? 0) + 1;
  return counts;
}

/** Everything that a night makes a connector do, by single requests and by many. */
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

  beforeEach(async () => {
    org = await openOrg();
    built = [];
    const original = GuardedTransport.prototype.httpRequest;
    vi.spyOn(GuardedTransport.prototype, 'httpRequest').mockImplementation(function (
      this: GuardedTransport,
      request,
    ) {
      built.push(toEntry(request.method, request.url));
      return original.call(this, request);
    });
  });

  afterEach(async () => {
    vi.restoreAllMocks();
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

/** Requests that the library of HubSpot has no class for, or drops a part of (`connectors/hubspot/client.ts`). */
const OWN_TO_HUBSPOT =
  /^\w+ \/(crm\/(properties|property-validations)|account-info|settings\/currencies|oauth)\//;

describe('requests to HubSpot', () => {
  let account: Awaited<ReturnType<typeof openAccount>>;
  let built: string[];

  beforeEach(async () => {
    account = await openAccount();
    built = [];
    for (const { RequestContext } of [contacts, companies, lists]) {
      const { getUrl } = RequestContext.prototype;
      vi.spyOn(RequestContext.prototype, 'getUrl').mockImplementation(function (
        this: contacts.RequestContext,
      ) {
        const url = getUrl.call(this);
        built.push(toEntry(this.getHttpMethod(), url));
        return url;
      });
    }
  });

  afterEach(async () => {
    vi.restoreAllMocks();
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
