import { describe, expect, it } from 'vitest';
import { aClient, rejectionOf } from '../test-client.ts';
import { json, startRawService, startService } from '../test-service.ts';

const ADA = { id: 'd1', name: { first: 'Ada', last: 'Marlowe' }, age: 61, shoe_size: 40 };
const METADATA = {
  id: 'd1',
  name: 'Ada Marlowe',
  service_url: 'https://x.example/d1',
  location: { city: 'Springfield', state: 'IL' },
  profile: { has_age: true, has_net_worth: false, work: 2 },
};
const OURS = {
  donorId: 'd1',
  name: 'Ada Marlowe',
  profileUrl: 'https://x.example/d1',
  location: { city: 'Springfield', state: 'IL' },
  profile: {
    hasAge: true,
    hasNetWorth: false,
    hasCapacity: null,
    work: 2,
    education: null,
    boards: null,
    donations: null,
  },
};

describe('donors.read', () => {
  it.each([
    ['as the body', ADA],
    ['under "donor"', { donor: ADA }],
  ])('reads a profile %s', async (_, body) => {
    const { baseUrl, received } = await startService(json(body));
    expect(await aClient(baseUrl).donors.read('d1')).toMatchObject({
      donorId: 'd1',
      name: { first: 'Ada', last: 'Marlowe' },
      age: 61,
      work: [],
    });
    expect(received).toMatchObject([{ method: 'GET', path: '/donors/d1' }]);
  });

  it('is lost when the profile cannot be read, because its credit is spent', async () => {
    const { baseUrl } = await startService(json({ name: 'Ada' }));
    const error = await rejectionOf(aClient(baseUrl).donors.read('d1'));
    expect(error).toMatchObject({ code: 'answer_lost', bucket: 'donors' });
    expect(String(error)).toContain('id is missing');
  });

  it('is lost, and sent once, when the connection breaks', async () => {
    const service = await startRawService((socket) => socket.resetAndDestroy());
    const error = await rejectionOf(aClient(service.baseUrl).donors.read('d1'));
    expect(error).toMatchObject({ code: 'answer_lost', bucket: 'donors' });
    expect(service.requests()).toBe(1);
  });

  it('says that the donor is unknown, even when it is the first thing asked', async () => {
    const { baseUrl } = await startService(json({ detail: 'Donor not found' }, 404));
    expect(await rejectionOf(aClient(baseUrl).donors.read('d1'))).toMatchObject({
      code: 'partner_not_found',
      details: { charged: 'no' },
    });
  });
});

describe('donors.readMany', () => {
  it('separates who was found, who is unknown and who was not paid for', async () => {
    const body = { donors: [ADA], not_found_ids: ['d2'], unpaid_ids: ['d3'] };
    const { baseUrl, received } = await startService(json(body));
    const batch = await aClient(baseUrl).donors.readMany(['d1', 'd2', 'd3', 'd1']);
    expect([...batch.profiles.keys()]).toEqual(['d1']);
    expect(batch).toMatchObject({ notFound: ['d2'], unprocessed: ['d3'] });
    expect(received).toMatchObject([
      { method: 'POST', path: '/donors/batch', body: { donor_ids: ['d1', 'd2', 'd3'] } },
    ]);
  });

  it('counts those that a bare list leaves out as unprocessed', async () => {
    const { baseUrl } = await startService(json([ADA]));
    expect(await aClient(baseUrl).donors.readMany(['d1', 'd2'])).toMatchObject({
      notFound: [],
      unprocessed: ['d2'],
    });
  });

  it('is lost, and sent once, when a gateway answers', async () => {
    const { baseUrl, received } = await startService(json({}, 502));
    const error = await rejectionOf(aClient(baseUrl).donors.readMany(['d1']));
    expect(error).toMatchObject({ code: 'answer_lost', bucket: 'donors' });
    expect(received).toHaveLength(1);
  });
});

describe('donors.readMetadata', () => {
  it('reads what the profile would bring', async () => {
    const { baseUrl } = await startService(json(METADATA));
    expect(await aClient(baseUrl).donors.readMetadata('d1')).toEqual(OURS);
  });

  it('does without what is not documented', async () => {
    const { baseUrl } = await startService(json({ donor_id: 'd1', profile: 'rich' }));
    expect(await aClient(baseUrl).donors.readMetadata('d1')).toMatchObject({
      donorId: 'd1',
      name: null,
      location: null,
      profile: { hasAge: null, work: null },
    });
  });

  it('names the id and the endpoint when it is lacking', async () => {
    const { baseUrl } = await startService(json({ name: 'Ada' }));
    const error = await rejectionOf(aClient(baseUrl).donors.readMetadata('d1'));
    expect(error).toMatchObject({ code: 'partner_reply_unreadable' });
    expect(String(error)).toContain('GET /donors/{id}/metadata cannot be read: id is missing');
  });
});

describe('donors.readMetadataOfMany', () => {
  it('reads many, and is sent again when a gateway answers', async () => {
    const { baseUrl, received } = await startService(
      json({}, 502),
      json({ donors: [METADATA], not_found_ids: ['d2'] }),
    );
    const batch = await aClient(baseUrl).donors.readMetadataOfMany(['d1', 'd2']);
    expect(batch.metadata.get('d1')).toEqual(OURS);
    expect(batch).toMatchObject({ notFound: ['d2'], unprocessed: [] });
    expect(received).toHaveLength(2);
  });
});
