import { describe, expect, it } from 'vitest';
import { ask, issueKey, startPartner } from './partner.ts';
import {
  createList,
  creditsIn,
  donorIds,
  readListed,
  readLists,
  systemListId,
  UNKNOWN_DONOR,
} from './saved-donors.ts';

describe('lists', () => {
  it('are created, renamed and deleted for nothing', async () => {
    const partner = await startPartner({ credits: 0 });
    const created = await ask(partner, 'POST', '/lists', { name: ' Gala ' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ name: 'Gala', is_system: false, donor_count: 0 });
    const id = await createList(partner, 'Board');
    const renamed = await ask(partner, 'PATCH', `/lists/${id}`, { name: 'Trustees' });
    expect(renamed).toMatchObject({ status: 204, body: '' });
    expect((await readLists(partner)).map(({ name }) => name)).toEqual([
      'All Saved Donors',
      'Gala',
      'Trustees',
    ]);
    expect((await ask(partner, 'DELETE', `/lists/${id}`)).status).toBe(204);
    expect((await ask(partner, 'GET', `/lists/${id}`)).status).toBe(404);
  });

  it('have names that are unique within the team, 400 otherwise', async () => {
    const partner = await startPartner();
    const { apiKey } = await issueKey(partner, {});
    const id = await createList(partner, 'Gala');
    await createList(partner, 'Board');
    expect((await ask(partner, 'POST', '/lists', { name: 'Gala' })).status).toBe(400);
    expect((await ask(partner, 'POST', '/lists', { name: 'All Saved Donors' })).status).toBe(400);
    expect((await ask(partner, 'PATCH', `/lists/${id}`, { name: 'Board' })).status).toBe(400);
    expect((await ask(partner, 'PATCH', `/lists/${id}`, { name: 'Gala' })).status).toBe(204);
    expect((await ask(partner, 'POST', '/lists', { name: 'Gala' }, apiKey)).status).toBe(201);
  });

  it.each([{}, { name: '  ' }, { name: 7 }])('refuse the name of %j with 422', async (body) => {
    const partner = await startPartner();
    expect((await ask(partner, 'POST', '/lists', body)).status).toBe(422);
  });

  it('belong to one team: for another they do not exist', async () => {
    const partner = await startPartner();
    const { apiKey } = await issueKey(partner, {});
    const id = await createList(partner, 'Gala');
    const requests = [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', '', undefined],
      ['POST', '/donors', { donor_ids: donorIds(1) }],
      ['POST', '/donors/remove', { donor_ids: donorIds(1) }],
    ] as const;
    for (const [method, path, body] of requests) {
      const answer = await ask(partner, method, `/lists/${id}${path}`, body, apiKey);
      expect(answer.status, `${method} ${path}`).toBe(404);
    }
    expect(await readLists(partner, apiKey)).toHaveLength(1);
  });
});

describe('the system list', () => {
  it('collects every donor who is added to any list, and keeps them when that list is gone', async () => {
    const partner = await startPartner();
    const [one, other] = donorIds(2);
    const gala = await createList(partner, 'Gala');
    const board = await createList(partner, 'Board');
    await ask(partner, 'POST', `/lists/${gala}/donors`, { donor_ids: [one] });
    await ask(partner, 'POST', `/lists/${board}/donors`, { donor_ids: [one, other] });
    await ask(partner, 'DELETE', `/lists/${gala}`);
    await ask(partner, 'POST', `/lists/${board}/donors/remove`, { donor_ids: [other] });
    expect((await readListed(partner, await systemListId(partner))).ids).toEqual([one, other]);
  });

  it('can be neither deleted nor renamed: 400', async () => {
    const partner = await startPartner();
    const id = await systemListId(partner);
    expect((await ask(partner, 'DELETE', `/lists/${id}`)).status).toBe(400);
    expect((await ask(partner, 'PATCH', `/lists/${id}`, { name: 'Mine' })).status).toBe(400);
    expect(await systemListId(partner)).toBe(id);
  });

  it('is added to like any other, and forgets a donor on every list', async () => {
    const partner = await startPartner();
    const id = await systemListId(partner);
    const gala = await createList(partner, 'Gala');
    const donor_ids = donorIds(1);
    const added = await ask(partner, 'POST', `/lists/${id}/donors`, { donor_ids });
    expect(added.body).toMatchObject({ added_ids: donor_ids });
    await ask(partner, 'POST', `/lists/${gala}/donors`, { donor_ids });
    await ask(partner, 'POST', `/lists/${id}/donors/remove`, { donor_ids });
    expect((await readLists(partner)).map((list) => list.donor_count)).toEqual([0, 0]);
  });
});

describe('POST /lists/{id}/donors', () => {
  it('charges each id and tells what became of it', async () => {
    const partner = await startPartner({ credits: 10 });
    const [one, other] = donorIds(2);
    const id = await createList(partner, 'Gala');
    await ask(partner, 'POST', `/lists/${id}/donors`, { donor_ids: [one] });
    const answer = await ask(partner, 'POST', `/lists/${id}/donors`, {
      donor_ids: [one, other, UNKNOWN_DONOR],
    });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        added_ids: [other],
        already_listed_ids: [one],
        not_found_ids: [UNKNOWN_DONOR],
        unpaid_ids: [],
        meta: { requested: 3, processed: 3 },
      },
    });
    expect(await creditsIn(partner, 'lists')).toBe(6);
  });

  it('adds from the front as many as the balance covers, then answers 402', async () => {
    const partner = await startPartner({ credits: 1 });
    const [one, other] = donorIds(2);
    const id = await createList(partner, 'Gala');
    const body = { donor_ids: [one, other] };
    const answer = await ask(partner, 'POST', `/lists/${id}/donors`, body);
    expect(answer.body).toMatchObject({ added_ids: [one], unpaid_ids: [other] });
    const empty = await ask(partner, 'POST', `/lists/${id}/donors`, body);
    expect(empty).toMatchObject({ status: 402, body: { bucket: 'lists' } });
    expect((await readListed(partner, id)).ids).toEqual([one]);
  });

  it('refunds a list that does not exist and more than 100 ids', async () => {
    const partner = await startPartner({ credits: 200 });
    const id = await createList(partner, 'Gala');
    const missing = await ask(partner, 'POST', '/lists/x/donors', { donor_ids: donorIds(1) });
    const tooMany = { donor_ids: Array(101).fill(UNKNOWN_DONOR) };
    expect(missing.status).toBe(404);
    expect((await ask(partner, 'POST', `/lists/${id}/donors`, tooMany)).status).toBe(400);
    expect(await creditsIn(partner, 'lists')).toBe(200);
  });
});

describe('GET /lists/{id}', () => {
  it('goes through the donors page by page, in the order of adding', async () => {
    const partner = await startPartner();
    const ids = donorIds(5);
    const id = await createList(partner, 'Gala');
    await ask(partner, 'POST', `/lists/${id}/donors`, { donor_ids: ids });
    const first = await readListed(partner, id, '?limit=3');
    const second = await readListed(partner, id, `?limit=3&cursor=${first.nextCursor}`);
    expect(first.ids).toEqual(ids.slice(0, 3));
    expect(second).toEqual({ ids: ids.slice(3), nextCursor: null });
  });

  it.each(['limit=0', 'limit=501', 'limit=x', 'cursor=x'])('refuses %s with 422', async (query) => {
    const partner = await startPartner();
    const id = await systemListId(partner);
    expect((await ask(partner, 'GET', `/lists/${id}?${query}`)).status).toBe(422);
  });
});
