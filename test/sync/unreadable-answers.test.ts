import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { createSyncWorld, type SyncWorld, WITHOUT_TRIAL } from '../helpers/sync-world.ts';

const KINDS = ['page', 'half', 'nothing', 'shape', 'tooLate'] as const;

/** A clock with short waits between attempts. */
const clock = {
  ...systemClock,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 10), signal),
};

const worlds: SyncWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function open(): Promise<SyncWorld> {
  const world = await createSyncWorld({ clock, integration: WITHOUT_TRIAL });
  worlds.push(world);
  await world.addPeople(20);
  return world;
}

/** Some kinds of unreadable responses. The tests of the service's client cover all other kinds. */
const SOME = ['page', 'shape', 'tooLate'] as const;

describe.each(['/credits', '*progress*', '*results*'])('answers to %s', (path) => {
  it.each(SOME)('that cannot be read now and then cost nothing (%s)', async (as) => {
    const world = await open();
    await world.putFaults([{ on: { path }, every: 2, fault: { kind: 'unreadable', as } }]);
    expect(await world.sync()).toMatchObject({ status: 'succeeded', contacts: { written: 20 } });
    expect(await world.spent()).toBe(20);
  });

  it.each(SOME)('that stay unreadable end the run as incomplete (%s)', async (as) => {
    const world = await open();
    await world.putFaults([{ on: { path }, fault: { kind: 'unreadable', as } }]);
    const report = await world.sync();
    expect(report).toMatchObject({
      status: 'incomplete',
      reason: { code: 'partner_unavailable', message: expect.stringMatching(/try again later/) },
    });
    await world.putFaults([]);
    expect(await world.sync()).toMatchObject({ status: 'succeeded', contacts: { waiting: 0 } });
    expect(await world.spent()).toBe(20);
  });
});

describe('an answer to a submission', () => {
  it.each(KINDS)(
    'that cannot be read is lost: its credits are not spent again (%s)',
    async (as) => {
      const world = await open();
      const on = { method: 'POST', path: '/enhancements' };
      await world.putFaults([{ on, times: 1, fault: { kind: 'unreadable', as } }]);
      await world.sync();
      await world.putFaults([]);
      await world.sync();
      expect(await world.spent()).toBe(20);
      const states = await world.database.db.selectFrom('contacts').select('state').execute();
      expect(states.map(({ state }) => state)).toEqual(states.map(() => 'held'));
    },
  );
});
