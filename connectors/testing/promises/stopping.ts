/** Tests that connectors send no requests after the run has stopped or the connector has been closed. */
import { systemClock } from '../../../src/core/clock.ts';
import { expectEqual, expectThat } from '../expect.ts';
import { endingOf, openBehindProxy, writeUntilEnd } from '../faults.ts';
import { collect, collectPages } from '../readings.ts';
import { people } from '../seeds.ts';
import type { Suite } from '../suite.ts';

/**
 * The time during which no request may arrive. The time is long enough to notice requests from timers and from readings
 * that fetch ahead.
 */
const QUIET_MS = 150;

const TIDYING_MS = 1_000;

export function promiseStopping({ describe, it, can }: Suite): void {
  describe('the end of a run', () => {
    it('sends nothing after the run has stopped', async (t) => {
      const ids = await t.crm.addContacts(people(3));
      const selector = can('groups') ? await t.crm.groups?.add(ids) : undefined;
      const [field] = t.crm.textFields;
      const stop = new AbortController();
      const { connector, proxy } = await openBehindProxy(t, { signal: stop.signal });
      stop.abort();
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        readPages: () => collectPages(connector, null),
        readByIds: () => connector.readByIds(ids, [field]),
        async write() {
          const changes = ids.map((id) => ({ id, values: { [field]: 'ours' } }));
          const { results, error } = await writeUntilEnd(connector, changes);
          if (error !== null) throw error;
          return results.filter(({ status }) => status === 'written');
        },
        search: async () => connector.search?.('Last', 20),
        ...(selector === undefined
          ? {}
          : { readGroup: () => collect(connector.readGroup(selector)) }),
      };
      for (const [name, call] of Object.entries(calls)) {
        const before = proxy.requests.length;
        await endingOf(call);
        const sent = proxy.requests.length - before;
        const hint =
          'Pass `deps.signal` to each request, or call `throwIfStopped(deps.signal)` before it.';
        expectEqual(
          sent,
          0,
          `the number of requests of ${name}, called after the run has stopped`,
          hint,
        );
      }
    });

    it('sends nothing after it is closed', async (t) => {
      await t.crm.addContacts(people(t.crm.contactsForThreePages));
      const { connector, proxy } = await openBehindProxy(t);
      const reading = connector.readPages(null)[Symbol.asyncIterator]();
      await reading.next();
      await connector.close();
      // Requests that are in flight and requests that clean up may finish in this time.
      await systemClock.sleep(TIDYING_MS);
      const before = proxy.requests.length;
      await systemClock.sleep(QUIET_MS);
      const sent = proxy.requests.length - before;
      expectThat(sent === 0, {
        what: 'requests after `close`, in the middle of a reading',
        ...{ expected: 'none', actual: String(sent) },
        hint: 'Clear timers, and end whatever reads in advance or renews tokens, in `close`.',
      });
      await endingOf(async () => reading.return?.());
    });
  });
}
