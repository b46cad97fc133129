/** Tests readings while the CRM's API fails. */
import assert from 'node:assert/strict';
import { systemClock } from '../../../src/core/clock.ts';
import { expectEqual, expectThat } from '../expect.ts';
import {
  createKitClock,
  endingOf,
  FAILURES,
  from,
  kindOf,
  LIMITED,
  only,
  openBehindProxy,
  somePositions,
} from '../faults.ts';
import type { Fault } from '../proxy.ts';
import { collect, collectPages, listIds, listRemoved } from '../readings.ts';
import { people } from '../seeds.ts';
import type { Suite } from '../suite.ts';

/** The maximum number of requests in one call while every response reports a limit. */
const MOST_REQUESTS_UNDER_LIMIT = 60;

const STOP_AFTER_MS = 100;

/** Other requests that were already in flight may finish in this time. */
const MOST_AFTER_STOP_MS = 20_000;

export function promiseFaultyReading({ describe, it, can }: Suite): void {
  describe('reading while the API fails', () => {
    it('uses the address that the kit gives it', async (t) => {
      await t.crm.addContacts(people(2));
      const { connector, proxy } = await openBehindProxy(t);
      await collectPages(connector, null);
      assert.ok(
        proxy.requests.length > 0,
        'No request came to the proxy: pass `url` of the options on to the connector.',
      );
    });

    it('never takes a failure for the end of the contacts', async (t) => {
      const ids = await t.crm.addContacts(people(t.crm.contactsForThreePages));
      const { connector, proxy } = await openBehindProxy(t);
      const before = proxy.requests.length;
      assert.deepEqual(new Set(listIds(await collectPages(connector, null))), new Set(ids));
      const positions = somePositions(proxy.requests.length - before, 3);
      for (const [at, [name, fault]] of FAILURES.entries()) {
        // The tests simulate each failure at only one position, because they must not read all contacts too often.
        const position = positions[at % positions.length] ?? 0;
        proxy.rule(from(position, fault));
        const ending = await endingOf(() => collectPages(connector, null));
        assert.equal(kindOf(ending), 'retriable', `${name} from request ${position + 1} on`);
      }
      const last = positions.at(-1) ?? 0;
      for (const status of [400, 403, 404, 410]) {
        proxy.rule(from(last, { kind: 'answer', status, body: '{"message":"no"}' }));
        const ending = await endingOf(() => collectPages(connector, null));
        assert.notEqual(ending.error, null, `status ${status} from request ${last + 1} on`);
      }
    });

    it('reads all contacts or none after a single failure', async (t) => {
      const ids = await t.crm.addContacts(people(3));
      const { connector, proxy } = await openBehindProxy(t);
      const before = proxy.requests.length;
      await collectPages(connector, null);
      const count = proxy.requests.length - before;
      for (const [name, fault] of [...FAILURES, ['a limit', LIMITED] as const]) {
        for (const position of somePositions(count)) {
          proxy.rule(only(position, fault));
          const ending = await endingOf(() => collectPages(connector, null));
          const where = `${name} at request ${position + 1}`;
          if (ending.error !== null) assert.equal(kindOf(ending), 'retriable', where);
          else assert.deepEqual(new Set(listIds(ending.result)), new Set(ids), where);
          if (ending.error === null) assert.deepEqual(listRemoved(ending.result), [], where);
        }
      }
    });

    it('never takes a failure of a look-up for missing or deleted contacts', async (t) => {
      const ids = await t.crm.addContacts(people(3));
      const [field] = t.crm.textFields;
      const { connector, proxy } = await openBehindProxy(t);
      const before = proxy.requests.length;
      await connector.readByIds(ids, [field]);
      const count = proxy.requests.length - before;
      for (const [name, fault] of FAILURES) {
        proxy.rule(from(0, fault));
        const ending = await endingOf(() => connector.readByIds(ids, [field]));
        assert.equal(kindOf(ending), 'retriable', name);
        for (const position of somePositions(count)) {
          proxy.rule(only(position, fault));
          const single = await endingOf(() => connector.readByIds(ids, [field]));
          const where = `${name} at request ${position + 1}`;
          if (single.error !== null) assert.equal(kindOf(single), 'retriable', where);
          else
            assert.ok(
              single.result.every(({ state }) => state === 'found'),
              where,
            );
        }
      }
    });

    it('never takes a refused look-up for deleted contacts', async (t) => {
      const ids = await t.crm.addContacts(people(3));
      const { connector, proxy } = await openBehindProxy(t);
      for (const status of [400, 403, 404]) {
        proxy.rule(from(0, { kind: 'answer', status, body: '{"message":"no"}' }));
        const { result } = await endingOf(() => connector.readByIds(ids, []));
        const states = (result ?? []).map(({ state }) => state);
        assert.ok(!states.includes('removed'), `status ${status} means \`missing\`, or an error`);
        assert.ok(!states.includes('found'), `status ${status} was taken for found contacts.`);
      }
    });

    it('waits while the CRM limits requests, and gives up in the end', async (t) => {
      const ids = await t.crm.addContacts(people(2));
      const { connector, proxy } = await openBehindProxy(t);
      const calls: readonly (() => Promise<unknown>)[] = [
        () => collectPages(connector, null),
        () => connector.readByIds(ids, []),
        () => connector.describeFields(),
      ];
      for (const call of calls) {
        const before = proxy.requests.length;
        proxy.rule(from(0, LIMITED));
        const ending = await endingOf(call);
        const count = proxy.requests.length - before;
        // The count can be 0, because the connector may have read the fields when it was opened.
        if (count > 0) assert.equal(kindOf(ending), 'retriable', 'a limit is temporary');
        assert.ok(count <= MOST_REQUESTS_UNDER_LIMIT, `${count} requests under a limit`);
      }
    });

    it('waits as long as Retry-After says', async (t) => {
      const ids = await t.crm.addContacts(people(1));
      const clock = createKitClock();
      const { connector, proxy } = await openBehindProxy(t, { clock });
      const limited: Fault = {
        ...LIMITED,
        kind: 'answer',
        status: 429,
        headers: { 'retry-after': '1' },
      };
      proxy.rule(only(0, limited));
      const before = proxy.requests.length;
      const startedMs = clock.monotonicMs();
      await endingOf(() => connector.readByIds(ids, []));
      if (proxy.requests.length - before < 2) return;
      const waitedMs = clock.monotonicMs() - startedMs;
      assert.ok(waitedMs >= 990, `It sent the next request after ${Math.round(waitedMs)} ms.`);
    });

    it('waits before it tries again, also if a limit does not say how long', async (t) => {
      const ids = await t.crm.addContacts(people(1));
      const clock = createKitClock();
      const { connector, proxy } = await openBehindProxy(t, { clock });
      proxy.rule(only(0, { kind: 'answer', status: 429, body: '{"message":"too many requests"}' }));
      const before = proxy.requests.length;
      const sleptMs = clock.sleptMs();
      await endingOf(() => connector.readByIds(ids, []));
      if (proxy.requests.length - before < 2) return;
      expectThat(clock.sleptMs() > sleptMs, {
        what: 'the wait after a limit without Retry-After',
        ...{ expected: 'a wait by `deps.clock`', actual: 'the next request at once' },
        hint: 'Wait longer after each attempt, as `createHttp` does.',
      });
    });

    it('ends a wait at once when the run stops', async (t) => {
      const ids = await t.crm.addContacts(people(1));
      const stop = new AbortController();
      const { connector, proxy } = await openBehindProxy(t, {
        ...{ clock: systemClock, signal: stop.signal },
      });
      const headers = { 'retry-after': '60' };
      proxy.rule(from(0, { kind: 'answer', status: 429, headers, body: '{}' }));
      const timer = setTimeout(() => stop.abort(), STOP_AFTER_MS);
      const startedMs = performance.now();
      const ending = await endingOf(() => connector.readByIds(ids, []));
      clearTimeout(timer);
      const tookMs = Math.round(performance.now() - startedMs);
      const hint = 'Pass `deps.signal` to each wait, and throw when it is aborted.';
      const what = 'a call that waits for a limit when the run stops';
      expectThat(ending.error !== null, {
        ...{ what, expected: 'an error', actual: 'a result', hint },
      });
      expectThat(tookMs < MOST_AFTER_STOP_MS, {
        ...{ what, expected: 'an end at once', actual: `an end after ${tookMs} ms`, hint },
      });
    });

    it('works again after a failure', async (t) => {
      const ids = await t.crm.addContacts(people(3));
      const [field] = t.crm.textFields;
      const { connector, proxy } = await openBehindProxy(t);
      for (const [name, fault] of FAILURES) {
        proxy.rule(from(0, fault));
        await endingOf(() => collectPages(connector, null));
        await endingOf(() => connector.readByIds(ids, [field]));
        await endingOf(() => connector.describeFields());
        proxy.rule(null);
        const hint =
          'Keep no failed answer: a promise or a page that failed must be asked for again.';
        const pages = await endingOf(() => collectPages(connector, null));
        const found = new Set(listIds(pages.result ?? []));
        expectEqual(found, new Set(ids), `the contacts, once ${name} is over`, hint);
        const lookups = await endingOf(() => connector.readByIds(ids, [field]));
        const states = (lookups.result ?? []).map(({ state }) => state);
        const all = ids.map(() => 'found');
        expectEqual(states, all, `the look-ups, once ${name} is over`, hint);
      }
    });

    if (can('groups')) {
      it('never takes a failure for the end of a group', async (t) => {
        const ids = await t.crm.addContacts(people(3));
        const selector = await t.crm.groups?.add(ids);
        assert.ok(selector, 'the harness has no `groups`.');
        const { connector, proxy } = await openBehindProxy(t);
        const before = proxy.requests.length;
        await collect(connector.readGroup(selector));
        const count = proxy.requests.length - before;
        for (const [name, fault] of FAILURES) {
          for (const position of somePositions(count)) {
            proxy.rule(from(position, fault));
            const ending = await endingOf(() => collect(connector.readGroup(selector)));
            assert.notEqual(ending.error, null, `${name} from request ${position + 1} on`);
          }
        }
      });
    }
  });
}
