import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld } from '../../people/world.ts';
import { control } from '../testbed/asking.ts';
import {
  ask,
  enhancementCredits,
  issueKey,
  jobIdsIn,
  readLedger,
  startPartner,
  strangers,
} from './partner.ts';

const PARALLEL_REQUESTS = 32;

describe('charging (section 4.5)', () => {
  it('takes one credit for each person, from the enhancements bucket alone', async () => {
    const partner = await startPartner({ credits: 10 });
    await ask(partner, 'POST', '/enhancements', { persons: strangers(4) });
    expect((await ask(partner, 'GET', '/credits')).body).toEqual({
      donors: 10,
      enhancements: 6,
      exports: 10,
      lists: 10,
      networks: 10,
      searches: 10,
    });
    expect(await readLedger(partner)).toEqual([
      expect.objectContaining({
        kind: 'charge',
        key: partner.apiKey,
        team: 'team-default',
        bucket: 'enhancements',
        amount: 4,
        what: 'POST /v1/partners/enhancements',
      }),
    ]);
  });

  it('processes from the front as many persons as the balance allows', async () => {
    const partner = await startPartner({ credits: 3 });
    const { status, body } = await ask(partner, 'POST', '/enhancements', { persons: strangers(5) });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      meta: {
        requested: 5,
        processed: 3,
        partial: true,
        partial_reason: 'insufficient_credits',
      },
    });
    expect(Object.keys(jobIdsIn(body))).toEqual(['p0', 'p1', 'p2']);
    expect(await enhancementCredits(partner)).toBe(0);
  });

  it('does not speak of a partial request when all persons are processed', async () => {
    const partner = await startPartner({ credits: 5 });
    const { body } = await ask(partner, 'POST', '/enhancements', { persons: strangers(5) });
    expect(body).toMatchObject({ meta: { requested: 5, processed: 5 } });
    expect(JSON.stringify(body)).not.toContain('partial');
  });

  it('answers 402 from an empty bucket, whatever the others hold', async () => {
    const partner = await startPartner();
    const { apiKey } = await issueKey(partner, { credits: { enhancements: 0 } });
    for (const [method, path] of [
      ['POST', '/enhancements'],
      ['PUT', ''],
    ] as const) {
      const answer = await ask(partner, method, path, { persons: strangers(1) }, apiKey);
      expect(answer.status).toBe(402);
      expect(answer.body).toEqual({
        error: 'insufficient_partner_api_credits',
        message: expect.any(String),
        bucket: 'enhancements',
        available_credits: 0,
      });
    }
  });

  it('keeps the free endpoints open when every bucket is empty', async () => {
    const partner = await startPartner({ credits: 0 });
    expect((await ask(partner, 'GET', '/credits')).status).toBe(200);
    const answer = await ask(partner, 'POST', '/enhancements/progress/batch', { job_ids: [] });
    expect(answer.status).toBe(200);
  });

  it.each([
    ['fails validation', { persons: [...strangers(2), {}] }, 422, 3],
    ['is over-size', { persons: strangers(101) }, 400, 101],
  ])('refunds a request that %s', async (_, body, status, amount) => {
    const partner = await startPartner({ credits: 500 });
    expect((await ask(partner, 'POST', '/enhancements', body)).status).toBe(status);
    const lines = await readLedger(partner);
    expect(lines.map((line) => [line.kind, line.amount])).toEqual([
      ['charge', amount],
      ['refund', -amount],
    ]);
    expect(new Set(lines.map((line) => line.requestId)).size).toBe(1);
    expect(await enhancementCredits(partner)).toBe(500);
  });

  it('the service charges a HEAD request in the same way as a GET request', async () => {
    const world = createWorld({ seed: 1, donors: 3 });
    const partner = await startPartner({ world, credits: 1 });
    const path = `/donors/${world.donor(0).id}`;
    expect((await ask(partner, 'HEAD', path)).status).toBe(200);
    expect((await ask(partner, 'HEAD', path)).status).toBe(402);
    expect((await ask(partner, 'GET', path)).status).toBe(402);
    expect((await ask(partner, 'HEAD', '/credits')).status).toBe(200);
  });

  it('keeps the charge for an unknown person', async () => {
    const partner = await startPartner({ credits: 5 });
    await ask(partner, 'POST', '/enhancements', { persons: strangers(2) });
    expect(await enhancementCredits(partner)).toBe(3);
  });

  it('shows the ledger of one key and one bucket', async () => {
    const partner = await startPartner();
    const { apiKey } = await issueKey(partner, {});
    await ask(partner, 'POST', '/enhancements', { persons: strangers(1) });
    await ask(partner, 'POST', '/enhancements', { persons: strangers(2) }, apiKey);
    const amounts = async (query: string) =>
      (await readLedger(partner, query)).map(({ amount }) => amount);
    expect(await amounts(`?key=${apiKey}`)).toEqual([2]);
    expect(await amounts(`?key=${apiKey}&bucket=lists`)).toEqual([]);
    expect(await amounts('?bucket=enhancements')).toEqual([1, 2]);
  });

  it('balances: granted less remaining is the sum of the ledger, however many ask at once', async () => {
    const partner = await startPartner();
    const requests = fc.array(
      fc.record({ count: fc.integer({ min: 1, max: 110 }), isValid: fc.boolean() }),
      { minLength: PARALLEL_REQUESTS, maxLength: PARALLEL_REQUESTS },
    );
    const start = fc.integer({ min: 0, max: 1500 });
    await fc.assert(
      fc.asyncProperty(start, requests, async (enhancements, all) => {
        const { apiKey, team } = await issueKey(partner, { credits: { enhancements } });
        const answers = await Promise.all(
          all.map(({ count, isValid }) =>
            ask(partner, 'POST', '/enhancements', aRequest(count, isValid), apiKey),
          ),
        );

        const processed = answers.reduce((sum, { body }) => sum + processedIn(body), 0);
        const spent = (await readLedger(partner, `?key=${apiKey}`)).reduce(
          (sum, { amount }) => sum + amount,
          0,
        );
        const remaining = await enhancementCredits(partner, apiKey);
        expect(remaining).toBeGreaterThanOrEqual(0);
        expect(spent).toBe(enhancements - remaining);
        expect(spent).toBe(processed);
        expect((await control(partner, 'GET', '/ledger')).body).toMatchObject({
          accounts: expect.arrayContaining([
            { team, bucket: 'enhancements', granted: enhancements, remaining },
          ]),
        });
      }),
      { numRuns: 8 },
    );
  });
});

function aRequest(count: number, isValid: boolean): object {
  return { persons: isValid ? strangers(count) : [...strangers(count - 1), { name: 7 }] };
}

function processedIn(body: unknown): number {
  const accepted = z.object({ meta: z.object({ processed: z.number() }) }).safeParse(body);
  return accepted.data?.meta.processed ?? 0;
}
