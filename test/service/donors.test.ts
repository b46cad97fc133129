import { describe, expect, it } from 'vitest';
import { ask, issueKey, playFaults, readLedger, startPartner } from './partner.ts';
import { creditsIn, donorIds, UNKNOWN_DONOR } from './saved-donors.ts';

describe('GET /donors/{id}', () => {
  it('gives the profile for one credit of donors', async () => {
    const partner = await startPartner({ credits: 5 });
    const [id] = donorIds(1);
    const answer = await ask(partner, 'GET', `/donors/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      id,
      name: { last: expect.any(String) },
      boards: expect.any(Array),
      donations: expect.any(Array),
      location: { state: expect.stringMatching(/^[A-Z]{2}$/) },
    });
    expect(await creditsIn(partner, 'donors')).toBe(4);
  });

  it('refunds a donor who does not exist, and one that a failure hid', async () => {
    const partner = await startPartner({ credits: 5 });
    expect((await ask(partner, 'GET', `/donors/${UNKNOWN_DONOR}`)).status).toBe(404);
    await playFaults(partner, [{ fault: { kind: 'error' }, times: 1 }]);
    expect((await ask(partner, 'GET', `/donors/${UNKNOWN_DONOR}`)).status).toBe(500);
    expect((await readLedger(partner)).map(({ kind }) => kind)).toEqual([
      'charge',
      'refund',
      'charge',
      'refund',
    ]);
    expect(await creditsIn(partner, 'donors')).toBe(5);
  });

  it('answers 402 when the bucket of donors is empty, whatever the others hold', async () => {
    const partner = await startPartner();
    const { apiKey } = await issueKey(partner, { credits: { donors: 0 } });
    const [id] = donorIds(1);
    const answer = await ask(partner, 'GET', `/donors/${id}`, undefined, apiKey);
    expect(answer.status).toBe(402);
    expect(answer.body).toMatchObject({ bucket: 'donors', available_credits: 0 });
  });
});

describe('POST /donors/batch', () => {
  it('gives each profile, names the unknown ids, and charges each id', async () => {
    const partner = await startPartner({ credits: 10 });
    const ids = donorIds(3);
    const answer = await ask(partner, 'POST', '/donors/batch', {
      donor_ids: [...ids, UNKNOWN_DONOR],
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      donors: ids.map((id) => ({ id })),
      not_found_ids: [UNKNOWN_DONOR],
      unpaid_ids: [],
      meta: { requested: 4, processed: 4 },
    });
    expect(await creditsIn(partner, 'donors')).toBe(6);
  });

  it('processes from the front as many as the balance covers', async () => {
    const partner = await startPartner({ credits: 2 });
    const [first, second, third] = donorIds(3);
    const body = { donor_ids: [first, second, third] };
    expect((await ask(partner, 'POST', '/donors/batch', body)).body).toMatchObject({
      donors: [{ id: first }, { id: second }],
      unpaid_ids: [third],
      meta: { requested: 3, processed: 2, partial: true, partial_reason: 'insufficient_credits' },
    });
    expect((await ask(partner, 'POST', '/donors/batch', body)).status).toBe(402);
  });

  it.each([
    ['more than 100 ids', { donor_ids: Array(101).fill(UNKNOWN_DONOR) }, 400],
    ['no ids', { donor_ids: [] }, 422],
    ['ids that are no strings', { donor_ids: [UNKNOWN_DONOR, 7] }, 422],
    ['another field', { ids: [UNKNOWN_DONOR] }, 422],
  ])('refuses %s and takes nothing', async (_, body, status) => {
    const partner = await startPartner({ credits: 200 });
    expect((await ask(partner, 'POST', '/donors/batch', body)).status).toBe(status);
    expect(await creditsIn(partner, 'donors')).toBe(200);
  });
});

describe('the metadata of donors', () => {
  it('tells for nothing who a donor is and what the profile holds, but no figures', async () => {
    const partner = await startPartner({ credits: 0 });
    const [id] = donorIds(1);
    const answer = await ask(partner, 'GET', `/donors/${id}/metadata`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, profile: { has_net_worth: true } });
    expect(JSON.stringify(answer.body)).not.toMatch(/net_worth_range|"capacity"|company_name/);
    expect((await ask(partner, 'GET', `/donors/${UNKNOWN_DONOR}/metadata`)).status).toBe(404);
  });

  it('tells it of many at once', async () => {
    const partner = await startPartner({ credits: 0 });
    const [id] = donorIds(1);
    const body = { donor_ids: [UNKNOWN_DONOR, id] };
    const answer = await ask(partner, 'POST', '/donors/metadata/batch', body);
    expect(answer.body).toMatchObject({ donors: [{ id }], not_found_ids: [UNKNOWN_DONOR] });
  });
});
