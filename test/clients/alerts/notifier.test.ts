import { expect, it } from 'vitest';
import { createNotifier, RETRY_WAIT_MS } from '../../../src/clients/alerts/notifier.ts';
import { silentLog } from '../../../src/core/log.ts';

const DAY_MS = 86_400_000;

it('gives up each alert after a day of its own, and not a new one together with an old one', async () => {
  let now = 0;
  const channel = {
    name: 'email' as const,
    send: async () => {
      throw new Error('the mail server is away');
    },
  };
  const notifier = createNotifier({
    channels: [channel],
    ownChannel: () => null,
    readUrl: async () => 'https://donors.example.org',
    ...{ clock: { now: () => now }, log: silentLog },
  });
  const changed = (subject: string) => {
    const row = { integrationId: 'riverside', subject, since: now, overAt: null, sentAt: null };
    const condition = { integrationId: 'riverside', subject, problem: 'It failed.', steps: [] };
    return { row, condition };
  };
  const waiting = [changed('run_failed')];
  const givenUp = new Map<string, number>();
  for (; now < 2.5 * DAY_MS; now += RETRY_WAIT_MS + 1) {
    if (now > 0.9 * DAY_MS && waiting.length === 1 && givenUp.size === 0) {
      waiting.push(changed('key_expires'));
    }
    for (const { row } of await notifier.notify(waiting, new AbortController().signal)) {
      givenUp.set(row.subject, now - row.since);
      waiting.splice(
        waiting.findIndex((one) => one.row === row),
        1,
      );
    }
  }
  expect([...givenUp.keys()]).toEqual(['run_failed', 'key_expires']);
  for (const afterMs of givenUp.values()) expect(afterMs).toBeGreaterThan(0.95 * DAY_MS);
});
