import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld } from '../../people/world.ts';
import type { PartnerSandbox } from '../../sandbox/partner/index.ts';
import type { Donor } from '../../service/donor.ts';
import { aClock } from '../testbed/a-clock.ts';
import { aWorldOf } from './hand-made-world.ts';
import { ask, issueKey, startPartner } from './partner.ts';
import { creditsIn } from './saved-donors.ts';

const DONORS = 400;
const NOW = '2026-07-01T00:00:00Z';

const world = createWorld({ seed: 1, donors: DONORS });
const everybody = Array.from({ length: DONORS }, (_, number) => world.donor(number));

const foundSchema = z.object({
  donors: z.array(z.object({ id: z.string(), name: z.string(), matched: z.array(z.string()) })),
  next_cursor: z.string().nullable(),
  meta: z.object({
    source: z.string(),
    candidates: z.number(),
    scanned: z.number(),
    found: z.number(),
    complete: z.boolean(),
  }),
  interpretation: z.looseObject({}),
});

describe('search', () => {
  it.each<[string, object, (donor: Donor) => boolean]>([
    ['a city', { city: 'chicago' }, ({ addresses: [home] }) => home?.city === 'Chicago'],
    ['a state', { state: 'tx' }, ({ addresses: [home] }) => home?.state === 'TX'],
    [
      'ages',
      { min_age: 40, max_age: 60 },
      ({ birthYear }) => isWithin(2026 - (birthYear ?? 0), 40, 60),
    ],
    [
      'net worth above',
      { min_net_worth: 1_000_000 },
      ({ netWorth }) => (netWorth?.low ?? 0) >= 1_000_000,
    ],
    [
      'net worth below',
      { max_net_worth: 50_000 },
      ({ netWorth }) => (netWorth?.high ?? 1e12) <= 50_000,
    ],
    ['capacity', { min_capacity: 20_000 }, ({ capacity }) => (capacity.nonprofit ?? 0) >= 20_000],
    [
      'present board members',
      { ties: [{ relationship: 'sits_on_board_of', when: 'present' }] },
      ({ boards }) => boards.some(({ end }) => end === null),
    ],
    [
      'an organization by words of its name, and at once an age',
      { min_age: 50, ties: [{ relationship: 'works_for', organization: 'banks' }] },
      ({ work, birthYear }) =>
        2026 - (birthYear ?? 2026) >= 50 &&
        work.some(({ organisationName }) => organisationName.split(' ').includes('Bank')),
    ],
    [
      'a title',
      { ties: [{ relationship: 'works_for', title: 'chief executive officer' }] },
      ({ work }) => work.some(({ title }) => title === 'Chief Executive Officer'),
    ],
    [
      'a donation of a size',
      { ties: [{ relationship: 'donates_to', min_amount: 5000 }] },
      ({ gifts }) => gifts.some(({ amount }) => amount >= 5000),
    ],
  ])('by %s finds every donor of which it is true, and no other', async (_, filters, isTrue) => {
    const partner = await startSearch();
    const { donors, meta } = await search(partner, { filters, limit: 500 });
    const expected = everybody.filter(isTrue).map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(0);
    expect(donors.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
    expect(meta).toMatchObject({ found: expected.length, complete: true });
  });

  it('finds a name by its short form and with a typo, and ranks what is exact first', async () => {
    const [donor] = everybody;
    const twins = ['Robert', 'Bob', 'Bobert'].map((first, number) => ({
      ...z.custom<Donor>().parse(donor),
      id: String(number).repeat(32),
      name: { first, middle: null, last: 'Quillfeather' },
    }));
    const partner = await startPartner({ world: aWorldOf(twins) });
    const found = await search(partner, { filters: { name: 'Bob Quillfether' } });
    expect(found.donors.map(({ name }) => name)).toEqual([
      'Bob Quillfeather',
      'Robert Quillfeather',
    ]);
    const forms = [
      ...['Robert Quillfeather Jr.', 'Robert Quillfeather, Jr.', 'Dr. Robert Quillfeather'],
      ...['Quillfeather, Robert', 'Quillfeather Robert', 'Hon. Robert Quillfeather III, MD'],
    ];
    for (const name of forms) {
      const { donors } = await search(partner, { filters: { name } });
      expect({ name, found: donors[0]?.name }).toEqual({ name, found: 'Robert Quillfeather' });
    }
    const exact = await search(partner, { query: 'Quillfeather' });
    expect(exact.donors).toHaveLength(3);
    expect(exact.meta.source).toBe('names');
  });

  it('puts those first who could give more, and tells why each was found', async () => {
    const partner = await startSearch();
    const { donors } = await search(partner, {
      query: 'people with net worth over $1M',
      limit: 500,
    });
    const capacities = donors.map(
      ({ id }) => everybody.find((donor) => donor.id === id)?.capacity.nonprofit ?? 0,
    );
    expect(capacities).toEqual(capacities.toSorted((a, b) => b - a));
    expect(donors[0]?.matched).toEqual([expect.stringMatching(/^net worth \$[\d,]+ to \$[\d,]+$/)]);
  });

  it('reaches every donor page by page, and none twice', async () => {
    const partner = await startSearch();
    const filters = { max_age: 50 };
    const all = await search(partner, { filters, limit: 500 });
    const ids: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < DONORS && (page === 0 || cursor !== undefined); page += 1) {
      const found = await search(partner, { filters, limit: 30, ...(cursor && { cursor }) });
      ids.push(...found.donors.map(({ id }) => id));
      cursor = found.next_cursor ?? undefined;
    }
    expect(ids).toEqual(all.donors.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('looks at a bounded number of donors at once, and goes on behind them', async () => {
    const donors = 10_100;
    const partner = await startPartner({ donors });
    const first = await search(partner, { filters: { name: 'Dianne' }, limit: 500 });
    expect(first.meta).toMatchObject({ candidates: donors, scanned: 10_000, complete: false });
    const second = await search(partner, {
      filters: { name: 'Dianne' },
      limit: 500,
      cursor: first.next_cursor,
    });
    expect(second.meta).toMatchObject({ scanned: 100, complete: false });
    expect(second.next_cursor).toBeNull();
    const large = createWorld({ seed: 1, donors });
    const named = Array.from({ length: donors }, (_, number) => large.donor(number)).filter(
      ({ name }) => name.first === 'Dianne',
    );
    const found = [...first.donors, ...second.donors].map(({ id }) => id);
    expect(found).toEqual(expect.arrayContaining(named.map(({ id }) => id)));
  });

  it('reads a question, and lets filters count before what it says', async () => {
    const partner = await startSearch();
    const found = await search(partner, {
      query: 'board members in Chicago who love cats',
      filters: { city: 'Houston' },
    });
    expect(found.interpretation).toMatchObject({
      filters: { city: 'Houston', ties: [{ relationship: 'sits_on_board_of' }] },
      ignored: [{ text: 'love cats', reason: 'not understood' }],
    });
  });
});

describe('GET /search', () => {
  it('takes the same filters as parameters, with room for one tie', async () => {
    const partner = await startSearch();
    const query = 'organization=bank&relationship=works_for&when=present&min_age=40&limit=500';
    const { body } = await ask(partner, 'GET', `/search?${query}`);
    const tie = { organization: 'bank', relationship: 'works_for', when: 'present' };
    const posted = await search(partner, { filters: { min_age: 40, ties: [tie] }, limit: 500 });
    expect(posted.donors.length).toBeGreaterThan(0);
    expect(foundSchema.parse(body).donors).toEqual(posted.donors);
  });

  it('takes plain English as q', async () => {
    const partner = await startSearch();
    const { body } = await ask(partner, 'GET', `/search?q=${encodeURIComponent('people over 60')}`);
    expect(body).toMatchObject({ interpretation: { filters: { min_age: 61 } } });
  });
});

describe('what a search costs', () => {
  it('is one credit of searches for each request, found or not', async () => {
    const partner = await startSearch({ credits: 10 });
    await ask(partner, 'GET', '/search?name=Xyzzy');
    await search(partner, { query: 'people over 60' });
    expect(await creditsIn(partner, 'searches')).toBe(8);
  });

  it.each([
    ['GET', '/search', undefined, 400],
    ['GET', '/search?min_age=old', undefined, 422],
    ['GET', '/search?colour=red', undefined, 422],
    ['POST', '/search', {}, 400],
    ['POST', '/search', { query: 'cats and dogs' }, 422],
    ['POST', '/search', { filters: { shoe_size: 9 } }, 422],
    ['POST', '/search', { query: 'people over 60', cursor: 'x' }, 422],
  ])('is nothing for %s %s %j, which is refused', async (method, path, body, status) => {
    const partner = await startSearch({ credits: 10 });
    expect((await ask(partner, method, path, body)).status).toBe(status);
    expect(await creditsIn(partner, 'searches')).toBe(10);
  });

  it('is a 402 when the bucket is empty', async () => {
    const partner = await startSearch();
    const { apiKey } = await issueKey(partner, { credits: { searches: 0 } });
    for (const [method, path, body] of [
      ['GET', '/search?name=Lee', undefined],
      ['POST', '/search', { query: 'people over 60' }],
    ] as const) {
      const answer = await ask(partner, method, path, body, apiKey);
      expect(answer).toMatchObject({ status: 402, body: { bucket: 'searches' } });
    }
  });
});

function startSearch(options: { credits?: number } = {}): Promise<PartnerSandbox> {
  return startPartner({ world, clock: aClock(NOW).read, ...options });
}

async function search(partner: PartnerSandbox, body: object) {
  const answer = await ask(partner, 'POST', '/search', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return foundSchema.parse(answer.body);
}

function isWithin(number: number, min: number, max: number): boolean {
  return number >= min && number <= max;
}
