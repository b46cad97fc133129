/** Tests that keys stay secret, and how the connector sends requests. */
import assert from 'node:assert/strict';
import type { Connector, Finding, WriteResult } from '../../contract.ts';
import { expectThat } from '../expect.ts';
import {
  createKitClock,
  createKitLog,
  endingOf,
  FAILURES,
  from,
  kindOf,
  LIMITED,
  openBehindProxy,
} from '../faults.ts';
import type { HarnessOptions } from '../harness.ts';
import { errorTexts } from '../leaks.ts';
import type { Fault, FaultProxy, FaultRule, SeenRequest } from '../proxy.ts';
import { collectPages, write } from '../readings.ts';
import type { ConnectorTest, Suite } from '../suite.ts';

const UNAUTHORIZED: Fault = { kind: 'answer', status: 401, body: '{"message":"unauthorized"}' };

/** A delay like the delay of a distant API or of an overloaded API. */
const SLOW: Fault = { kind: 'late', ms: 150 };

/** A person with an unusual name. The name cannot occur in a text by chance. */
const PERSON = {
  firstName: 'Wilhelmine',
  lastName: 'Quastenberg',
  addresses: [],
  employers: [],
};
const NO_KEY_SEEN =
  'The kit sees no key in the requests, so it cannot look for it. Send it in a header, a parameter or a part of the body with key, token, secret, password or auth in its name.';
const VALUE = 'a note about Quastenberg';

export function promiseSignedRequests({ describe, it }: Suite): void {
  describe('keys and requests', () => {
    it('tells a rejected key from a temporary failure, so that a user is told at once', async (t) => {
      const [id = ''] = await t.crm.addContacts([PERSON]);
      const { connector, proxy } = await openBehindProxy(t);
      for (const [name, call] of callsOf(t, connector, id)) {
        const before = proxy.requests.length;
        proxy.rule(from(0, UNAUTHORIZED));
        const ending = await endingOf(call);
        if (proxy.requests.length === before) continue;
        assert.equal(kindOf(ending), 'configuration', `${name} while the key is rejected`);
      }
    });

    it('refuses to open with a rejected key, and reports it as a finding', async (t) => {
      const proxy = await t.proxy();
      proxy.rule(from(0, UNAUTHORIZED));
      const options = { url: proxy.url, clock: createKitClock() };
      assert.equal(kindOf(await endingOf(() => t.another(options))), 'configuration');
      const findings = await checkBehind(t, proxy, options);
      assert.ok(
        findings.some(({ ok }) => !ok),
        'doctor would say that everything is well.',
      );
    });

    it('reports an API that fails as a finding, and does not throw', async (t) => {
      const proxy = await t.proxy();
      for (const [name, fault] of FAILURES) {
        proxy.rule(from(0, fault));
        const options = { url: proxy.url, clock: createKitClock() };
        const findings = await checkBehind(t, proxy, options);
        assert.ok(
          findings.some(({ ok }) => !ok),
          name,
        );
      }
    });

    it('puts no key and nothing about people into errors, results, findings and the log', async (t) => {
      const [id = ''] = await t.crm.addContacts([PERSON]);
      const log = createKitLog();
      const { connector, proxy } = await openBehindProxy(t, { log });
      await write(connector, [{ id, values: { [t.crm.textFields[0]]: VALUE } }]);
      // The log of a successful call must not contain secret data either.
      for (const [, call] of callsOf(t, connector, id)) await call();
      const secrets = proxy.secrets();
      assert.ok(secrets.length > 0, NO_KEY_SEEN);
      const said: string[] = [];
      for (const rule of echoes()) {
        for (const [, call] of callsOf(t, connector, id)) {
          proxy.rule(rule);
          const { result, error } = await endingOf(call);
          if (error !== null) said.push(...errorTexts(error));
          if (Array.isArray(result)) said.push(...result.flatMap(messagesOf));
        }
        const options = { url: proxy.url, clock: createKitClock(), log };
        const findings = await t.crm.check(options);
        said.push(...findings.map(findingText));
        const opening = await endingOf(() => t.another(options));
        if (opening.error !== null) said.push(...errorTexts(opening.error));
      }
      said.push(...log.lines);
      for (const text of said) {
        assert.ok(!secrets.some((secret) => text.includes(secret)), 'A key is in a text.');
        assert.ok(!text.includes(PERSON.lastName), `A name is in a text: ${text}`);
      }
    });

    it('follows no redirect, because it would send the key to another address', async (t) => {
      const [id = ''] = await t.crm.addContacts([PERSON]);
      const { connector, proxy } = await openBehindProxy(t);
      const elsewhere = await t.proxy();
      elsewhere.rule(from(0, { kind: 'answer', status: 200, body: '{}' }));
      for (const status of [301, 302, 307, 308]) {
        for (const [name, call] of callsOf(t, connector, id)) {
          const headers = { location: `${elsewhere.url}/elsewhere` };
          proxy.rule(from(0, { kind: 'answer', status, headers }));
          const before = proxy.requests.length;
          const { error } = await endingOf(call);
          assert.equal(elsewhere.requests.length, 0, `${name} followed a redirect (${status}).`);
          if (proxy.requests.length > before) assert.notEqual(error, null, `${name} (${status})`);
        }
      }
    });

    it('sends each request by the `fetch` that it is given', async (t) => {
      const [id = ''] = await t.crm.addContacts([PERSON]);
      let sent = 0;
      const fetch: typeof globalThis.fetch = (input, init) => {
        sent += 1;
        return globalThis.fetch(input, init);
      };
      const { connector, proxy } = await openBehindProxy(t, { fetch });
      for (const [, call] of callsOf(t, connector, id)) await call();
      assert.equal(sent, proxy.requests.length, 'Addresses from a browser must pass the guard.');
    });

    it('counts each request, and each response that limits it', async (t) => {
      await t.crm.addContacts([PERSON]);
      const calls: boolean[] = [];
      const onCall = ({ throttled }: { throttled: boolean }) => void calls.push(throttled);
      const proxy = await t.proxy();
      // Some connectors send more requests at the same time if the API is slow.
      proxy.rule(() => SLOW);
      const connector = await t.another({ url: proxy.url, clock: createKitClock(), onCall });
      const before = proxy.requests.length;
      calls.length = 0;
      proxy.rule((_, at) => (at === 0 ? LIMITED : SLOW));
      await endingOf(() => collectPages(connector, null));
      assert.equal(calls.length, proxy.requests.length - before);
      assert.deepEqual(
        calls.filter((isThrottled) => isThrottled),
        [true],
      );
    });

    it('puts no name into an address, if it can search', async (t) => {
      await t.crm.addContacts([PERSON]);
      const { connector, proxy } = await openBehindProxy(t);
      if (connector.search === undefined) return;
      await connector.search(PERSON.lastName, 5);
      const named = proxy.requests.filter(({ url }) =>
        url.toLowerCase().includes(PERSON.lastName.toLowerCase()),
      );
      assert.equal(named.length, 0, 'Addresses are in the logs of servers: search with a body.');
    });
  });
}

/** Runs the definition's `check` behind the proxy. The harness must pass the kit's options to `check`. */
async function checkBehind(
  { crm }: ConnectorTest,
  { requests }: FaultProxy,
  options: HarnessOptions,
): Promise<Finding[]> {
  const before = requests.length;
  const findings = await crm.check(options);
  expectThat(requests.length > before, {
    what: 'the requests of `check` to the address in its options',
    ...{ expected: 'one at least', actual: 'none' },
    hint: 'Pass the options on in the harness: `check: (options) => connector.check(testOptions(connector, settings, options))`. If the harness does, `check` of the connector sends no request, and so cannot find a rejected key.',
  });
  return findings;
}

/** Returns the calls that donor-sync makes during a run. */
function callsOf(t: ConnectorTest, connector: Connector, id: string) {
  const [field] = t.crm.textFields;
  const values = { [field]: VALUE };
  const calls: readonly [name: string, call: () => Promise<unknown>][] = [
    ['readPages', () => collectPages(connector, null)],
    ['readByIds', () => connector.readByIds([id], [field])],
    ['write', () => write(connector, [{ id, values }])],
    ['describeFields', () => connector.describeFields()],
  ];
  return calls;
}

/** Returns responses that quote the request, because some servers and proxies send such responses. */
function echoes(): FaultRule[] {
  const answers = [400, 401, 403, 404, 422, 500, 200].map((status) => ({ status, headers: {} }));
  const redirect = { status: 302, headers: { location: 'http://127.0.0.1:9/' } };
  return [
    ...[...answers, redirect].map(
      ({ status, headers }): FaultRule =>
        (request) => ({
          kind: 'answer',
          status,
          headers,
          body: JSON.stringify({
            message: quote(request),
            error: quote(request),
            errors: [quote(request)],
          }),
        }),
    ),
    () => ({ kind: 'break' }),
    (request) => ({ kind: 'answer', status: 200, body: `<html>${quote(request)}</html>` }),
  ];
}

function quote({ method, url, headers, body }: SeenRequest): string {
  return `${method} ${url} ${JSON.stringify(headers)} ${body} ${PERSON.firstName} ${PERSON.lastName} ${VALUE}`;
}

function messagesOf(result: Partial<WriteResult>): string[] {
  if (result.status === 'refused') return [`${result.code} ${result.message}`];
  if (result.status !== 'written_in_part') return [];
  return (result.refusals ?? []).map(({ code, message }) => `${code} ${message}`);
}

function findingText({ words: _, ...finding }: Finding): string {
  return JSON.stringify(finding);
}
