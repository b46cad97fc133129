import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector } from '../../../connectors/contract.ts';
import { toArray } from '../connector-options.ts';
import { type Account, openAccount, people } from './account.ts';
import { openFront, type Substitute } from './front.ts';

const READ = '/crm/objects/2026-09/contacts/batch/read';
const SEARCH = '/crm/objects/2026-09/contacts/search';

const pageSchema = z.object({ total: z.number(), results: z.array(z.unknown()) });

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

  /** Opens a connector to which `answer` speaks in HubSpot's place. */
  async function start(answer: Substitute): Promise<void> {
    const front = await openFront(account.sandbox.baseUrl, answer);
    open.push(front);
    connector = account.connector({ url: front.url });
    open.push(connector);
  }

  it('calls nobody gone whom HubSpot only failed to read', async () => {
    const [id = ''] = await account.addContacts(people(1));
    const errors = [{ status: 'error', category: 'INTERNAL_ERROR', message: '', context: {} }];
    const body = { status: 'COMPLETE', results: [], numErrors: 1, errors };
    await start((path) => (path === READ ? { status: 207, body } : null));
    await connector.prepare();
    await expect(connector.readByIds([id], [])).rejects.toMatchObject({ kind: 'retriable' });
  });

  it('does not call a contact gone that is restored while the archive is read', async () => {
    const [id = ''] = await account.addContacts(people(1));
    await start(async (url) => {
      if (url.includes('archived=true')) await account.edit({ action: 'restore', id });
      return null;
    });
    await connector.prepare();
    const cursor = (await toArray(connector.readPages(null))).at(-1)?.cursor ?? null;
    await account.archiveContact(id);
    const pages = await toArray(connector.readPages(cursor));
    expect(pages.flatMap(({ removed }) => removed)).toEqual([]);
    expect(pages.flatMap(({ contacts }) => contacts)).toMatchObject([{ id }]);
  });

  it('reads on after a page of a search that is not full and not the last', async () => {
    const ids = await account.create(
      'contacts',
      Array.from({ length: 30 }, () => ({ city: 'X' })),
    );
    const sizeOfPage = 7;
    await start((path, body) => {
      if (path !== SEARCH) return null;
      const { total, results } = pageSchema.parse(body);
      const paging = results.length > sizeOfPage ? { next: { after: `${sizeOfPage}` } } : undefined;
      return { status: 200, body: { total, results: results.slice(0, sizeOfPage), paging } };
    });
    await connector.prepare();
    const group = { property: 'city', equals: 'X' };
    expect((await toArray(connector.readGroup(group))).flat()).toEqual(ids);
  });

  it('does not carry the token to where HubSpot redirects', async () => {
    const carried: string[] = [];
    const elsewhere = await openFront(account.sandbox.baseUrl, (path) => {
      carried.push(path);
      return null;
    });
    open.push(elsewhere);
    const headers = { location: `${elsewhere.url}/account-info/2026-09/details` };
    await start(() => ({ status: 307, headers }));
    await expect(connector.prepare()).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_redirected',
    });
    expect(carried).toEqual([]);
  });

  it('tries again later where an answer makes no sense', async () => {
    await start((path) => (path === READ ? { status: 200, body: { hello: 'world' } } : null));
    await connector.prepare();
    await expect(connector.readByIds(['1'], [])).rejects.toMatchObject({ kind: 'retriable' });
  });
});
