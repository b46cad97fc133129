import { describe, expect, it } from 'vitest';
import { RetriableError } from '../../src/core/errors.ts';
import { silentLog } from '../../src/core/log.ts';
import { isClockRight } from '../../src/jobs/house-clock.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createSyncWorld } from '../helpers/sync-world.ts';

const open = closedAfterTest(createSyncWorld);
const YEAR_MS = 365 * 86_400_000;

describe('the clock by which old profiles are deleted outside of runs', () => {
  it.each([
    ['agrees with the service', 0, 'answers', true],
    ['is years ahead of the service', 2 * YEAR_MS, 'answers', false],
    ['is years behind the service', -2 * YEAR_MS, 'answers', false],
    ['belongs to a service that sends no time', null, 'answers', true],
    ['agrees with the service, which refuses the key', 0, 'refuses', true],
    ['is compared with nothing, because no service answers', null, 'refuses', false],
  ])('%s', async (_, aheadMs, service, isRight) => {
    expect(await judge(aheadMs, service)).toBe(isRight);
  });

  it('counts as right where there is no client left to deliver to', async () => {
    expect(await judge(null, 'refuses', 0)).toBe(true);
  });

  async function judge(aheadMs: number | null, service: string, clients = 1): Promise<boolean> {
    const world = await open();
    const { reader } = world.store;
    const integrations = new Map(
      Array.from({ length: clients }, () => ['riverside', world.integration] as const),
    );
    let closed = 0;
    const right = await isClockRight(
      {
        ...{ reader, integrations, clock: { now: Date.now }, log: silentLog },
        open: async () => ({
          partner: {
            clockAheadMs: () => aheadMs,
            readCredits: async () => {
              if (service === 'answers') return BALANCES;
              throw new RetriableError('The service is away.', { code: 'partner_unreachable' });
            },
          },
          close: async () => {
            closed += 1;
          },
        }),
      },
      new AbortController().signal,
    );
    expect(closed).toBe(clients);
    return right;
  }
});

const BALANCES = { donors: 1, enhancements: 1, exports: 1, lists: 1, networks: 1, searches: 1 };
