import { afterEach, describe, expect, it } from 'vitest';
import { memoryDefaultFields } from '../../connectors/memory/connector.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import type { RunReport } from '../../src/core/run.ts';
import { runSync } from '../../src/sync/run.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A run that hangs is stopped then, which shows in its report. */
const LIMIT_MS = 20_000;

let world: SyncWorld;
let shiftMs: number;
afterEach(() => world.close());

describe('a run whose clock is set while it goes on', () => {
  it.each([
    ['back by an hour', -HOUR_MS],
    ['forward by an hour', HOUR_MS],
    ['forward by days, which makes every job look old', 40 * DAY_MS],
  ])('delivers what it has paid for, once (%s)', async (_, byMs) => {
    shiftMs = 0;
    world = await createSyncWorld({
      service: { jobTimeMs: 1_000 },
      partner: (client) => ({
        ...client,
        readProgress(jobIds, signal) {
          shiftMs = byMs;
          return client.readProgress(jobIds, signal);
        },
      }),
    });
    await world.addPeople(5);
    expect(await syncWithClock()).toMatchObject({ status: 'succeeded', contacts: { written: 5 } });
    expect(await world.spent()).toBe(5);
  });

  it('lets the quiet time of a lost answer pass all the same', async () => {
    shiftMs = 0;
    let isLost = false;
    world = await createSyncWorld({
      integration: { settleAfterMs: 2_000 },
      partner: (client) => ({
        ...client,
        submitEnhancements: (...asked) => {
          isLost = true;
          return client.submitEnhancements(...asked);
        },
        readCredits(signal) {
          if (isLost) shiftMs = HOUR_MS;
          return client.readCredits(signal);
        },
      }),
    });
    await world.addPeople(5);
    await world.putFaults([
      { on: { method: 'POST' }, times: 1, fault: { kind: 'lateCharge', delayMs: 1_000 } },
    ]);
    expect((await syncWithClock()).contacts).toMatchObject({ submitted: 0, held: 5 });
    expect(await world.spent()).toBe(5);
  });
});

function syncWithClock(): Promise<RunReport> {
  const { integration, store, deps } = world;
  const clock: Clock = { ...systemClock, now: () => Date.now() + shiftMs };
  const signal = AbortSignal.timeout(LIMIT_MS);
  return runSync(
    { ...deps(signal), clock },
    {
      ...{ integration, signal, trigger: 'manual', full: false, only: null },
      mappings: memoryDefaultFields,
      partnerKey: store.fingerprint('partner_key', integration.partner.apiKey),
    },
    { calls: () => ({ partner: 0, crm: 0, throttled: 0 }) },
  );
}
