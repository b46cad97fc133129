/**
 * Tests the results of a month. The tests check the counts, the data that a viewer must not learn, and the data that
 * remains after an erasure.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  listMonths,
  readMonth,
  storePastMonths,
} from '../../../src/clients/results/month-results.ts';
import { CAPACITY_BANDS } from '../../../src/core/capacity.ts';
import { formatCount } from '../../../src/core/quantities.ts';
import { addQueryCost, toDay, toMonth } from '../../../src/credits/statements/credit-spans.ts';
import { monthResultsSealContext } from '../../../src/database/encryption/seal-contexts.ts';
import type { Database } from '../../../src/database/tables/tables.ts';
import { decryptProfile } from '../../../src/fields/kept-profile.ts';
import { dropMonthsOf } from '../../../src/privacy/statements/drop-months.ts';
import { eraseRows } from '../../../src/privacy/statements/erase-rows.ts';
import type { Store } from '../../../src/store.ts';
import { type NetworkHttpWorld, openNetworkWorld } from '../../browser/network-world.ts';
import { withDatabase } from '../../browser/rooms.ts';

let world: NetworkHttpWorld;
let reader = '';
let viewer = '';

beforeAll(async () => {
  world = await openNetworkWorld({
    others: ['harbor'],
    settings: {
      credits: {
        price: {
          enhancements: { amount: 0.5, currency: 'USD' },
          networks: { amount: 1, currency: 'USD' },
        },
      },
    },
  });
  reader = await world.addToken('reader');
  viewer = await world.addToken('viewer');
});
afterAll(() => world.close());

const people = z.number().nullable();
const resultsSchema = z.object({
  results: z.object({
    month: z.string(),
    isExact: z.boolean(),
    total: z.number(),
    clients: z.array(
      z.object({
        integration: z.string(),
        sent: z.number(),
        matched: z.number(),
        isKept: z.boolean(),
        bands: z.array(z.object({ band: z.string(), contacts: people })),
        unknown: people,
        millionaires: people,
        introductions: z.number(),
        decisions: z.number(),
        credits: z.object({ enhancements: z.number(), networks: z.number(), queries: z.number() }),
        cost: z.array(z.object({ amount: z.number(), currency: z.string() })).nullable(),
      }),
    ),
  }),
});

async function ask(query = 'integration=riverside', token = reader) {
  const answer = await world.request(`/v1/results?${query}`, { token });
  expect(answer.status, answer.text).toBe(200);
  return answer.read(resultsSchema).results;
}

async function askOne(query?: string, token?: string) {
  const [client] = (await ask(query, token)).clients;
  if (client === undefined) throw new Error('no client');
  return client;
}

/** Counts the data in the stored profiles themselves, decrypted one by one. */
async function countProfiles() {
  const { reader: database } = world.application.store;
  const kept = await database
    .selectFrom('kept_profiles')
    .selectAll()
    .where('integration_id', '=', 'riverside')
    .where('is_delivered', '=', 1)
    .execute();
  const profiles = kept.map((row) =>
    decryptProfile(world.application, {
      ...{ integrationId: row.integration_id, crmId: row.crm_id },
      ...{ key: row.key, profile: row.profile },
    }),
  );
  const alive = profiles.filter(({ isDeceased }) => !isDeceased);
  const bands = CAPACITY_BANDS.map(() => 0);
  let unknown = 0;
  for (const { capacity } of alive) {
    const known = [capacity.political, capacity.nonprofit].flatMap((amount) => amount ?? []);
    const index = CAPACITY_BANDS.findIndex(({ from }) => from <= Math.max(...known));
    if (known.length === 0) unknown += 1;
    else bands[index] = (bands[index] ?? 0) + 1;
  }
  const millionaires = alive.filter(({ netWorth }) => (netWorth?.low ?? 0) >= 1_000_000).length;
  return { bands, unknown, millionaires };
}

describe('the results of a month', () => {
  it('count each profile once in its band, the matches, the new introductions, the credits and their cost', async () => {
    const { bands, unknown, millionaires, ...rest } = await askOne();
    const counted = await countProfiles();
    expect(bands.map(({ contacts }) => contacts)).toEqual(counted.bands);
    expect({ unknown, millionaires }).toEqual({
      unknown: counted.unknown,
      millionaires: counted.millionaires,
    });
    expect(counted.bands.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(20);
    expect(rest.sent).toBe(80);
    expect(rest.matched).toBeLessThanOrEqual(rest.sent);
    expect(rest.introductions).toBeGreaterThan(0);
    const { enhancements, networks } = rest.credits;
    expect(enhancements).toBeGreaterThan(0);
    const amount = enhancements * 0.5 + networks;
    expect(rest.cost).toEqual([{ amount, currency: 'USD' }]);
  });

  it('count the credits for queries about connections, and have no cost while their price is not known', async () => {
    const before = await askOne();
    const { store } = world.application;
    const at = world.clock.now();
    await store.act((trx) => addQueryCost(trx, 'riverside', { credits: 7, at }));
    const { credits, cost } = await askOne();
    expect(credits).toEqual({ ...before.credits, queries: before.credits.queries + 7 });
    expect(cost).toBeNull();
    const page = await world.request('/results?client=riverside', { token: reader });
    expect(page.text).toContain(`${formatCount(credits.queries)} for queries`);
    expect(page.text).toContain('Not known.');
    await store.act((trx) => addQueryCost(trx, 'riverside', { credits: -7, at }));
  });

  it('add up on the page to the matched contacts, even if a profile is not counted in a band', async () => {
    const { crm_id: held } = await world.application.store.reader
      .selectFrom('kept_profiles')
      .select('crm_id')
      .where('is_delivered', '=', 1)
      .executeTakeFirstOrThrow();
    const setState = (state: 'held' | 'settled') =>
      withDatabase(world, (db) =>
        db.updateTable('contacts').set({ state }).where('crm_id', '=', held).execute(),
      );
    const { state } = await world.application.store.reader
      .selectFrom('contacts')
      .select('state')
      .where('crm_id', '=', held)
      .executeTakeFirstOrThrow();
    expect(state).toBe('settled');
    await setState('held');
    try {
      const { matched } = await askOne();
      const { text } = await world.request('/results?client=riverside', { token: reader });
      const [, table = ''] = text.split('id="bands-riverside"');
      const numbers = [...table.matchAll(/<td class="number[^"]*">(\d+)</g)].map(([, n]) =>
        Number(n),
      );
      expect(numbers.reduce((sum, one) => sum + one, 0)).toBe(matched);
      expect(text).toContain('Not known includes');
      const hidden = await world.request('/results?client=riverside', { token: viewer });
      expect(hidden.text).not.toContain('Not known includes');
    } finally {
      await setState('settled');
    }
  });

  it('say on the page how many credits were for networks, the price of a credit, and that no month is earlier', async () => {
    const { credits } = await askOne();
    const { text } = await world.request('/results?client=riverside', { token: reader });
    expect(credits.networks).toBeGreaterThan(0);
    expect(text).toContain(`, of which ${credits.networks} for networks`);
    expect(text).toContain('$0.50 a credit, $1.00 for networks');
    expect(text).toContain('There are no earlier months.');
  });

  it('tell a viewer nothing about a few people, and no exact number of people', async () => {
    const seen = await askOne('integration=riverside', viewer);
    const exact = await askOne();
    for (const [index, { contacts }] of seen.bands.entries()) {
      const real = exact.bands[index]?.contacts ?? 0;
      expect(contacts).toBe(real < 5 ? null : real - (real % 5));
    }
    const page = await world.request('/results?client=riverside', { token: viewer });
    expect(page.text).toContain('fewer than 5');
    expect(page.text).not.toContain('class="number zero"');
    expect((await world.request('/results', { token: reader })).text).not.toContain('fewer than');
  });

  it('show a client without access as unknown, and not in the list', async () => {
    const elsewhere = await world.addToken('reader', ['harbor']);
    expect((await ask('', elsewhere)).clients.map(({ integration }) => integration)).toEqual([
      'harbor',
    ]);
    const path = '/v1/results?integration=riverside';
    expect((await world.request(path, { token: elsewhere })).status).toBe(404);
  });

  it('of a month before the first run are all 0', async () => {
    expect(await askOne('integration=riverside&month=2020-01')).toMatchObject({
      ...{ sent: 0, matched: 0, unknown: 0, millionaires: 0, introductions: 0, decisions: 0 },
    });
  });

  it('leave no band and no amount in the database in clear, and no length that shows one', async () => {
    const lengths = new Set<number>();
    await withDatabase(world, async (db) => {
      const rows = await db.selectFrom('kept_profiles').select('key').execute();
      for (const { key } of rows) lengths.add(key.length);
    });
    expect(lengths.size).toBe(1);
  });
});

describe('a month that is over', () => {
  const DAY_MS = 86_400_000;

  /** Moves the runs and their profiles into the past, as if a month had passed, and adds a run from today. */
  async function age(db: Database, days: number): Promise<void> {
    const ms = days * DAY_MS;
    const [run] = await db
      .selectFrom('runs')
      .selectAll()
      .where('integration_id', '=', 'riverside')
      .execute();
    if (run === undefined) throw new Error('no run');
    await db
      .updateTable('runs')
      .set((eb) => ({ started_at: eb('started_at', '-', ms) }))
      .where('id', '=', run.id)
      .execute();
    await db
      .insertInto('runs')
      .values({ ...run, id: `${run.id}-later`, submitted_count: 0, enhanced_count: 0 })
      .execute();
    await db
      .updateTable('kept_profiles')
      .set((eb) => ({ kept_at: eb('kept_at', '-', ms) }))
      .execute();
    await db
      .updateTable('jobs')
      .set((eb) => ({ submitted_at: eb('submitted_at', '-', ms) }))
      .execute();
    await db
      .updateTable('warm_paths')
      .set((eb) => ({ found_at: eb('found_at', '-', ms) }))
      .execute();
  }

  it('is stored encrypted, and stays as it was when its profiles are purged; an erasure drops it', async () => {
    const { store, sealer } = world.application;
    const before = await askOne();
    await withDatabase(world, (db) => age(db, 45));
    const month = toMonth(toDay(world.clock.now() - 45 * DAY_MS));
    const past = `integration=riverside&month=${month}`;
    const added = await askOne(past);
    expect(added.bands).toEqual(before.bands);
    const deps = { store, sealer, clock: world.clock };
    expect(await storePastMonths(deps, 'riverside', 365)).toBeGreaterThan(0);
    expect(await storePastMonths(deps, 'riverside', 365)).toBe(0);
    await withDatabase(world, async (db) => {
      const [stored] = await db
        .selectFrom('month_results')
        .selectAll()
        .where('month', '=', month)
        .execute();
      expect(stored?.results).not.toMatch(/bands|sent|\d{2},/);
      await db
        .updateTable('kept_profiles')
        .set({ key: '' })
        .where('crm_id', '<>', world.people[20] ?? '')
        .execute();
    });
    expect(await askOne(past)).toEqual(added);
    const [erased = ''] = world.people.slice(-1);
    await store.act((trx) => eraseRows(trx, 'riverside', [erased], world.clock.now()));
    await withDatabase(world, async (db) => {
      expect(await db.selectFrom('month_results').select('month').execute()).toEqual([]);
    });
  });

  it('is not known once an erasure has dropped it and its profiles may be gone, and never 0 for good', async () => {
    const { store, sealer } = world.application;
    const { clock } = world;
    const month = toMonth(toDay(clock.now() - 45 * DAY_MS));
    const unknown = { bands: null, unknown: null, millionaires: null };
    const reading = { reader: store.reader, sealer, clock };
    expect(await readMonth(reading, 'riverside', month, 40)).toMatchObject(unknown);
    const before = await readMonth(reading, 'riverside', month, 365);
    expect(before.bands).not.toBeNull();
    await storePastMonths({ store, sealer, clock }, 'riverside', 40);
    expect(await readMonth(reading, 'riverside', month, 365)).toMatchObject(unknown);
    const past = `integration=riverside&month=${month}`;
    const shown = await askOne(past);
    expect(shown).toMatchObject({ isKept: false, unknown: null, sent: before.sent });
    expect(shown.bands.every(({ contacts }) => contacts === null)).toBe(true);
    const page = await world.request(`/results?client=riverside&month=${month}`, { token: viewer });
    expect(page.text).toContain('not all profiles of this month are kept any more');
    expect(page.text).not.toContain('fewer than 5');
    await withDatabase(world, (db) => db.deleteFrom('month_results').execute());
  });

  it('is not stored if a profile is deleted while it is added up, and is stored the next time', async () => {
    const { store, sealer } = world.application;
    const [person = ''] = world.people.slice(20);
    const between: Pick<Store, 'reader' | 'act'> = {
      reader: store.reader,
      act: async (work) => {
        await store.act((trx) => dropMonthsOf(trx, 'riverside', [person]));
        return store.act(work);
      },
    };
    const stored = () => store.reader.selectFrom('month_results').select('month').execute();
    const deps = { sealer, clock: world.clock };
    await storePastMonths({ ...deps, store: between }, 'riverside', 365);
    const month = toMonth(toDay(world.clock.now() - 45 * DAY_MS));
    expect((await stored()).map((each) => each.month)).not.toContain(month);
    await storePastMonths({ ...deps, store }, 'riverside', 365);
    expect((await stored()).map((each) => each.month)).toContain(month);
  });

  it('is added up again after a process was stopped while it added it up', async () => {
    const { store, sealer } = world.application;
    const { clock } = world;
    await withDatabase(world, (db) => db.deleteFrom('month_results').execute());
    const month = toMonth(toDay(clock.now() - 45 * DAY_MS));
    const past = `integration=riverside&month=${month}`;
    const before = await askOne(past);
    const mark = sealer.seal('null', monthResultsSealContext('riverside', month));
    await withDatabase(world, (db) =>
      db
        .insertInto('month_results')
        .values({ integration_id: 'riverside', month, results: mark })
        .execute(),
    );
    expect(await askOne(past)).toEqual(before);
    expect(await storePastMonths({ store, sealer, clock }, 'riverside', 365)).toBeGreaterThan(0);
    expect(await askOne(past)).toEqual(before);
  });

  it('is dropped by an erasure if the person counts only as a new introduction', async () => {
    const { store, sealer } = world.application;
    const month = '2026-03';
    const { crm_id: introduced } = await store.reader
      .selectFrom('warm_paths')
      .select('crm_id')
      .where('found_at', 'is not', null)
      .executeTakeFirstOrThrow();
    const results = sealer.seal('null', monthResultsSealContext('riverside', month));
    await withDatabase(world, async (db) => {
      await db
        .insertInto('month_results')
        .values({ integration_id: 'riverside', month, results })
        .execute();
      await db
        .updateTable('warm_paths')
        .set({ found_at: Date.parse(`${month}-10T00:00:00Z`) })
        .where('crm_id', '=', introduced)
        .execute();
    });
    await store.act((trx) => dropMonthsOf(trx, 'riverside', [introduced]));
    const left = await store.reader.selectFrom('month_results').select('month').execute();
    expect(left.map((each) => each.month)).not.toContain(month);
  });

  it('is stored at the end of a run, before the run deletes profiles', async () => {
    await withDatabase(world, (db) => db.deleteFrom('month_results').execute());
    const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await world.untilEnded(runId);
    const month = toMonth(toDay(world.clock.now() - 45 * DAY_MS));
    await withDatabase(world, async (db) => {
      const months = await db.selectFrom('month_results').select('month').execute();
      expect(months.map((each) => each.month)).toContain(month);
    });
  });

  it('ends with the last run, so a clock that is ahead ends none too early', () => {
    const at = (text: string) => Date.parse(`${text}T00:00:00Z`);
    expect(listMonths(at('2026-09-20'), at('2026-11-30'))).toEqual(['2026-09', '2026-10']);
    expect(listMonths(at('2026-12-20'), at('2027-01-01'))).toEqual(['2026-12']);
    expect(listMonths(at('2026-12-20'), at('2026-12-31'))).toEqual([]);
  });
});

describe('with profiles that are not kept', () => {
  it('numbers of people are not known, and not 0', async () => {
    const poor = await openNetworkWorld({ settings: { retention: { profiles: 0 } } });
    try {
      const token = await poor.addToken('reader');
      const answer = await poor.request('/v1/results?integration=riverside', { token });
      const [client] = answer.read(resultsSchema).results.clients;
      expect(client).toMatchObject({ isKept: false, unknown: null, millionaires: null, sent: 80 });
      const page = await poor.request('/results?client=riverside', { token });
      expect(page.text).toContain('not all profiles of this month are kept any more');
    } finally {
      await poor.close();
    }
  });
});
