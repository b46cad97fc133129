import { describe, expect, it } from 'vitest';
import { listOpenQuestions } from '../../../src/decisions/statements/questions.ts';
import type { PartnerClient } from '../../../src/partner/client.ts';
import { WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { open } from '../worlds.ts';
import { ON_SUBMIT } from './lost-responses-world.ts';

/** A submission or a reading of the balance, with its times (epoch ms). */
interface Call {
  kind: 'submit' | 'credits';
  begunAt: number;
  endedAt: number;
  balance?: number;
}

/** Records a client's calls in order. Waits for `afterReading` before it returns a balance. */
function watched(
  client: PartnerClient,
  calls: Call[],
  afterReading: () => Promise<unknown> = async () => undefined,
): PartnerClient {
  return {
    ...client,
    async submitEnhancements(persons, signal, mayLeave) {
      const call: Call = { kind: 'submit', begunAt: Date.now(), endedAt: 0 };
      calls.push(call);
      try {
        return await client.submitEnhancements(persons, signal, mayLeave);
      } finally {
        call.endedAt = Date.now();
      }
    },
    async readCredits(signal) {
      const begunAt = Date.now();
      const credits = await client.readCredits(signal);
      calls.push({ kind: 'credits', begunAt, endedAt: Date.now(), balance: credits.enhancements });
      await afterReading();
      return credits;
    },
  };
}

describe('a lost response', () => {
  it.each([{ kind: 'resetBefore' }, { kind: 'gatewayError', status: 502 }])(
    'is settled by two readings and submitted again if nothing was charged ($kind)',
    async (fault) => {
      const calls: Call[] = [];
      const world = await open({
        integration: WITHOUT_TRIAL,
        partner: (client) => watched(client, calls),
      });
      await world.addPeople(30);
      await world.putFaults([{ on: ON_SUBMIT, times: 1, fault }]);
      const report = await world.sync();
      expect(report.status).toBe('succeeded');
      expect(report.contacts).toMatchObject({ submitted: report.contacts.chosen, held: 0 });
      expect(await world.spent()).toBe(report.contacts.chosen);
      const [lost, again, ...more] = calls.filter(({ kind }) => kind === 'submit');
      if (!lost || !again) throw new Error('Nothing was submitted again');
      expect(more).toEqual([]);
      const quietAt = lost.endedAt + world.integration.settleAfterMs;
      const deciding = calls.filter(
        ({ kind, begunAt }) => kind === 'credits' && begunAt >= quietAt && begunAt < again.begunAt,
      );
      expect(deciding.length).toBeGreaterThanOrEqual(2);
      expect(deciding.at(-1)?.balance).toBe(deciding.at(-2)?.balance);
    },
  );

  it.each([{ kind: 'resetAfter' }, { kind: 'truncate' }, { kind: 'contentType' }])(
    'holds its contacts if they were charged, and spends no second credit ($kind)',
    async (fault) => {
      const world = await open({ integration: WITHOUT_TRIAL });
      await world.addPeople(30);
      await world.putFaults([{ on: ON_SUBMIT, times: 1, fault }]);
      const report = await world.sync();
      const { chosen } = report.contacts;
      expect(report.contacts).toMatchObject({ held: chosen, submitted: 0, written: 0 });
      expect(report.credits.enhancements.spent).toBe(chosen);
      expect(await world.spent()).toBe(chosen);
      const holds = await listOpenQuestions(world.store.reader);
      expect(new Set(holds.map(({ kind }) => kind))).toEqual(new Set(['lost_answer']));
      expect((await world.sync({ full: true })).contacts).toMatchObject({
        chosen: 0,
        held: chosen,
      });
      expect(await world.spent()).toBe(chosen);
    },
  );

  it('waits out a charge that lands late', async () => {
    const world = await open({ integration: { settleAfterMs: 600 } });
    await world.addPeople(10);
    await world.putFaults([
      { on: ON_SUBMIT, times: 1, fault: { kind: 'lateCharge', delayMs: 300 } },
    ]);
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ held: 10, submitted: 0 });
    expect(await world.spent()).toBe(10);
  });

  it('holds its contacts if the empty bucket was topped up before the balance could decide', async () => {
    const calls: Call[] = [];
    const world = await open({
      partner: (client) =>
        watched(client, calls, async () => {
          // The first reading after the loss must see the empty bucket.
          if (calls.map(({ kind }) => kind).join() !== 'credits,submit,credits') return;
          await topUp();
        }),
    });
    const topUp = () => world.issueKey({ apiKey, credits: { enhancements: 10 } });
    await world.addPeople(10);
    const { apiKey } = world.service;
    await topUp();
    await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
    expect((await world.sync()).contacts).toMatchObject({ held: 10, submitted: 0 });
    expect(await world.spent()).toBe(10);
  });

  it('is what persons have who were charged and got no job id', async () => {
    const world = await open({
      partner: (client) => ({
        ...client,
        async submitEnhancements(persons, signal, mayLeave) {
          const answer = await client.submitEnhancements(persons, signal, mayLeave);
          const [first = ''] = answer.jobIds.keys();
          return { ...answer, jobIds: new Map([...answer.jobIds].filter(([id]) => id !== first)) };
        },
      }),
    });
    await world.addPeople(10);
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ submitted: 9, held: 1, waiting: 0 });
    expect(report.credits.enhancements.spent).toBe(10);
    expect(await world.spent()).toBe(10);
    expect((await world.sync({ full: true })).contacts.chosen).toBe(0);
  });

  it('lets the profiles that are already paid for be delivered meanwhile', async () => {
    const world = await open({ integration: { settleAfterMs: 600_000, ...WITHOUT_TRIAL } });
    await world.addPeople(150);
    await world.putFaults([{ on: ON_SUBMIT, nth: 2, fault: { kind: 'resetAfter' } }]);
    const stop = new AbortController();
    const running = world.sync({ signal: stop.signal });
    await expect.poll(() => world.crm.writes.length).toBeGreaterThan(90);
    const open_ = await world.database.db
      .selectFrom('submissions')
      .select('id')
      .where('state', '=', 'lost')
      .execute();
    expect(open_).toHaveLength(1);
    stop.abort();
    expect((await running).contacts).toMatchObject({ submitted: 100, held: 0 });
  });
});
