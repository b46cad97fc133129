import { describe, expect, it } from 'vitest';
import { aClient, rejectionOf } from '../test-client.ts';
import { json, startRawService, startService } from '../test-service.ts';

const GALA = { list_id: 'l1', name: 'Gala', is_system: false, donor_count: 2 };
const OURS = { listId: 'l1', name: 'Gala', isSystem: false, donorCount: 2 };
const done = () => new Response(null, { status: 204 });

describe('lists.list', () => {
  it.each([
    ['a bare list', [GALA]],
    ['a list under "lists"', { lists: [GALA] }],
    ['records with "id"', [{ ...GALA, list_id: undefined, id: 'l1' }]],
  ])('reads %s', async (_, body) => {
    const { baseUrl } = await startService(json(body));
    expect(await aClient(baseUrl).lists.list()).toEqual([OURS]);
  });
});

describe('lists.create', () => {
  it.each([
    ['as the body', GALA],
    ['under "list"', { list: GALA }],
  ])('reads the new list %s', async (_, body) => {
    const { baseUrl, received } = await startService(json(body, 201));
    expect(await aClient(baseUrl).lists.create('Gala')).toEqual(OURS);
    expect(received).toMatchObject([{ method: 'POST', path: '/lists', body: { name: 'Gala' } }]);
  });

  it('passes on that the name is taken', async () => {
    const { baseUrl } = await startService(json({ detail: 'taken' }, 400));
    expect(await rejectionOf(aClient(baseUrl).lists.create('Gala'))).toMatchObject({
      code: 'partner_bad_request',
      details: { endpoint: 'POST /lists', status: 400 },
    });
  });
});

describe('lists.read', () => {
  it('reads one page and where the next begins', async () => {
    const donors = [{ id: 'd1', name: 'Ada Marlowe', added_at: '2026-11-20' }, 'd2'];
    const { baseUrl, received } = await startService(json({ ...GALA, donors, next_cursor: '7' }));
    const page = await aClient(baseUrl).lists.read('l1', { limit: 2, cursor: '5' });
    expect(page).toEqual({
      list: OURS,
      entries: [
        { donorId: 'd1', name: 'Ada Marlowe', profileUrl: null, location: null },
        { donorId: 'd2', name: null, profileUrl: null, location: null },
      ],
      nextCursor: '7',
    });
    expect(received).toMatchObject([{ path: '/lists/l1', query: 'limit=2&cursor=5' }]);
  });

  it('takes a reply without donors for a list that does not show them', async () => {
    const { baseUrl, received } = await startService(json(GALA));
    expect(await aClient(baseUrl).lists.read('l1')).toEqual({
      list: OURS,
      entries: [],
      nextCursor: null,
    });
    expect(received).toMatchObject([{ query: '' }]);
  });
});

describe('lists.rename and lists.delete', () => {
  it('use the methods of the document', async () => {
    const { baseUrl, received } = await startService(done);
    await aClient(baseUrl).lists.rename('l1', 'Ball');
    await aClient(baseUrl).lists.delete('l1');
    expect(received).toMatchObject([
      { method: 'PATCH', path: '/lists/l1', body: { name: 'Ball' } },
      { method: 'DELETE', path: '/lists/l1', body: undefined },
    ]);
  });
});

describe('lists.addDonors', () => {
  it('tells what became of each donor', async () => {
    const body = { added_ids: ['d1'], already_listed_ids: ['d2'], not_found_ids: ['d3'] };
    const { baseUrl, received } = await startService(json(body));
    const donorIds = ['d1', 'd2', 'd3', 'd4', 'd1'];
    expect(await aClient(baseUrl).lists.addDonors('l1', donorIds)).toEqual({
      added: ['d1'],
      alreadyListed: ['d2'],
      notFound: ['d3'],
      unprocessed: ['d4'],
    });
    expect(received).toMatchObject([
      { path: '/lists/l1/donors', body: { donor_ids: ['d1', 'd2', 'd3', 'd4'] } },
    ]);
  });

  it('is lost, and sent once, when the connection breaks', async () => {
    const service = await startRawService((socket) => socket.resetAndDestroy());
    const error = await rejectionOf(aClient(service.baseUrl).lists.addDonors('l1', ['d1']));
    expect(error).toMatchObject({ code: 'answer_lost', bucket: 'lists' });
    expect(service.requests()).toBe(1);
  });
});

describe('lists.removeDonors', () => {
  it('is sent again when a gateway answers, because it is free', async () => {
    const { baseUrl, received } = await startService(json({}, 503), done);
    await aClient(baseUrl).lists.removeDonors('l1', ['d1']);
    expect(received).toMatchObject([
      { path: '/lists/l1/donors/remove' },
      { path: '/lists/l1/donors/remove', body: { donor_ids: ['d1'] } },
    ]);
  });
});
