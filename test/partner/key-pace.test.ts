import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createPacer,
  createPacers,
  LANES,
  type Lane,
  type Pacer,
} from '../../src/partner/key-pace.ts';
import { createFakeClock, type FakeClock } from '../helpers/fake-clock.ts';

const SECOND = 1_000;

describe('createPacer', () => {
  it('keeps within the documented limit, and uses at least 97 % of it', async () => {
    const clock = createFakeClock();
    const sentAtMs: number[] = [];
    keepSending(createPacer({ clock }), clock, sentAtMs, 20);
    await clock.advance(60 * SECOND);
    expect(sentAtMs.length).toBeGreaterThanOrEqual(0.97 * 600);
    expect(refusedByService(sentAtMs)).toBe(0);
  });

  it('keeps within the documented limit though requests arrive up to 150 ms late', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(150), { minLength: 100, maxLength: 100 }),
        async (delays) => {
          const clock = createFakeClock();
          const sentAtMs: number[] = [];
          keepSending(createPacer({ clock }), clock, sentAtMs, 20);
          await clock.advance(10 * SECOND);
          const arrivals = sentAtMs.map(
            (atMs, index) => atMs + (delays[index % delays.length] ?? 0),
          );
          expect(refusedByService(arrivals.sort((a, b) => a - b))).toBe(0);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('keeps within the limit after a rest, whenever what is still under way arrives', async () => {
    await fc.assert(
      fc.asyncProperty(aBusyKey(), async (ways) => {
        const { arrivalsMs } = await play(ways, 3 * SECOND);
        expect(refusedByService(arrivalsMs)).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  it('uses at least 95 % of the limit however long requests take, and is refused nothing', async () => {
    await fc.assert(
      fc.asyncProperty(aBusyKey(), async (ways) => {
        const { arrivalsMs, sentAtMs } = await play(ways, 0);
        expect(refusedByService(arrivalsMs)).toBe(0);
        expect(sentAtMs.length).toBeGreaterThanOrEqual(0.95 * 10 * PLAYED_SECONDS);
      }),
      { numRuns: 50 },
    );
  });

  it('lets a whole burst through after a rest, and no more', async () => {
    const clock = createFakeClock();
    const pacer = createPacer({ clock, ratePerSecond: 10, burst: 8 });
    await clock.advance(10 * SECOND);
    const sentAtMs: number[] = [];
    keepSending(pacer, clock, sentAtMs, 20);
    await clock.advance(0);
    expect(sentAtMs).toHaveLength(8);
  });

  it('starts with half a burst, because the last process may have used the rest', async () => {
    const clock = createFakeClock();
    const sentAtMs: number[] = [];
    keepSending(createPacer({ clock, ratePerSecond: 10, burst: 8 }), clock, sentAtMs, 20);
    await clock.advance(0);
    expect(sentAtMs).toHaveLength(4);
  });

  it('serves the lanes that wait in turn, and first come first served within a lane', async () => {
    const { pacer, clock, granted } = await anEmptyPacer();
    for (const name of ['s1', 's2', 's3', 's4']) void note(pacer, 'submit', name, granted);
    for (const name of ['p1', 'p2']) void note(pacer, 'poll', name, granted);
    void note(pacer, 'results', 'r1', granted);
    await clock.advance(SECOND);
    expect(granted).toEqual(['s1', 'p1', 'r1', 's2', 'p2', 's3', 's4']);
  });

  it('gives a lane that comes late its turn though another has a long queue', async () => {
    const { pacer, clock, granted } = await anEmptyPacer();
    for (let number = 1; number <= 50; number++) void note(pacer, 'submit', `s${number}`, granted);
    await clock.advance(SECOND);
    void note(pacer, 'results', 'late', granted);
    await clock.advance(300);
    expect(granted.slice(10)).toContain('late');
  });

  it('serves every kind of work within one round, however many queries wait', async () => {
    const { pacer, clock, granted } = await anEmptyPacer();
    for (let number = 1; number <= 50; number++) void note(pacer, 'queries', `q${number}`, granted);
    for (const lane of LANES) if (lane !== 'queries') void note(pacer, lane, lane, granted);
    await clock.advance(SECOND);
    const others = LANES.filter((lane) => lane !== 'queries');
    expect(granted.slice(0, LANES.length)).toEqual(expect.arrayContaining(others));
  });

  it('rejects a wait with the reason of its signal and spends no token on it', async () => {
    const { pacer, clock, granted } = await anEmptyPacer();
    const stop = new AbortController();
    const stopped = pacer.take('poll', stop.signal).catch((reason: unknown) => reason);
    void note(pacer, 'submit', 'next', granted);
    stop.abort('no longer needed');
    expect(await stopped).toBe('no longer needed');
    await clock.advance(100);
    expect(granted).toEqual(['next']);
  });

  it('rejects at once when the signal was aborted before', async () => {
    const pacer = createPacer({ clock: createFakeClock() });
    await expect(pacer.take('poll', AbortSignal.abort('too late'))).rejects.toBe('too late');
  });

  it('leaves no timer behind when the last waiter leaves', async () => {
    const { pacer, clock } = await anEmptyPacer();
    const stop = new AbortController();
    pacer.pause(30 * SECOND);
    const stopped = pacer.take('poll', stop.signal).catch(() => 'stopped');
    await clock.advance(0);
    expect(clock.sleepers()).toBe(1);
    stop.abort();
    await stopped;
    expect(clock.sleepers()).toBe(0);
  });

  it('lets no request through during a pause, in any lane, and no burst after it', async () => {
    const clock = createFakeClock();
    const pacer = createPacer({ clock, ratePerSecond: 10, burst: 8 });
    await clock.advance(10 * SECOND);
    pacer.pause(2 * SECOND);
    const granted: string[] = [];
    for (const lane of ['submit', 'poll', 'results', 'other'] as const) {
      void note(pacer, lane, lane, granted);
    }
    await clock.advance(2 * SECOND);
    expect(granted).toEqual([]);
    await clock.advance(110);
    expect(granted).toHaveLength(1);
  });

  it('keeps the longest of several pauses', async () => {
    const { pacer, clock, granted } = await anEmptyPacer();
    pacer.pause(5 * SECOND);
    pacer.pause(SECOND);
    void note(pacer, 'poll', 'after', granted);
    await clock.advance(4.9 * SECOND);
    expect(granted).toEqual([]);
    await clock.advance(300);
    expect(granted).toEqual(['after']);
  });

  it('does not sit out a pause again when the clock is set back', async () => {
    let setBackMs = 0;
    const fake = createFakeClock(100 * SECOND);
    const clock = { ...fake, now: () => fake.now() - setBackMs };
    const pacer = createPacer({ clock, ratePerSecond: 10, burst: 1 });
    pacer.pause(2 * SECOND);
    setBackMs = 60 * SECOND;
    const granted: string[] = [];
    void note(pacer, 'poll', 'after', granted);
    await fake.advance(2.2 * SECOND);
    expect(granted).toEqual(['after']);
  });

  it.each([null, 0])('knows no limit at a rate of %s, yet keeps a pause', async (ratePerSecond) => {
    const clock = createFakeClock();
    const pacer = createPacer({ clock, ratePerSecond });
    const granted: string[] = [];
    for (let number = 0; number < 1_000; number++) void note(pacer, 'poll', `${number}`, granted);
    await clock.advance(0);
    expect(granted).toHaveLength(1_000);
    pacer.pause(SECOND);
    void note(pacer, 'poll', 'paused', granted);
    await clock.advance(900);
    expect(granted).toHaveLength(1_000);
    await clock.advance(200);
    expect(granted).toHaveLength(1_001);
  });
});

describe('createPacers', () => {
  it('gives all who use a key the same pacer, and another key another', () => {
    const pacers = createPacers({ clock: createFakeClock() });
    expect(pacers.for('one')).toBe(pacers.for('one'));
    expect(pacers.for('one')).not.toBe(pacers.for('two'));
  });
});

/** The duration of a request, and the moment at which the service counts it. */
interface Way {
  tookMs: number;
  countedAt: number;
}

/** The timings of a key's requests. The requests use them in turn. */
interface Ways {
  submits: Way[];
  others: Way[];
}

/**
 * Generates timings for a service with a latency of up to 0.5 seconds. A submission takes up to 5 more seconds. The
 * service counts the request before, during or after this time.
 */
function aBusyKey(): fc.Arbitrary<Ways> {
  return fc
    .record({
      submitMs: fc.constantFrom(0, 300, 2_000, 5_000),
      submitCountedAt: fc.constantFrom(0, 0.5, 1),
      otherMs: fc.constantFrom(0, 100, 300),
      spreadMs: fc.constantFrom(0, 50, 200),
    })
    .chain(({ submitMs, submitCountedAt, otherMs, spreadMs }) =>
      fc.record({
        submits: someWays(otherMs + submitMs, spreadMs, fc.constant(submitCountedAt)),
        others: someWays(otherMs, spreadMs, fc.double({ min: 0, max: 1, noNaN: true })),
      }),
    );
}

function someWays(leastMs: number, spreadMs: number, countedAt: fc.Arbitrary<number>) {
  const tookMs = fc.integer({ min: leastMs, max: leastMs + spreadMs });
  return fc.array(fc.record({ tookMs, countedAt }), { minLength: 50, maxLength: 50 });
}

const PLAYED_SECONDS = 30;

/**
 * Simulates six workers that submit one request after the other, and twenty workers that request profiles. The twenty
 * workers pause for `restMs` after each period of the same length.
 */
async function play({ submits, others }: Ways, restMs: number) {
  const clock = createFakeClock();
  const pacer = createPacer({ clock });
  const sentAtMs: number[] = [];
  const arrivalsMs: number[] = [];
  for (let worker = 0; worker < 6; worker++) void work('submit', submits);
  for (let worker = 0; worker < 20; worker++) void work('results', others);
  await clock.advance(PLAYED_SECONDS * SECOND);
  return { sentAtMs, arrivalsMs: arrivalsMs.sort((a, b) => a - b) };

  async function work(lane: Lane, ways: readonly Way[]): Promise<void> {
    while (clock.now() < PLAYED_SECONDS * SECOND) {
      if (lane === 'results' && restMs > 0) {
        const intoMs = clock.now() % (2 * restMs);
        if (intoMs < restMs) await clock.sleep(restMs - intoMs);
      }
      const arrive = await pacer.take(lane);
      const { tookMs, countedAt } = ways[sentAtMs.length % ways.length] ?? {
        tookMs: 0,
        countedAt: 0,
      };
      sentAtMs.push(clock.now());
      arrivalsMs.push(clock.now() + tookMs * countedAt);
      await clock.sleep(tookMs);
      arrive();
    }
  }
}

/** Creates a pacer of 10 requests per second. Its burst has already been used. */
async function anEmptyPacer(): Promise<{ pacer: Pacer; clock: FakeClock; granted: string[] }> {
  const clock = createFakeClock();
  const pacer = createPacer({ clock, ratePerSecond: 10, burst: 1 });
  await pacer.take('other');
  return { pacer, clock, granted: [] };
}

async function note(pacer: Pacer, lane: Lane, name: string, granted: string[]): Promise<void> {
  await pacer.take(lane);
  granted.push(name);
}

/** Starts workers that send one request after the other. */
function keepSending(pacer: Pacer, clock: FakeClock, sentAtMs: number[], workers: number): void {
  for (let worker = 0; worker < workers; worker++) void work();
  async function work(): Promise<void> {
    for (let request = 0; request < 100; request++) {
      await pacer.take('poll');
      sentAtMs.push(clock.now());
    }
  }
}

/**
 * Returns the number of requests that a token bucket would refuse. The bucket holds 10 tokens and refills at 10 per
 * second (section 8).
 */
function refusedByService(arrivalsMs: readonly number[]): number {
  let tokens = 10;
  let seenMs = arrivalsMs[0] ?? 0;
  let refused = 0;
  for (const atMs of arrivalsMs) {
    tokens = Math.min(10, tokens + (atMs - seenMs) / 100);
    seenMs = atMs;
    if (tokens >= 1) tokens -= 1;
    else refused += 1;
  }
  return refused;
}
