import { describe, expect, it } from 'vitest';
import { createPacer } from '../../src/partner/key-pace.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

const LIMIT = { ratePerSecond: 10, burst: 8 };

/**
 * Creates a pacer on a board that grants one request after the other. Also returns the times at which the pacer's
 * requests were sent.
 */
function aPacer(isAway: () => boolean = () => false) {
  const clock = createFakeClock(1_000);
  const reserved: number[] = [];
  const pauses: number[] = [];
  const left: number[] = [];
  let nextMs = 0;
  const pacer = createPacer({
    clock,
    ...LIMIT,
    board: {
      async reserve(_key, { count, apartMs, burst }) {
        expect({ apartMs, burst }).toEqual({ apartMs: 100, burst: 5 });
        if (isAway()) throw new Error('the database is away');
        reserved.push(count);
        const firstMs = Math.max(nextMs, clock.now());
        nextMs = firstMs + count * apartMs;
        return firstMs - clock.now();
      },
      pause: async (_key, ms) => void pauses.push(ms),
    },
  });
  async function ask(count: number, signal?: AbortSignal): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      pacer.take('other', signal).then(
        () => left.push(clock.now()),
        () => undefined,
      );
    }
    await clock.advance(0);
  }
  return { clock, pacer, reserved, pauses, left, ask };
}

describe('a pacer that shares its key with other processes', () => {
  it('reserves what waits, ten at most, and leaves at the times that it was given', async () => {
    const { clock, reserved, left, ask } = aPacer();
    await ask(12);
    await clock.advance(2_000);
    expect(reserved).toEqual([1, 10, 1]);
    expect(left.slice(0, 4)).toEqual([1_000, 1_100, 1_200, 1_300]);
    expect(left).toHaveLength(12);
  });

  it('does not make up for departures that it has missed', async () => {
    const { clock, reserved, left, ask } = aPacer();
    const givenUp = new AbortController();
    await ask(5, givenUp.signal);
    givenUp.abort();
    await clock.advance(10_000);
    await ask(3);
    await clock.advance(1_000);
    expect(left).toEqual([1_000, 11_000, 11_100, 11_200]);
    expect(reserved).toEqual([1, 4, 1, 2]);
  });

  it('waits a second if the board is away, and goes on', async () => {
    let isAway = true;
    const { clock, left, ask } = aPacer(() => isAway);
    await ask(1);
    await clock.advance(900);
    expect(left).toEqual([]);
    isAway = false;
    await clock.advance(200);
    expect(left).toHaveLength(1);
  });

  it('fails after half a minute without the board, so that a run ends and says why', async () => {
    const { clock, pacer } = aPacer(() => true);
    const failing = expect(pacer.take('other')).rejects.toThrow('the database is away');
    await clock.advance(31_000);
    await failing;
  });

  it('makes all processes wait when the service asks one to, and gives back what it had', async () => {
    const { clock, pacer, reserved, pauses, left, ask } = aPacer();
    await ask(3);
    pacer.pause(3_000);
    await clock.advance(2_900);
    expect(left).toEqual([1_000]);
    expect(pauses).toEqual([3_000]);
    await clock.advance(1_000);
    expect(left).toHaveLength(3);
    expect(reserved).toEqual([1, 2, 2]);
  });
});
