import { Client } from '@hubspot/api-client';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ask, CONTACTS, contactIds, startAccount } from '../account.ts';

const pageSchema = z.object({ results: z.array(z.object({ id: z.string() })) });

const VERSIONS = ['/crm/objects/2026-09/contacts', '/crm/v3/objects/contacts'];

it.each(VERSIONS)(
  'leaves nothing of a contact in any list, search or history (%s)',
  async (base) => {
    const account = await startAccount({ contacts: 3 });
    const [erased = '', kept = ''] = await contactIds(account, 3);
    const read = await ask(account, 'GET', `${base}/${erased}?properties=lastname`);
    const { properties } = z
      .object({ properties: z.record(z.string(), z.string().nullable()) })
      .parse(read.body);
    const order = { body: { objectId: erased } };
    expect((await ask(account, 'POST', `${base}/gdpr-delete`, order)).status).toBe(204);

    for (const archived of [false, true]) {
      expect((await ask(account, 'GET', `${base}/${erased}?archived=${archived}`)).status).toBe(
        404,
      );
      const list = pageSchema.parse(
        (await ask(account, 'GET', `${base}?limit=100&archived=${archived}`)).body,
      );
      expect(list.results.map(({ id }) => id)).not.toContain(erased);
      const inputs = [{ id: erased }, { id: kept }];
      const batch = await ask(account, 'POST', `${base}/batch/read?archived=${archived}`, {
        body: { inputs, properties: ['lastname'], propertiesWithHistory: ['lastname'] },
      });
      expect(JSON.stringify(batch.body)).toContain('OBJECT_NOT_FOUND');
      expect(pageSchema.parse(batch.body).results.map(({ id }) => id)).toEqual(
        archived ? [] : [kept],
      );
    }
    const found = await ask(account, 'POST', `${base}/search`, { body: { limit: 100 } });
    expect(pageSchema.parse(found.body).results.map(({ id }) => id)).not.toContain(erased);
    expect(JSON.stringify(found.body)).not.toContain(`"lastname":"${properties['lastname']}"`);
  },
);

it("is asked for by HubSpot's own client", async () => {
  const account = await startAccount({ contacts: 2 });
  const [erased = '', kept = ''] = await contactIds(account, 2);
  const client = new Client({ accessToken: account.token, basePath: account.baseUrl });
  await client.crm.contacts.basicApi.purge({ objectId: erased });
  const { results } = await client.crm.contacts.basicApi.getPage();
  expect(results.map(({ id }) => id)).toEqual([kept]);
  await expect(client.crm.contacts.basicApi.getById(erased)).rejects.toMatchObject({ code: 404 });
});

it('is of a contact by its address too, does nothing twice, and needs the right to write', async () => {
  const account = await startAccount({ contacts: 3 });
  const [id = '', other = ''] = await contactIds(account, 3);
  const body = { properties: { email: 'zoe@example.org' } };
  expect((await ask(account, 'PATCH', `${CONTACTS}/${id}`, { body })).status).toBe(200);
  const byAddress = { body: { objectId: 'zoe@example.org', idProperty: 'email' } };
  for (let time = 0; time < 2; time += 1) {
    const { status } = await ask(account, 'POST', `${CONTACTS}/gdpr-delete`, byAddress);
    expect(status).toBe(204);
  }
  expect((await ask(account, 'GET', `${CONTACTS}/${id}`)).status).toBe(404);
  const refused = await ask(account, 'POST', `${CONTACTS}/gdpr-delete`, {
    ...{ body: { objectId: other }, token: 'none' },
  });
  expect(refused.status).toBe(401);
  expect((await ask(account, 'GET', `${CONTACTS}/${other}`)).status).toBe(200);
});
