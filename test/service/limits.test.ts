import { describe, expect, it } from 'vitest';
import { aClock } from '../testbed/a-clock.ts';
import { ask, issueKey, readLedger, startPartner, strangers } from './partner.ts';

async function statuses(count: number, request: () => Promise<{ status: number }>) {
  const answers = await Promise.all(Array.from({ length: count }, request));
  return answers.map(({ status }) => status).sort();
}

describe('the rate limit (section 8)', () => {
  it('lets ten requests through at once, then ten a second', async () => {
    const clock = aClock();
    const partner = await startPartner({ rate: 10, burst: 10, clock: clock.read });
    const credits = () => ask(partner, 'GET', '/credits');

    expect(await statuses(12, credits)).toEqual([...Array(10).fill(200), 429, 429]);
    clock.advance(100);
    expect(await statuses(2, credits)).toEqual([200, 429]);
    clock.advance(60_000);
    expect(await statuses(11, credits)).toEqual([...Array(10).fill(200), 429]);
  });

  it('answers 429 with a detail and whole seconds to wait', async () => {
    const partner = await startPartner({ rate: 0.4, burst: 1, clock: aClock().read });
    await ask(partner, 'GET', '/credits');
    const { status, headers, body } = await ask(partner, 'GET', '/credits');
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('3');
    expect(body).toEqual({ detail: expect.any(String) });
  });

  it('leaves Retry-After out when that is switched off', async () => {
    const partner = await startPartner({
      rate: 1,
      burst: 1,
      retryAfter: false,
      clock: aClock().read,
    });
    await ask(partner, 'GET', '/credits');
    const { status, headers } = await ask(partner, 'GET', '/credits');
    expect(status).toBe(429);
    expect(headers.has('retry-after')).toBe(false);
  });

  it('counts each key for itself', async () => {
    const partner = await startPartner({ rate: 1, burst: 1, clock: aClock().read });
    const { apiKey } = await issueKey(partner, {});
    expect((await ask(partner, 'GET', '/credits')).status).toBe(200);
    expect((await ask(partner, 'GET', '/credits', undefined, apiKey)).status).toBe(200);
  });

  it('charges nothing for a request that it holds back', async () => {
    const partner = await startPartner({ rate: 1, burst: 1, clock: aClock().read });
    await ask(partner, 'GET', '/credits');
    const answer = await ask(partner, 'POST', '/enhancements', { persons: strangers(1) });
    expect(answer.status).toBe(429);
    expect(await readLedger(partner)).toEqual([]);
  });
});
