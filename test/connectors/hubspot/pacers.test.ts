import { describe, expect, it } from 'vitest';
import { createPacerRegistry } from '../../../connectors/hubspot/pacers.ts';
import { createPacer } from '../../../connectors/requests/pacers.ts';
import type { DepartureBoard } from '../../../src/outbound/pace.ts';
import { createFakeClock, type FakeClock } from '../../helpers/fake-clock.ts';

const LIMIT = { requests: 190, windowMs: 10_000 };
const NEVER = new AbortController().signal;

/** The number of requests in flight at the same time. */
const LANES = 16;

/** Returns the times at which HubSpot counts the requests. HubSpot counts a request some time before it responds. */
async function arrivals(
  limit: typeof LIMIT,
  count: number,
  network: (at: number) => { thereMs: number; backMs: number },
): Promise<number[]> {
  const clock = createFakeClock();
  const pacer = createPacer(clock, limit);
  const moments: number[] = [];
  let started = 0;
  const lanes = Array.from({ length: LANES }, async () => {
    while (started < count) {
      started += 1;
      const { thereMs, backMs } = network(started);
      const end = await pacer.take(NEVER);
      await clock.sleep(thereMs);
      moments.push(clock.now());
      await clock.sleep(backMs);
      end();
    }
  });
  await clock.advance(((count / limit.requests) * 1.5 + 1) * limit.windowMs);
  await Promise.all(lanes);
  return moments;
}

/** Creates a departure board like the board in a database. Records the keys that were requested. */
function aBoard(clock: FakeClock): DepartureBoard & { keys: Set<string> } {
  const keys = new Set<string>();
  let nextMs = Number.NEGATIVE_INFINITY;
  return {
    keys,
    async reserve(key, { count, apartMs, burst }) {
      keys.add(key);
      const firstMs = Math.max(nextMs, clock.now() - (burst - 1) * apartMs);
      nextMs = firstMs + count * apartMs;
      return firstMs - clock.now();
    },
    async pause(_key, ms) {
      nextMs = Math.max(nextMs, clock.now() + ms);
    },
  };
}

/**
 * Returns the times at which HubSpot counts the requests of three processes. The processes share one board, and each
 * process has some lanes.
 */
async function sharedArrivals(limit: typeof LIMIT, forMs: number): Promise<number[]> {
  const clock = createFakeClock();
  const board = aBoard(clock);
  const moments: number[] = [];
  const lanes = [1, 3, 8].flatMap((width) => {
    const pacer = createPacer(clock, limit, { board, key: 'account' });
    return Array.from({ length: width }, async (_, lane) => {
      while (clock.now() < forMs) {
        const end = await pacer.take(NEVER);
        await clock.sleep(20 + ((lane * 37 + moments.length * 13) % 80));
        moments.push(clock.now());
        await clock.sleep(100);
        end();
      }
    });
  });
  await clock.advance(forMs + 10_000);
  await Promise.all(lanes);
  return moments;
}

/** Delays a request now and then. */
function uneven(at: number) {
  return { thereMs: at % 17 === 0 ? 400 : 20, backMs: at % 23 === 0 ? 900 : 10 };
}

function mostWithin(moments: readonly number[], windowMs: number): number {
  const counts = moments.map(
    (start) => moments.filter((at) => at >= start && at < start + windowMs).length,
  );
  return Math.max(...counts);
}

describe('the pace of requests to HubSpot', () => {
  it('keeps within the limit in every ten seconds, however uneven the network is', async () => {
    const moments = await arrivals(LIMIT, 500, uneven);
    expect(moments).toHaveLength(500);
    expect(mostWithin(moments, 10_000)).toBeLessThanOrEqual(190);
  });

  it('uses nearly all of the limit', async () => {
    const moments = await arrivals(LIMIT, 1_000, () => ({ thereMs: 150, backMs: 350 }));
    expect(Math.max(...moments)).toBeLessThan(52_632 * 1.05);
  });

  it('loses no time to the way there and back, if that is even', async () => {
    const moments = await arrivals(LIMIT, 400, () => ({ thereMs: 100, backMs: 200 }));
    expect(Math.max(...moments)).toBeLessThan(20_000 + 23 * 42 + 100);
    expect(mostWithin(moments, 10_000)).toBeLessThanOrEqual(190);
  });

  it('keeps within the limit though the first requests are the slowest', async () => {
    const slowFirst = (at: number) => ({
      thereMs: at < 20 ? 390 : 10,
      backMs: at % 7 === 0 ? 300 : 5,
    });
    const moments = await arrivals(LIMIT, 600, slowFirst);
    expect(moments).toHaveLength(600);
    expect(mostWithin(moments, 10_000)).toBeLessThanOrEqual(190);
  });

  it('lets no more than five searches through in a second', async () => {
    const moments = await arrivals({ requests: 5, windowMs: 1_000 }, 40, uneven);
    expect(mostWithin(moments, 1_000)).toBeLessThanOrEqual(5);
  });

  it('is shared by those who have the same credentials, and by no other caller', () => {
    const pacers = createPacerRegistry(createFakeClock()).on(null);
    expect(pacers.requests.for('one')).toBe(pacers.requests.for('one'));
    expect(pacers.requests.for('one')).not.toBe(pacers.requests.for('other'));
    expect(pacers.searches.for('one')).not.toBe(pacers.requests.for('one'));
  });

  it('keeps one limit over three processes on one board, and uses 95 % of it', async () => {
    const moments = await sharedArrivals(LIMIT, 60_000);
    expect(mostWithin(moments, 10_000)).toBeLessThanOrEqual(190);
    const steady = moments.filter((at) => at >= 10_000 && at < 60_000);
    expect(steady.length).toBeGreaterThan(0.95 * 190 * 5);
  });

  it('lets no more than five searches of three processes through in a second', async () => {
    const moments = await sharedArrivals({ requests: 5, windowMs: 1_000 }, 30_000);
    expect(mostWithin(moments, 1_000)).toBeLessThanOrEqual(5);
    expect(moments.length).toBeGreaterThan(0.85 * 5 * 30);
  });

  it('lets no process through during a pause that another has asked for', async () => {
    const clock = createFakeClock();
    const board = aBoard(clock);
    const [one, other] = [1, 2].map(() => createPacer(clock, LIMIT, { board, key: 'account' }));
    one?.pause(5_000);
    let leftAt = 0;
    void other?.take(NEVER).then(() => {
      leftAt = clock.now();
    });
    await clock.advance(10_000);
    expect(leftAt).toBeGreaterThanOrEqual(5_000);
  });

  it('shows the board neither credentials nor the address of an account', async () => {
    const clock = createFakeClock();
    const board = aBoard(clock);
    const pacers = createPacerRegistry(clock).on(board);
    for (const { for: pacerOf } of Object.values(pacers)) {
      await pacerOf('https://api.example 4711').take(NEVER);
    }
    await clock.advance(1_000);
    expect(board.keys.size).toBe(2);
    for (const key of board.keys) expect(key).toMatch(/^[0-9a-f]{64}$/);
  });

  it('lets no request through during a pause, also none that waits already', async () => {
    const clock = createFakeClock();
    const pacer = createPacer(clock, { requests: 10, windowMs: 1_000 });
    const moments: number[] = [];
    const all = Array.from({ length: 5 }, async () => {
      const end = await pacer.take(NEVER);
      moments.push(clock.now());
      end();
    });
    await clock.advance(1);
    pacer.pause(5_000);
    await clock.advance(10_000);
    await Promise.all(all);
    expect(moments.filter((at) => at > 1 && at < 5_001)).toEqual([]);
    expect(moments).toHaveLength(5);
  });

  it('ends every wait when the run stops', async () => {
    const clock = createFakeClock();
    const pacer = createPacer(clock, { requests: 1, windowMs: 60_000 });
    const stop = new AbortController();
    const waiting = [1, 2, 3].map(() => pacer.take(stop.signal));
    stop.abort();
    const ends = await Promise.allSettled(waiting);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(clock.sleepers()).toBe(0);
  });
});
