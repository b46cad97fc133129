import { describe, expect, it } from 'vitest';
import { aClock } from '../../../testbed/a-clock.ts';
import { control, edit } from '../../../testbed/asking.ts';
import {
  ask,
  CONTACTS,
  contactIds,
  readError,
  readResults,
  search,
  startAccount,
} from '../account.ts';

const filter = (propertyName: string, operator: string, value?: string) => ({
  propertyName,
  operator,
  ...(value === undefined ? {} : { value }),
});
const only = (...filters: unknown[]) => ({ filterGroups: [{ filters }], limit: 200 });

/** Runs a search that HubSpot must refuse. */
async function refusal(account: Parameters<typeof ask>[0], body: unknown) {
  return readError(await ask(account, 'POST', `${CONTACTS}/search`, { body }));
}

describe('a search', () => {
  const people = [
    { firstname: 'Ada', city: 'London', annualrevenue: '90', date_of_birth: 'long ago' },
    { firstname: 'Bob', city: 'New London', annualrevenue: '1000' },
    { firstname: 'Cyd', city: 'Rome' },
  ];

  async function startSmall() {
    const account = await startAccount({ contacts: 0 });
    for (const values of people) await edit(account, { action: 'create', values });
    return account;
  }

  const names = ({ results }: Awaited<ReturnType<typeof search>>) =>
    results.map(({ properties }) => properties['firstname']);

  it.each([
    [filter('city', 'EQ', 'LONDON'), ['Ada']],
    [filter('city', 'NEQ', 'london'), ['Bob', 'Cyd']],
    [filter('annualrevenue', 'GT', '90'), ['Bob']],
    [filter('annualrevenue', 'GTE', '90'), ['Ada', 'Bob']],
    [filter('annualrevenue', 'LT', '1000'), ['Ada']],
    [filter('annualrevenue', 'LTE', '1000'), ['Ada', 'Bob']],
    [{ ...filter('annualrevenue', 'BETWEEN', '80'), highValue: '100' }, ['Ada']],
    [{ ...filter('city', 'IN'), values: ['rome', 'london'] }, ['Ada', 'Cyd']],
    [{ ...filter('city', 'NOT_IN'), values: ['rome', 'london'] }, ['Bob']],
    [filter('annualrevenue', 'HAS_PROPERTY'), ['Ada', 'Bob']],
    [filter('annualrevenue', 'NOT_HAS_PROPERTY'), ['Cyd']],
    [filter('city', 'CONTAINS_TOKEN', 'london'), ['Ada', 'Bob']],
    [filter('city', 'CONTAINS_TOKEN', 'lon*'), ['Ada', 'Bob']],
    [filter('city', 'CONTAINS_TOKEN', 'lon'), []],
    [filter('city', 'NOT_CONTAINS_TOKEN', 'new'), ['Ada', 'Cyd']],
  ])('finds by %j', async (condition, expected) => {
    const account = await startSmall();
    const found = await search(account, only(condition));
    expect(names(found)).toEqual(expected);
    expect(found.total).toBe(expected.length);
  });

  it('needs all of a group and one of the groups', async () => {
    const account = await startSmall();
    const found = await search(account, {
      filterGroups: [
        {
          filters: [
            filter('city', 'CONTAINS_TOKEN', 'london'),
            filter('annualrevenue', 'LT', '95'),
          ],
        },
        { filters: [filter('firstname', 'EQ', 'cyd')] },
      ],
    });
    expect(names(found)).toEqual(['Ada', 'Cyd']);
  });

  it('finds by the beginnings of words', async () => {
    const account = await startSmall();
    expect(names(await search(account, { query: 'bo' }))).toEqual(['Bob']);
    expect(names(await search(account, { query: 'ob' }))).toEqual([]);
  });

  it('sorts by a property, one way or the other', async () => {
    const account = await startSmall();
    const sorted = (sort: unknown) => search(account, { sorts: [sort] });
    expect(names(await sorted('-firstname'))).toEqual(['Cyd', 'Bob', 'Ada']);
    expect(names(await sorted({ propertyName: 'annualrevenue', direction: 'DESCENDING' }))).toEqual(
      ['Bob', 'Ada', 'Cyd'],
    );
  });

  it('leaves out values that were cleared, archived contacts and the losers of merges', async () => {
    const account = await startSmall();
    const { results } = await search(account, {});
    const [ada = '', bob = '', cyd = ''] = results.map(({ id }) => id);
    await edit(account, { action: 'update', id: ada, values: { city: '' } });
    expect(names(await search(account, only(filter('city', 'HAS_PROPERTY'))))).toEqual([
      'Bob',
      'Cyd',
    ]);
    await edit(account, { action: 'archive', id: ada });
    await edit(account, { action: 'merge', primaryId: bob, otherId: cyd });
    expect(names(await search(account, {}))).toEqual(['Bob']);
  });

  it('goes through everything by time and number, in the order of the numbers', async () => {
    const account = await startAccount({ contacts: 500 });
    const seen: string[] = [];
    for (let last = '0'; seen.length < 500; last = seen.at(-1) ?? '') {
      const found = await search(account, {
        ...only(filter('lastmodifieddate', 'GTE', '0'), filter('hs_object_id', 'GT', last)),
        sorts: [{ propertyName: 'hs_object_id', direction: 'ASCENDING' }],
      });
      expect(found.total).toBe(500 - seen.length);
      expect(found.results.length).toBeGreaterThan(0);
      seen.push(...found.results.map(({ id }) => id));
    }
    expect(new Set(seen).size).toBe(500);
    expect(seen.map(Number)).toEqual(seen.map(Number).sort((a, b) => a - b));
  });

  it('gives what is not sorted in the order of its age, which is not that of the numbers', async () => {
    const clock = aClock();
    const account = await startAccount({ contacts: 0, clock: clock.read });
    const ids: string[] = [];
    for (const { city: _, ...values } of people) {
      ids.push(await edit(account, { action: 'create', values }));
      clock.advance(1_000);
    }
    const [ada = '', bob = '', cyd = ''] = ids;
    const merged = await edit(account, { action: 'merge', primaryId: ada, otherId: bob });
    clock.advance(60_000);
    const { results } = await search(account, {});
    expect(results.map(({ id }) => id)).toEqual([merged, cyd]);
  });

  it('pages by counting', async () => {
    const account = await startAccount();
    const first = await search(account, { limit: 15 });
    expect(first.paging?.next.after).toBe('15');
    const second = await search(account, { limit: 15, after: '15' });
    expect(second).toMatchObject({ total: 20 });
    expect(second.results).toHaveLength(5);
    expect(second.paging).toBeUndefined();
  });
});

describe('the index of searches', () => {
  it('sees changes, new contacts and archived ones only after a while', async () => {
    const clock = aClock();
    const account = await startAccount({ clock: clock.read, searchLagMs: 5000 });
    const [id = '', gone = ''] = await contactIds(account, 2);
    const inRome = only(filter('city', 'EQ', 'Rome'));
    await edit(account, { action: 'update', id, values: { city: 'Rome' } });
    await edit(account, { action: 'create', values: { firstname: 'New', city: 'Rome' } });
    await edit(account, { action: 'archive', id: gone });
    clock.advance(4999);
    expect(await search(account, inRome)).toMatchObject({ total: 0 });
    expect(await search(account, {})).toMatchObject({ total: 20 });
    expect(await search(account, only(filter('hs_object_id', 'EQ', gone)))).toMatchObject({
      total: 1,
    });
    clock.advance(1);
    expect(await search(account, inRome)).toMatchObject({ total: 2 });
    expect(await search(account, only(filter('hs_object_id', 'EQ', gone)))).toMatchObject({
      total: 0,
    });
  });

  it('shows each of several changes in its turn', async () => {
    const clock = aClock();
    const account = await startAccount({ clock: clock.read, searchLagMs: 5000 });
    const [id = ''] = await contactIds(account, 1);
    const city = async () => {
      const found = await search(account, {
        ...only(filter('hs_object_id', 'EQ', id)),
        properties: ['city'],
      });
      return found.results[0]?.properties['city'];
    };
    for (const name of ['Rome', 'Bonn']) {
      await edit(account, { action: 'update', id, values: { city: name } });
      clock.advance(3000);
    }
    expect(await city()).toBe('Rome');
    clock.advance(3000);
    expect(await city()).toBe('Bonn');
  });

  it('shows a contact as it was before all of its changes, value by value', async () => {
    const clock = aClock();
    const account = await startAccount({ contacts: 0, clock: clock.read, searchLagMs: 5000 });
    const begun = { email: 'ada@example.org', city: 'London' };
    const id = await edit(account, { action: 'create', values: begun });
    clock.advance(5000);
    const find = (email: string) =>
      search(account, {
        ...only(filter('email', 'EQ', email)),
        properties: ['city', 'industry', 'email'],
      });
    const before = await find('ada@example.org');
    for (const values of [
      { city: 'Rome', email: 'ada@example.com' },
      { city: 'Bonn', industry: 'Food' },
      { city: '', email: '' },
    ]) {
      await edit(account, { action: 'update', id, values });
    }
    clock.advance(4999);
    expect(before.results[0]?.properties).toMatchObject({ ...begun, industry: null });
    expect(await find('ada@example.org')).toEqual(before);
    clock.advance(1);
    expect(await find('ada@example.org')).toMatchObject({ total: 0 });
    expect(await search(account, only(filter('industry', 'EQ', 'food')))).toMatchObject({
      total: 1,
    });
  });
});

describe('a search that asks too much', () => {
  const one = filter('city', 'EQ', 'x');

  it.each([
    ['six groups', { filterGroups: Array(6).fill({ filters: [one] }) }],
    ['seven filters in a group', { filterGroups: [{ filters: Array(7).fill(one) }] }],
    [
      'nineteen filters',
      { filterGroups: [...Array(3).fill({ filters: Array(6).fill(one) }), { filters: [one] }] },
    ],
    ['two sorts', { sorts: ['city', 'state'] }],
    ['a page of 201', { limit: 201 }],
    ['results beyond the ten thousandth', { limit: 200, after: '9900' }],
    ['a body of more than 3,000 characters', only(filter('city', 'EQ', 'x'.repeat(3000)))],
    ['an operator that does not exist', only(filter('city', 'LIKE', 'x'))],
    ['EQ without a value', only(filter('city', 'EQ'))],
    ['BETWEEN without a highValue', only(filter('annualrevenue', 'BETWEEN', '1'))],
    ['IN without values', only(filter('city', 'IN'))],
    ['a number that is none', only(filter('annualrevenue', 'GT', 'many'))],
  ])('is refused: %s', async (_what, body) => {
    const account = await startAccount();
    expect(await refusal(account, body)).toMatchObject({
      status: 400,
      category: 'VALIDATION_ERROR',
    });
  });

  it.each([
    ['in a filter', only(filter('nope', 'EQ', 'x'))],
    ['in the sort', { sorts: ['nope'] }],
  ])('hears nothing of why, where it names a property %s that does not exist', async (_, body) => {
    const account = await startAccount();
    const refused = await ask(account, 'POST', `${CONTACTS}/search`, { body });
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({
      status: 'error',
      message: 'There was a problem with the request.',
      correlationId: expect.any(String),
    });
  });

  it('is allowed up to the last of the ten thousand results', async () => {
    const account = await startAccount();
    expect(await search(account, { limit: 200, after: '9800' })).toMatchObject({ results: [] });
  });
});

describe('a record that reaches the index late', () => {
  it('is found as it was before, and later as it is', async () => {
    const clock = aClock();
    const account = await startAccount({ clock: clock.read });
    const [late = '', other = ''] = await contactIds(account, 2);
    await control(account, 'PUT', '/search-lag', { ids: [late], lagMs: 3_600_000 });
    for (const id of [late, other]) {
      await edit(account, { action: 'update', id, values: { city: 'Rome' } });
    }
    const born = await edit(account, {
      action: 'create',
      values: { firstname: 'New', city: 'Rome' },
    });
    const inRome = async () => {
      const { results } = await search(account, only(filter('city', 'EQ', 'Rome')));
      return results.map(({ id }) => id).sort();
    };
    expect(await inRome()).toEqual([other, born].sort());
    clock.advance(3_600_001);
    expect(await inRome()).toEqual([late, other, born].sort());
  });
});

describe('a search of companies', () => {
  it('finds them by their own time of change', async () => {
    const account = await startAccount();
    const all = only(filter('hs_lastmodifieddate', 'GTE', '0'));
    const found = await search(account, all, 'companies');
    const listed = await ask(account, 'GET', '/crm/objects/2026-09/companies?limit=100');
    expect(found.total).toBe(readResults(listed).results.length);
    expect(found.total).toBeGreaterThan(0);
  });
});
