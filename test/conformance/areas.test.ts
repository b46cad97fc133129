import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ask, donorAt, type Service, startService } from './service.ts';

describe('the areas that are only named (section 4.4)', () => {
  it('the service creates exports as CSV and as XLSX (4.4)', async () => {
    const service = await startService();
    for (const format of ['csv', 'xlsx']) {
      const order = { fields: ['id'], format, donor_ids: service.donorIds.slice(0, 2) };
      expect(await ask(service, 'POST', '/exports', order)).toMatchObject({
        status: 201,
        body: { format, donor_count: 2 },
      });
    }
  });

  it('the service accepts a search in plain English or with structured filters (4.4)', async () => {
    const service = await startService();
    for (const search of [{ query: 'people in Texas' }, { filters: { state: 'TX' } }]) {
      expect(await ask(service, 'POST', '/search', search)).toMatchObject({
        status: 200,
        body: { interpretation: { filters: { state: 'TX' } } },
      });
    }
  });

  it('the service returns 201 for a new list, and adds and removes its donors (4.4, 7)', async () => {
    const service = await startService();
    const donor_ids = [donorAt(service, 0), donorAt(service, 1)];
    const created = await ask(service, 'POST', '/lists', { name: 'Gala' });
    expect(created.status).toBe(201);
    const { list_id: id } = z.object({ list_id: z.string() }).parse(created.body);
    await ask(service, 'POST', `/lists/${id}/donors`, { donor_ids });
    expect(await listedIn(service, id)).toEqual(donor_ids);
    const removed = { donor_ids: donor_ids.slice(0, 1) };
    expect((await ask(service, 'POST', `/lists/${id}/donors/remove`, removed)).status).toBe(204);
    expect(await listedIn(service, id)).toEqual(donor_ids.slice(1));
  });

  it('the service returns one profile or several, and metadata (4.4)', async () => {
    const service = await startService();
    const id = donorAt(service, 0);
    expect(await ask(service, 'GET', `/donors/${id}`)).toMatchObject({ status: 200, body: { id } });
    for (const path of ['/donors/batch', '/donors/metadata/batch']) {
      const answer = await ask(service, 'POST', path, { donor_ids: [id] });
      expect(answer).toMatchObject({ status: 200, body: { donors: [{ id }] } });
    }
  });
});

async function listedIn(service: Service, listId: string): Promise<string[]> {
  const { body } = await ask(service, 'GET', `/lists/${listId}`);
  const { donors } = z.object({ donors: z.array(z.object({ id: z.string() })) }).parse(body);
  return donors.map(({ id }) => id);
}
