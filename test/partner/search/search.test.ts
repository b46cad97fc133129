import { describe, expect, it } from 'vitest';
import { aClient, rejectionOf } from '../test-client.ts';
import { json, startRawService, startService } from '../test-service.ts';

const FOUND = {
  donors: [{ id: 'd1', name: 'Ada Marlowe', matched: ['sits on a board'] }],
  next_cursor: '1.2',
  interpretation: {
    filters: {},
    understood: [{ text: 'board members', meaning: 'sits on the board' }],
    ignored: [{ text: 'nice' }],
  },
};
const PAGE = {
  entries: [
    {
      donorId: 'd1',
      name: 'Ada Marlowe',
      profileUrl: null,
      location: null,
      matched: ['sits on a board'],
    },
  ],
  nextCursor: '1.2',
  interpretation: {
    understood: [{ text: 'board members', meaning: 'sits on the board' }],
    ignored: [{ text: 'nice', reason: null }],
  },
};

describe('search.ask', () => {
  it('asks in plain English, with filters and a page where they are given', async () => {
    const { baseUrl, received } = await startService(json(FOUND));
    const client = aClient(baseUrl);
    expect(await client.search.ask('nice board members')).toEqual(PAGE);
    await client.search.ask('board members', { filters: { state: 'IL' }, cursor: '1.2', limit: 9 });
    expect(received).toMatchObject([
      { method: 'POST', path: '/search', body: { query: 'nice board members' } },
      { body: { query: 'board members', filters: { state: 'IL' }, cursor: '1.2', limit: 9 } },
    ]);
    expect(received[0]?.body).toEqual({ query: 'nice board members' });
  });

  it('is lost, and sent once, when the connection breaks', async () => {
    const service = await startRawService((socket) => socket.resetAndDestroy());
    const error = await rejectionOf(aClient(service.baseUrl).search.ask('anybody'));
    expect(error).toMatchObject({ code: 'answer_lost', bucket: 'searches' });
    expect(service.requests()).toBe(1);
  });

  it('does without an interpretation', async () => {
    const { baseUrl } = await startService(json([{ id: 'd1' }]));
    expect(await aClient(baseUrl).search.ask('anybody')).toMatchObject({
      entries: [{ donorId: 'd1', matched: [] }],
      nextCursor: null,
      interpretation: null,
    });
  });
});

describe('search.byFilters', () => {
  it('sends the filters as they are', async () => {
    const { baseUrl, received } = await startService(json(FOUND));
    const filters = { min_age: 40, ties: [{ organization: 'food bank' }] };
    expect(await aClient(baseUrl).search.byFilters(filters, { limit: 3 })).toEqual(PAGE);
    expect(received[0]?.body).toEqual({ filters, limit: 3 });
  });
});

describe('search.byParameters', () => {
  it('writes the parameters into the address, and repeats lists', async () => {
    const { baseUrl, received } = await startService(json(FOUND));
    const parameters = { state: 'IL', min_age: 40, tag: ['a', 'b'] };
    expect(await aClient(baseUrl).search.byParameters(parameters, { cursor: '1.2' })).toEqual(PAGE);
    expect(received).toMatchObject([
      { method: 'GET', path: '/search', query: 'cursor=1.2&state=IL&min_age=40&tag=a&tag=b' },
    ]);
  });

  it('is lost, and sent once, though it is a GET, because it costs a credit', async () => {
    const { baseUrl, received } = await startService(json({}, 504));
    const error = await rejectionOf(aClient(baseUrl).search.byParameters({ state: 'IL' }));
    expect(error).toMatchObject({ code: 'answer_lost', bucket: 'searches' });
    expect(received).toHaveLength(1);
  });
});
