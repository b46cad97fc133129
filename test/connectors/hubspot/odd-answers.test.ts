import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { toArray } from '../connector-options.ts';
import { openOtherHost } from '../other-host.ts';
import { type Account, openAccount } from './account.ts';
import { openFront, type Substitute } from './front.ts';

const CONTACTS = '/crm/objects/2026-09/contacts';
const READ = `${CONTACTS}/batch/read`;
const SEARCH = `${CONTACTS}/search`;

const recordSchema = z.looseObject({ properties: z.record(z.string(), z.string().nullable()) });

const pageSchema = z.looseObject({ results: z.array(z.unknown()) });

describe('odd answers of HubSpot', () => {
  let account: Account;
  let connector: Connector;
  const open: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    account = await openAccount();
    open.push(account);
  });

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  /** Opens a connector. The function `answer` responds instead of HubSpot. */
  async function start(answer: Substitute, signal = new AbortController().signal): Promise<void> {
    const front = await openFront(account.sandbox.baseUrl, answer);
    open.push(front);
    connector = await account.connector({ url: front.url }, { signal });
    open.push(connector);
  }

  it('calls no contact gone that HubSpot only failed to read', async () => {
    const [id = ''] = await account.addContacts(people(1));
    const errors = [{ status: 'error', category: 'INTERNAL_ERROR', message: '', context: {} }];
    const body = { status: 'COMPLETE', results: [], numErrors: 1, errors };
    await start((path) => (path === READ ? { status: 207, body } : null));
    await expect(connector.readByIds([id], [])).rejects.toMatchObject({ kind: 'retriable' });
  });

  it('asks in halves for contacts over which HubSpot takes too long', async () => {
    const ids = await account.addContacts(people(100));
    await start((path, reply) => {
      if (path !== READ || pageSchema.parse(reply).results.length <= 50) return null;
      return { status: 504, text: '<html>' };
    });
    const lookups = await connector.readByIds(ids, []);
    expect(lookups.map(({ id, state }) => [id, state])).toEqual(ids.map((id) => [id, 'found']));
  });

  it('says that HubSpot takes too long where that stays so', async () => {
    const ids = await account.addContacts(people(100));
    let asked = 0;
    await start((path) => {
      if (path !== READ) return null;
      asked += 1;
      return { status: 504, text: '<html>' };
    });
    await expect(connector.readByIds(ids, [])).rejects.toMatchObject({ code: 'crm_unavailable' });
    // The connector sends six requests for each size. The sizes are a hundred, fifty and twenty-five contacts.
    expect(asked).toBe(18);
  });

  it('does not call a contact gone that is restored while the archive is read', async () => {
    const [id = ''] = await account.addContacts(people(1));
    await start(async (url) => {
      if (url.includes('archived=true')) await account.edit({ action: 'restore', id });
      return null;
    });
    const cursor = (await toArray(connector.readPages(null))).at(-1)?.cursor ?? null;
    await account.archiveContact(id);
    const pages = await toArray(connector.readPages(cursor));
    expect(pages.flatMap(({ removed }) => removed)).toEqual([]);
    expect(pages.flatMap(({ contacts }) => contacts)).toMatchObject([{ id }]);
  });

  it('reads on after a page of a search that is not full and not the last', async () => {
    const ids = await account.addContacts(
      people(30).map((one) => ({ ...one, employers: ['Acme'] })),
    );
    const sizeOfPage = 7;
    await start((path, body) => {
      if (path !== SEARCH) return null;
      const { results } = pageSchema.parse(body);
      const paging = results.length > sizeOfPage ? { next: { after: `${sizeOfPage}` } } : undefined;
      return { status: 200, body: { results: results.slice(0, sizeOfPage), paging } };
    });
    const group = { property: 'company', equals: 'Acme' };
    expect((await toArray(connector.readGroup(group))).flat()).toEqual(ids);
  });

  it.each([
    ['its former ids', (former: string) => former],
    ['nothing of the merge', () => null],
  ])('knows the name of a company that was merged, which tells %s', async (_, formerIds) => {
    const [id = ''] = await account.addContacts(people(1));
    await account.employ(id, 'Acme Inc');
    const companyId = (await account.seenValue(id, 'associatedcompanyid')) ?? '';
    await start((url) => {
      if (!url.endsWith('/companies/batch/read')) return null;
      const properties = { name: 'Acme Group', hs_merged_object_ids: formerIds(companyId) };
      return { status: 200, body: { status: 'COMPLETE', results: [{ id: '99', properties }] } };
    });
    expect(await connector.readByIds([id], [])).toMatchObject([
      { contact: { employers: ['Acme Group'] } },
    ]);
  });

  it('takes a value for blank that an answer leaves out although the property is there, and asks once', async () => {
    const ids = await account.addContacts(people(3));
    let described = 0;
    await start((url, body) => {
      if (url.includes('/properties/')) described += 1;
      if (url !== READ) return null;
      const { results } = z.object({ results: z.array(recordSchema) }).parse(body);
      const sparse = results.map(({ properties, ...record }) => ({
        ...record,
        properties: Object.fromEntries(
          Object.entries(properties).filter(([, value]) => value !== null && value !== ''),
        ),
      }));
      return { status: 200, body: { status: 'COMPLETE', results: sparse } };
    });
    for (const id of ids) {
      const [found] = await connector.readByIds([id], []);
      expect(found).toMatchObject({ state: 'found', contact: { addresses: [] } });
      expect(found?.state === 'found' && found.contact.unreadable).toBe(undefined);
    }
    expect(described).toBe(2);
  });

  it('does not take a company for none where HubSpot refuses the request for an unknown reason', async () => {
    const [id = ''] = await account.addContacts(people(1));
    await account.employ(id, 'Acme Inc');
    await start((url) => {
      if (!url.endsWith('/companies/batch/read')) return null;
      return { status: 403, body: { status: 'error', category: 'BANNED', message: '' } };
    });
    await expect(connector.readByIds([id], [])).rejects.toMatchObject({ kind: 'configuration' });
  });

  it('asks again where HubSpot gave up waiting for the request', async () => {
    const [id = ''] = await account.addContacts(people(1));
    let asked = 0;
    await start((url) => {
      if (url !== READ) return null;
      asked += 1;
      return asked === 1 ? { status: 408 } : null;
    });
    expect(await connector.readByIds([id], [])).toMatchObject([{ state: 'found', id }]);
  });

  it('stops where the list of contacts begins anew for ever', async () => {
    await account.addContacts(people(1));
    await start((url, body) => {
      if (!url.startsWith(`${CONTACTS}?`)) return null;
      const paging = { next: { after: '1' } };
      return { status: 200, body: { ...pageSchema.parse(body), paging } };
    });
    await expect(toArray(connector.readPages(null))).rejects.toMatchObject({
      kind: 'fatal',
      code: 'crm_reading_endless',
    });
  });

  it('hears what became of a write that was under way when the run was asked to stop', async () => {
    const [id = ''] = await account.addContacts(people(1));
    const stop = new AbortController();
    await start((url) => {
      if (url.endsWith('/batch/update')) stop.abort();
      return null;
    }, stop.signal);
    const changes = [{ id, values: { jobtitle: 'Baker' } }];
    expect(await toArray(connector.write(changes))).toEqual([{ status: 'written', id }]);
  });

  it('does not carry the token to where HubSpot redirects', async () => {
    const carried: string[] = [];
    const elsewhere = await openFront(account.sandbox.baseUrl, (path) => {
      carried.push(path);
      return null;
    });
    open.push(elsewhere);
    const headers = { location: `${elsewhere.url}/account-info/2026-09/details` };
    await expect(start(() => ({ status: 307, headers }))).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_redirected',
    });
    expect(carried).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])('follows no answer with status %i', async (status) => {
    const other = await openOtherHost();
    open.push(other);
    const headers = { location: `${other.url}/account-info/2026-09/details` };
    await expect(start(() => ({ status, headers }))).rejects.toMatchObject({
      code: 'crm_redirected',
    });
    expect(other.strayed).toEqual([]);
  });

  it.each([
    (other: string) => `${other}/crm/objects/2026-09/contacts?after=1`,
    (other: string) => other.replace('http:', ''),
    () => '\\\\attacker.example\\crm',
    () => 'https://api.hubapi.com@attacker.example/',
  ])('reads pages by their place in the list, whatever address they name', async (linkAt) => {
    const other = await openOtherHost();
    open.push(other);
    const ids = await account.addContacts(people(2));
    let pages = 0;
    await start((url, body) => {
      if (!url.startsWith(`${CONTACTS}?`)) return null;
      pages += 1;
      const page = pageSchema.parse(body);
      if (pages > 1) return { status: 200, body: page };
      const paging = { next: { after: ids[0], link: linkAt(other.url) } };
      return { status: 200, body: { ...page, results: page.results.slice(0, 1), paging } };
    });
    const read = await toArray(connector.readPages(null));
    expect(read.flatMap(({ contacts }) => contacts.map(({ id }) => id))).toEqual(ids);
    expect(other.strayed).toEqual([]);
  });

  it('looks for a place in the list nowhere else than in the list', async () => {
    const other = await openOtherHost();
    open.push(other);
    await account.addContacts(people(1));
    const asked: string[] = [];
    const after = `/../../..//${new URL(other.url).host}/?x=#y`;
    await start((url, body) => {
      asked.push(url);
      if (!url.startsWith(`${CONTACTS}?`)) return null;
      const isFirst = asked.filter((one) => one.startsWith(`${CONTACTS}?`)).length === 1;
      if (!isFirst) return { status: 200, body: { results: [] } };
      return { status: 200, body: { ...pageSchema.parse(body), paging: { next: { after } } } };
    });
    await toArray(connector.readPages(null));
    expect(asked.at(-1)).toContain(`after=${encodeURIComponent(after)}`);
    expect(other.strayed).toEqual([]);
  });

  it.each([
    ['the page of a proxy', '<html>Back soon</html>'],
    ['half an answer', '{"results":[{"id":"1","prop'],
    ['nothing', ''],
  ])('asks again where %s stands in the place of what is read', async (_, odd) => {
    const [id = ''] = await account.addContacts(people(1));
    const seen = new Map<string, number>();
    await start((url) => {
      const [path = ''] = url.split('?');
      seen.set(path, (seen.get(path) ?? 0) + 1);
      return seen.get(path) === 1 ? { status: 200, text: odd } : null;
    });
    expect(await connector.readByIds([id], [])).toMatchObject([{ state: 'found', id }]);
    const pages = await toArray(connector.readPages(null));
    expect(pages.flatMap(({ contacts }) => contacts)).toMatchObject([{ id }]);
  });

  it('does not believe the page of a proxy that a write has written', async () => {
    const [id = ''] = await account.addContacts(people(1));
    await start((url) =>
      url.endsWith('/batch/update') ? { status: 200, text: '<html>Back soon</html>' } : null,
    );
    await expect(
      toArray(connector.write([{ id, values: { jobtitle: 'x' } }])),
    ).rejects.toMatchObject({ kind: 'retriable', code: 'crm_unavailable' });
  });

  it('tries again later where an answer makes no sense', async () => {
    await start((path) => (path === READ ? { status: 200, body: { hello: 'world' } } : null));
    await expect(connector.readByIds(['1'], [])).rejects.toMatchObject({ kind: 'retriable' });
  });
});
