import { describe, expect, it } from 'vitest';
import { aClock } from '../testbed/a-clock.ts';
import { control } from '../testbed/asking.ts';
import {
  ask,
  enhancementCredits,
  jobIdsIn,
  playFaults,
  readLedger,
  startPartner,
  strangers,
  submit,
} from './partner.ts';

const SUBMIT = { method: 'POST', path: '/enhancements' };
const CREDITS = { method: 'GET', path: '/credits' };

async function askCredits(partner: Awaited<ReturnType<typeof startPartner>>) {
  return (await ask(partner, 'GET', '/credits')).status;
}

async function submitThree(partner: Awaited<ReturnType<typeof startPartner>>) {
  return ask(partner, 'POST', '/enhancements', { persons: strangers(3) });
}

describe('which requests a rule strikes', () => {
  it.each([
    ['the nth', { nth: 2 }, [200, 500, 200, 200]],
    ['every nth', { every: 2 }, [200, 500, 200, 500]],
    ['so many times', { times: 2 }, [500, 500, 200, 200]],
    ['after so many', { after: 3 }, [200, 200, 200, 500]],
    [
      'every second one after the first, once',
      { after: 1, every: 2, times: 1 },
      [200, 200, 500, 200],
    ],
    ['always by a chance of 1', { probability: 1 }, [500, 500, 500, 500]],
    ['never by a chance of 0', { probability: 0 }, [200, 200, 200, 200]],
  ])('%s', async (_, when, expected) => {
    const partner = await startPartner({
      faults: [{ on: CREDITS, ...when, fault: { kind: 'error' } }],
    });
    const statuses: number[] = [];
    for (const _request of expected) {
      statuses.push(await askCredits(partner));
    }
    expect(statuses).toEqual(expected);
  });

  it('draws its chances from the given randomness', async () => {
    const draws = [0.2, 0.6];
    const partner = await startPartner({
      random: () => draws.shift() ?? 1,
      faults: [{ probability: 0.5, fault: { kind: 'error' } }],
    });
    expect([await askCredits(partner), await askCredits(partner)]).toEqual([500, 200]);
  });

  it('only those of its method and path', async () => {
    const partner = await startPartner({ faults: [{ on: SUBMIT, fault: { kind: 'error' } }] });
    expect(await askCredits(partner)).toBe(200);
    expect((await ask(partner, 'POST', '/enhancements/progress/batch', [])).status).toBe(200);
    expect((await submitThree(partner)).status).toBe(500);
  });

  it.each(['/v1/partners/*/batch', '/enhancements/*', '*batch'])(
    'those of the glob %s',
    async (path) => {
      const partner = await startPartner({ faults: [{ on: { path }, fault: { kind: 'error' } }] });
      expect(await askCredits(partner)).toBe(200);
      expect((await ask(partner, 'POST', '/enhancements/progress/batch', [])).status).toBe(500);
    },
  );

  it('by the first rule that fires', async () => {
    const partner = await startPartner({
      faults: [
        { nth: 1, fault: { kind: 'throttle' } },
        { nth: 2, fault: { kind: 'error' } },
      ],
    });
    const statuses = [
      await askCredits(partner),
      await askCredits(partner),
      await askCredits(partner),
    ];
    expect(statuses).toEqual([429, 500, 200]);
  });
});

describe('PUT /_sandbox/faults', () => {
  it('replaces the rules, also with none', async () => {
    const partner = await startPartner({ faults: [{ fault: { kind: 'error' } }] });
    await playFaults(partner, []);
    expect(await askCredits(partner)).toBe(200);
  });

  it.each([
    [{ fault: 'error' }],
    [[{ fault: { kind: 'meteor' } }]],
    [[{ fault: { kind: 'slow' } }]],
    [[{ nht: 1, fault: { kind: 'error' } }]],
    [[{ nth: 0, fault: { kind: 'error' } }]],
  ])('refuses %j with a reason and keeps the rules in force', async (rules) => {
    const partner = await startPartner({ faults: [{ fault: { kind: 'throttle' } }] });
    const { status, body } = await control(partner, 'PUT', '/faults', rules);
    expect(status).toBe(422);
    expect(body).toEqual({ detail: expect.stringMatching(/\S/) });
    expect(await askCredits(partner)).toBe(429);
  });

  it('refuses to start with rules that make no sense', async () => {
    const start = startPartner({ faults: [{ fault: { kind: 'meteor' } }] });
    await expect(start).rejects.toThrow(/fault rules make no sense[\s\S]*kind/);
  });
});

describe('faults in front of the service', () => {
  it('throttles with and without Retry-After', async () => {
    const partner = await startPartner({
      faults: [
        { nth: 1, fault: { kind: 'throttle', retryAfterSeconds: 7 } },
        { nth: 2, fault: { kind: 'throttle' } },
      ],
    });
    const first = await ask(partner, 'GET', '/credits');
    const second = await ask(partner, 'GET', '/credits');
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '7']);
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, null]);
  });

  it.each([502, 503, 504])('answers %i with a page and charges nothing', async (status) => {
    const partner = await startPartner({
      faults: [{ on: SUBMIT, fault: { kind: 'gatewayError', status } }],
    });
    const answer = await submitThree(partner);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(await readLedger(partner)).toEqual([]);
  });

  it('resets the connection before any work is done', async () => {
    const partner = await startPartner({
      faults: [{ on: SUBMIT, fault: { kind: 'resetBefore' } }],
    });
    await expect(submitThree(partner)).rejects.toThrow();
    expect(await readLedger(partner)).toEqual([]);
  });

  it('tells another time, or none', async () => {
    const partner = await startPartner({
      faults: [
        { nth: 1, fault: { kind: 'date', offsetMs: -3_600_000 } },
        { nth: 2, fault: { kind: 'date' } },
      ],
    });
    const dates: (string | null)[] = [];
    for (let time = 0; time < 3; time++) {
      const { status, headers } = await ask(partner, 'GET', '/credits');
      expect(status).toBe(200);
      dates.push(headers.get('date'));
    }
    const [wrong, none, right] = dates.map((date) => (date === null ? null : Date.parse(date)));
    expect(none).toBeNull();
    expect(Math.abs((right ?? 0) - Date.now())).toBeLessThan(10_000);
    expect(Math.abs((wrong ?? 0) + 3_600_000 - Date.now())).toBeLessThan(10_000);
  });

  it('answers late but well when it is slow', async () => {
    const partner = await startPartner({ faults: [{ fault: { kind: 'slow', delayMs: 5 } }] });
    expect(await askCredits(partner)).toBe(200);
  });

  it('ends at once although a slow request is still waiting', async () => {
    const reported: Error[] = [];
    const partner = await startPartner({
      faults: [{ fault: { kind: 'slow', delayMs: 600_000 } }],
      report: (error) => reported.push(error),
    });
    const waiting = expect(askCredits(partner)).rejects.toThrow();
    await partner.close();
    await waiting;
    expect(reported).toEqual([]);
  });
});

describe('faults of the service', () => {
  it('fails with the documented 500 and refunds', async () => {
    const partner = await startPartner({ faults: [{ on: SUBMIT, fault: { kind: 'error' } }] });
    const answer = await submitThree(partner);
    expect([answer.status, answer.body]).toEqual([500, { detail: expect.any(String) }]);
    expect((await readLedger(partner)).map(({ amount }) => amount)).toEqual([3, -3]);
  });

  it('resets the connection after the work; the charge stands', async () => {
    const partner = await startPartner({
      credits: 10,
      faults: [{ on: SUBMIT, fault: { kind: 'resetAfter' } }],
    });
    await expect(submitThree(partner)).rejects.toThrow();
    expect(await enhancementCredits(partner)).toBe(7);
  });

  it('lets a charge land late, after its answer was lost', async () => {
    const clock = aClock();
    const partner = await startPartner({
      credits: 10,
      clock: clock.read,
      faults: [{ on: SUBMIT, fault: { kind: 'lateCharge', delayMs: 40_000 } }],
    });
    await expect(submitThree(partner)).rejects.toThrow();
    clock.advance(39_999);
    expect(await enhancementCredits(partner)).toBe(10);
    clock.advance(1);
    expect(await enhancementCredits(partner)).toBe(7);
    expect((await readLedger(partner)).map(({ kind, amount }) => [kind, amount])).toEqual([
      ['charge', 3],
    ]);
  });

  it('charges late no more than there is by then', async () => {
    const clock = aClock();
    const partner = await startPartner({
      credits: 4,
      clock: clock.read,
      faults: [{ on: SUBMIT, nth: 1, fault: { kind: 'lateCharge', delayMs: 1000 } }],
    });
    await expect(submitThree(partner)).rejects.toThrow();
    await submit(partner, strangers(3));
    clock.advance(1000);
    expect(await enhancementCredits(partner)).toBe(0);
    expect((await readLedger(partner)).map(({ amount }) => amount)).toEqual([3, 1]);
  });

  it('breaks off in the middle of an answer; the charge stands', async () => {
    const partner = await startPartner({
      credits: 10,
      faults: [{ on: SUBMIT, fault: { kind: 'truncate' } }],
    });
    await expect(submitThree(partner)).rejects.toThrow();
    expect(await enhancementCredits(partner)).toBe(7);
  });

  it('calls its JSON something else', async () => {
    const partner = await startPartner({ faults: [{ fault: { kind: 'contentType' } }] });
    const answer = await ask(partner, 'GET', '/credits');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html');
  });

  it('adds unknown fields to objects, but no entries to maps', async () => {
    const partner = await startPartner({
      faults: [{ fault: { kind: 'extraFields', fields: { novelty: 1 } } }],
    });
    const { body } = await submitThree(partner);
    expect(body).toMatchObject({ novelty: 1, meta: { novelty: 1 } });
    expect(Object.keys(jobIdsIn(body))).toEqual(['p0', 'p1', 'p2']);
  });

  it('processes fewer persons than requested, and charges only those', async () => {
    const partner = await startPartner({
      credits: 10,
      faults: [{ on: SUBMIT, fault: { kind: 'processFewer', processed: 1 } }],
    });
    const { body } = await submitThree(partner);
    expect(body).toMatchObject({ meta: { requested: 3, processed: 1 } });
    expect(Object.keys(jobIdsIn(body))).toEqual(['p0']);
    expect(await enhancementCredits(partner)).toBe(9);
  });

  it('shows jobs in unknown states', async () => {
    const partner = await startPartner();
    const { p0 = '' } = await submit(partner, strangers(1));
    await playFaults(partner, [{ fault: { kind: 'jobState', state: 'pondering' } }]);
    expect((await ask(partner, 'GET', `/enhancements/${p0}/progress`)).body).toMatchObject({
      job_state: { progress: { status: 'pondering' } },
    });
    expect((await ask(partner, 'POST', '/enhancements/progress/batch', [p0])).body).toMatchObject({
      job_id_to_state: { [p0]: { progress: { status: 'pondering' } } },
    });
  });

  it('loses jobs', async () => {
    const partner = await startPartner();
    const { p0 = '' } = await submit(partner, strangers(1));
    await playFaults(partner, [{ times: 2, fault: { kind: 'jobsVanish' } }]);
    expect((await ask(partner, 'GET', `/enhancements/${p0}/progress`)).status).toBe(404);
    expect((await ask(partner, 'POST', '/enhancements/progress/batch', [p0])).body).toMatchObject({
      not_found: [p0],
    });
    expect((await ask(partner, 'GET', `/enhancements/${p0}/progress`)).status).toBe(200);
  });

  it('never ends jobs', async () => {
    const clock = aClock();
    const partner = await startPartner({
      clock: clock.read,
      faults: [{ on: SUBMIT, nth: 1, fault: { kind: 'jobsNeverEnd' } }],
    });
    const { p0 = '' } = await submit(partner, strangers(1));
    clock.advance(24 * 3_600_000);
    expect((await ask(partner, 'GET', `/enhancements/${p0}/progress`)).body).toMatchObject({
      job_state: { progress: { status: 'processing' }, error: null },
    });
  });
});
