import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isoTime } from '../../../src/core/clock.ts';
import { openDatabase } from '../../../src/database/database.ts';
import type { SubmissionState } from '../../../src/database/tables/credits.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { clockWithinADay } from '../../helpers/within-a-day.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);
const clock = clockWithinADay();
const month = isoTime(clock.now()).slice(0, 7);

interface Submission {
  integration: 'riverside' | 'harbor';
  state: SubmissionState;
  at: number;
  charged?: number;
  balance?: number;
}

/** Submits contacts with the key that both clients use. */
async function submit(
  { application, folder }: HttpWorld,
  submissions: readonly Submission[],
): Promise<void> {
  const [client] = application.select(['riverside']);
  if (client === undefined) throw new Error('riverside is not there');
  const open = await application.open(client, new AbortController().signal);
  await open.close();
  const { db, close } = await openDatabase<Tables>(`sqlite:${folder}/store.db`);
  const rows = submissions.map(({ integration, state, at, charged, balance }, index) => ({
    id: `submission-${index}`,
    integration_id: integration,
    run_id: 'run',
    partner_key: open.partnerKey,
    slot: index + 1,
    mapping: 'mapping',
    state,
    persons: 10,
    charged: charged ?? null,
    balance_before: balance ?? 1_000,
    intended_at: at,
  }));
  await db.insertInto('submissions').values(rows).execute().finally(close);
}

describe('GET /v1/credits/keys', () => {
  const schema = z.strictObject({
    keys: z.array(
      z.strictObject({
        integrations: z.array(z.looseObject({ integration: z.string() })),
        buckets: z.record(z.string(), z.int()),
        openSubmission: z.looseObject({ integration: z.string() }).nullable(),
        openSubmissions: z.array(z.looseObject({ integration: z.string() })),
      }),
    ),
  });

  it('returns what the terminal prints with --json, of the clients that are named', async () => {
    const world = await open({ isIdle: true, clock, others: ['harbor'] });
    const token = await world.addToken('viewer');
    const all = (await world.request('/v1/credits/keys', { token })).read(schema);
    expect(all.keys).toMatchObject([
      {
        integrations: [
          { integration: 'riverside', spentThisMonth: { enhancements: 0, networks: 0 } },
          { integration: 'harbor' },
        ],
        buckets: { enhancements: 100_000 },
        openSubmission: null,
      },
    ]);
    const one = await world.request('/v1/credits/keys?integrations=harbor', { token });
    expect(one.read(schema).keys).toMatchObject([{ integrations: [{ integration: 'harbor' }] }]);
    const unknown = await world.request('/v1/credits/keys?integrations=nobody', { token });
    expect(unknown.status).toBe(404);
  });

  it('shows submissions that are not settled to those who have access to their clients', async () => {
    const world = await open({ isIdle: true, clock, others: ['harbor'] });
    const at = clock.now() - 60_000;
    await submit(world, [
      { integration: 'riverside', state: 'intended', at },
      { integration: 'harbor', state: 'lost', at },
    ]);
    const names = async (token: string) =>
      (await world.request('/v1/credits/keys', { token }))
        .read(schema)
        .keys.flatMap((key) => key.openSubmissions.map(({ integration }) => integration));
    expect(await names(await world.addToken('viewer'))).toEqual(['riverside', 'harbor']);
    expect(await names(await world.addToken('viewer', ['harbor']))).toEqual(['harbor']);
  });

  it('says of a key that the service refuses what the terminal says', async () => {
    const world = await open({ isIdle: true, clock, apiKey: 'no-key-of-the-service' });
    const token = await world.addToken('viewer');
    const { status, read } = await world.request('/v1/credits/keys', { token });
    expect(status).toBe(422);
    expect(read(errorSchema).error.code).toBe('partner_key_rejected');
  });
});

describe('GET /v1/credits/bill', () => {
  it('is a file, or a document for a caller who accepts only that', async () => {
    const world = await open({ isIdle: true, clock });
    const token = await world.addToken('viewer');
    const path = `/v1/credits/bill?month=${month}`;
    const file = await world.request(path, { token });
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(file.headers.get('content-disposition')).toContain(`credits-${month}.csv`);
    expect(file.text).toContain('Month,Client,Name,Enhancements');
    const headers = { accept: 'application/json' };
    const document = await world.request(path, { token, headers });
    expect(document.read(z.unknown())).toEqual({ month, clients: [] });
    const wrong = await world.request('/v1/credits/bill?month=2026-13', { token });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('Enter the month as a year and a number, such as 2026-11.');
  });
});

describe('GET /v1/credits/reconciliations/{month}', () => {
  it('compares what was charged with what the balance lost', async () => {
    const world = await open({ isIdle: true, clock });
    await submit(world, [
      {
        integration: 'riverside',
        state: 'charged',
        at: Date.UTC(2026, 9, 5),
        charged: 5,
        balance: 100,
      },
      {
        integration: 'riverside',
        state: 'charged',
        at: Date.UTC(2026, 10, 1),
        charged: 1,
        balance: 93,
      },
    ]);
    const token = await world.addToken('viewer');
    const october = await world.request('/v1/credits/reconciliations/2026-10', { token });
    expect(october.read(z.unknown())).toEqual({
      month: '2026-10',
      keys: [
        {
          integrations: ['riverside'],
          charged: 5,
          unsettled: 0,
          reasons: {},
          balanceBefore: 100,
          balanceAfter: 93,
          lost: 7,
          foreign: 2,
        },
      ],
    });
    const never = await world.request('/v1/credits/reconciliations/2020-01', { token });
    expect(never.read(z.unknown())).toEqual({ month: '2020-01', keys: [] });
    const wrong = await world.request('/v1/credits/reconciliations/2026-13', { token });
    expect(wrong.status).toBe(422);
  });
});
