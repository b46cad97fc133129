import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { readReasons } from '../../../src/sync/views/run-contacts.ts';
import type { SyncWorld } from '../../helpers/sync-world.ts';
import { open } from '../worlds.ts';
import { intendWithoutSending, ON_SUBMIT, submitsAndReadings } from './lost-responses-world.ts';

/** No other wait of a run is as long, except for the wait to renew its lease. */
const QUIET_MS = 9_500;
const OTHER_WAITS_MS = 6_000;

describe('a lost response', () => {
  it('is what its contacts wait for if the run is stopped before the balance has decided', async () => {
    const world = await open({ integration: { settleAfterMs: 60_000 } });
    await world.addPeople(4);
    await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
    const stop = new AbortController();
    const running = world.sync({ signal: stop.signal });
    const seen = async () => (await submitsAndReadings(world)).slice(-2);
    await expect.poll(seen).toEqual(['submit', 'credits']);
    stop.abort();
    const { id, contacts } = await running;
    expect(contacts).toMatchObject({ submitted: 0, waiting: 4 });
    expect(await readReasons(world.store.reader, id)).toMatchObject([
      { reason: 'settlement_pending', count: 4 },
    ]);
  });

  it('of a killed process is settled by the next run before it submits anything', async () => {
    const world = await open();
    const ids = await world.addPeople(5);
    await world.sync();
    const spent = await world.spent();
    await intendWithoutSending(world, ids[0] ?? '');
    const report = await world.sync();
    // The intent was stored, but the request was never sent, so nothing was charged.
    expect(report.contacts.submitted).toBe(1);
    expect((await world.spent()) - spent).toBe(1);
  });

  it('of a key that was replaced since is settled without its balance, and counts as charged', async () => {
    const world = await open();
    const ids = await world.addPeople(5);
    await world.sync();
    await intendWithoutSending(world, ids[0] ?? '');
    const apiKey = await world.issueKey({});
    const integration = { ...world.integration, partner: { ...world.integration.partner, apiKey } };
    expect(await world.sync({ integration })).toMatchObject({
      status: 'succeeded',
      contacts: { submitted: 0, waiting: 0, held: 1 },
      credits: { enhancements: { spent: 1 } },
    });
    const [question, ...others] = await listOpenQuestions(world.store.reader);
    expect(question).toMatchObject({
      kind: 'lost_answer',
      detail: 'its service key was replaced before the balance could show it',
    });
    expect(others).toEqual([]);
    // The decision is carried out with the new key.
    if (question !== undefined) await recordDecision(world.store, question, 'resubmitted');
    expect((await world.sync({ integration })).contacts).toMatchObject({
      submitted: 1,
      waiting: 0,
    });
  });

  it('is settled after the quiet time even if the clock was a day ahead when it was lost', async () => {
    const world = await open();
    const ids = await world.addPeople(5);
    await world.sync();
    await intendWithoutSending(world, ids[0] ?? '');
    const { db } = world.database;
    const tomorrow = Date.now() + 86_400_000;
    await db
      .updateTable('submissions')
      .set({ intended_at: tomorrow })
      .where('id', '=', 'killed')
      .execute();
    const before = (await submitsAndReadings(world)).length;
    expect(await world.sync()).toMatchObject({
      status: 'succeeded',
      contacts: { submitted: 1 },
    });
    // The run reads the balance during the quiet time, twice after the quiet time, and for the later submissions. For
    // the rest of the night, the run does not read the balance.
    const readings = (await submitsAndReadings(world)).slice(before);
    expect(readings.filter((kind) => kind === 'credits').length).toBeLessThan(10);
  });

  it.each([
    ['ahead of', 120_000],
    ['behind', -120_000],
  ])(
    'of a killed process is settled after the whole quiet time by a clock that is two minutes %s its own',
    async (_, aheadMs) => {
      let shiftMs = 0;
      const clock = { ...systemClock, now: () => Date.now() + shiftMs };
      const world = await open({ clock, integration: { settleAfterMs: 1_500 } });
      const ids = await world.addPeople(5);
      await world.sync();
      const spent = await world.spent();
      await intendWithoutSending(world, ids[0] ?? '');
      await world.putFaults([
        { on: ON_SUBMIT, times: 1, fault: { kind: 'lateCharge', delayMs: 700 } },
      ]);
      await expect(sendAsIntended(world)).rejects.toMatchObject({ code: 'answer_lost' });
      shiftMs = aheadMs;
      const before = (await submitsAndReadings(world)).length;
      // The run that settles the submission reports it, because the killed run can no longer report it.
      expect(await world.sync()).toMatchObject({
        contacts: { submitted: 0, held: 1 },
        credits: { enhancements: { spent: 1 } },
      });
      expect((await world.spent()) - spent).toBe(1);
      expect(await listOpenQuestions(world.store.reader)).toMatchObject([{ kind: 'lost_answer' }]);
      // If the balance were read all through two minutes of quiet time, there would be a dozen readings.
      expect((await submitsAndReadings(world)).length - before).toBeLessThan(10);
    },
  );

  it('goes on with the quiet time that a stopped run of the same process has begun', async () => {
    const stop = new AbortController();
    const quietMs: number[] = [];
    let skippedMs = 0;
    /** Makes the quiet time pass immediately. The first wait is cut short after a second. */
    const clock: Clock = {
      ...systemClock,
      monotonicMs: () => systemClock.monotonicMs() + skippedMs,
      async sleep(ms, signal) {
        if (ms <= OTHER_WAITS_MS || ms > QUIET_MS) return systemClock.sleep(ms, signal);
        quietMs.push(ms);
        skippedMs += quietMs.length === 1 ? 1_000 : ms;
        stop.abort();
      },
    };
    const world = await open({ clock, integration: { settleAfterMs: QUIET_MS } });
    const ids = await world.addPeople(5);
    await world.sync();
    await intendWithoutSending(world, ids[0] ?? '');
    const begunAt = clock.monotonicMs();
    expect((await world.sync({ signal: stop.signal })).status).toBe('incomplete');
    expect((await world.sync()).contacts.submitted).toBe(1);
    expect(clock.monotonicMs() - begunAt).toBeGreaterThan(QUIET_MS);
    const [first = 0, ...more] = quietMs;
    // The run waits for the whole quiet time again, not only for its remainder.
    expect(first).toBeGreaterThan(QUIET_MS - 500);
    expect(Math.max(0, ...more)).toBeLessThanOrEqual(QUIET_MS - 1_000);
  });
});

/** Sends the request for that intent, as the dead process had planned. */
function sendAsIntended(world: SyncWorld) {
  const person = { trackingId: 'killed-1', firstName: 'Ada', lastName: 'Lovelace' };
  return world.deps().partner.submitEnhancements([{ ...person, addresses: [], employers: [] }]);
}
