/** Tests failures of only one kind of request, and incomplete responses. */
import type { ContactChange, WriteResult } from '../../contract.ts';
import { expectEqual, expectThat, show } from '../expect.ts';
import {
  createKitClock,
  endingOf,
  from,
  kindOf,
  LIMITED,
  openBehindProxy,
  writeUntilEnd,
} from '../faults.ts';
import { errorTexts } from '../leaks.ts';
import type { Fault, FaultProxy, SeenRequest } from '../proxy.ts';
import { collect, collectPages, lastCursor, listIds, listRemoved } from '../readings.ts';
import { people } from '../seeds.ts';
import type { Suite } from '../suite.ts';

const LASTING: readonly (readonly [name: string, fault: Fault])[] = [
  ['status 500', { kind: 'answer', status: 500, body: '{"message":"internal error"}' }],
  ['a limit (429)', LIMITED],
  ['a connection that breaks', { kind: 'break' }],
];

const SWALLOWED_HINT =
  'Let the error of each request through. Where a request may be refused for good, as by a plan without this list, catch only the status that says so: a `catch` without a condition also swallows limits and failures, and the cursor goes on without what was lost.';

/** The wait is longer than a second, because an HTTP date has no fractions of a second. */
const WAIT_MS = 5_000;

const TEMPORARY = [408, 429, 500, 502, 503, 504];

export function promiseFaultyParts({ describe, it, can }: Suite): void {
  describe('requests that fail while others work', () => {
    it('never lose contacts or removals from a reading', async (t) => {
      const ids = await t.crm.addContacts(people(6));
      const { connector, proxy } = await openBehindProxy(t);
      const cursor = lastCursor(await collectPages(connector, null));
      const [loser = '', winner = '', gone = '', edited = ''] = ids;
      if (can('mergeContacts')) await t.crm.mergeContacts?.(loser, winner);
      await t.crm.deleteContact(gone);
      await t.crm.editContact(edited, { lastName: 'Newname' });
      for (const start of cursor === null ? [null] : [null, cursor]) {
        const call = async () => {
          const pages = await collectPages(connector, start);
          return { contacts: sorted(listIds(pages)), removed: sorted(listRemoved(pages)) };
        };
        await failEachKind(
          proxy,
          call,
          `a reading ${start === null ? 'of all' : 'after a cursor'}`,
        );
      }
    });

    it('never look complete if the CRM refuses a list for good', async (t) => {
      const ids = await t.crm.addContacts(people(6));
      const selector = can('groups') ? await t.crm.groups?.add(ids.slice(3)) : undefined;
      const { connector, proxy } = await openBehindProxy(t);
      const cursor = lastCursor(await collectPages(connector, null));
      const [loser = '', winner = '', gone = ''] = ids;
      if (can('mergeContacts')) await t.crm.mergeContacts?.(loser, winner);
      await t.crm.deleteContact(gone);
      for (const start of cursor === null ? [null] : [null, cursor]) {
        const call = async () => {
          const pages = await collectPages(connector, start);
          return { contacts: sorted(listIds(pages)), removed: sorted(listRemoved(pages)) };
        };
        await refuseEachKind(
          proxy,
          call,
          `a reading ${start === null ? 'of all' : 'after a cursor'}`,
        );
      }
      if (selector === undefined) return;
      const read = async () => sorted((await collect(connector.readGroup(selector))).flat());
      await refuseEachKind(proxy, read, 'readGroup');
      await refuseEachKind(proxy, () => connector.listGroups(), 'listGroups');
    });

    it('never lead to a reading without the cursor, if the CRM refuses the cursor as too old', async (t) => {
      const ids = await t.crm.addContacts(people(3));
      const { connector, proxy } = await openBehindProxy(t);
      if (!connector.capabilities.incremental) return;
      const cursor = lastCursor(await collectPages(connector, null));
      const full = new Set(proxy.requests.map(textOf));
      await t.crm.editContact(ids[0] ?? '', { lastName: 'Newname' });
      for (const status of [410, 400]) {
        let refused = 0;
        proxy.rule((request) => {
          // A request that is also sent in a reading without a cursor does not contain the cursor.
          if (full.has(textOf(request))) return null;
          refused += 1;
          return { kind: 'answer', status, body: '{"message":"too old"}' };
        });
        const cursors: (string | null)[] = [];
        const ending = await endingOf(async () => {
          for await (const page of connector.readPages(cursor)) cursors.push(page.cursor);
        });
        proxy.rule(null);
        // The kit cannot refuse the cursor, because no request address and no request body contains the cursor.
        if (refused === 0) return;
        const situation = `a reading after a cursor, while each request that contains it is refused with ${status}`;
        const kind = kindOf(ending);
        // The error says that the caller has to wait, or that a user has to start a full reading. Both errors stop the
        // run and keep the cursor.
        expectThat(kind === 'retriable' || kind === 'configuration', {
          what: `the end of ${situation}`,
          expected: 'a RetriableError or a ConfigurationError',
          actual: kind === null ? 'a reading that looks complete' : `an error of the kind ${kind}`,
          hint: OLD_CURSOR_HINT,
        });
        expectEqual(
          cursors.filter((each) => each !== null && each !== cursor),
          [],
          `new cursors before the error of ${situation}`,
          OLD_CURSOR_HINT,
        );
      }
    });

    it('put nobody into an error about a response that lacks something', async (t) => {
      const ids = await t.crm.addContacts([PERSON, PERSON, PERSON]);
      const [field] = t.crm.textFields;
      const { connector, proxy } = await openBehindProxy(t);
      await writeUntilEnd(
        connector,
        ids.map((id) => ({ id, values: { [field]: VALUE } })),
      );
      const sentAtMs = Date.now();
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        readPages: () => collectPages(connector, null),
        readByIds: () => connector.readByIds(ids, [field]),
        findIncluded: async () => connector.findIncluded?.(ids),
        findMerged: async () => connector.findMerged?.(ids[0] ?? ''),
        search: async () => connector.search?.('Quastenberg', 20),
        readBack: async () =>
          connector.readBack?.(ids.map((id) => ({ id, fields: [field], sentAtMs }))),
        write: () => writeUntilEnd(connector, [{ id: ids[0] ?? '', values: { [field]: VALUE } }]),
      };
      for (const [name, call] of Object.entries(calls)) {
        for (const [lack, change] of LACKS) {
          proxy.rule(() => ({ kind: 'alter', change: (text) => change(text, ids.length) }));
          const { error } = await endingOf(call);
          proxy.rule(null);
          const leaked = error === null ? [] : errorTexts(error).filter(isAboutPerson);
          expectEqual(
            leaked,
            [],
            `what an error of ${name} says about people, after a response that lacks ${lack}`,
            'Put only statuses, codes, numbers and names of fields into `details`, `cause` and other parts of an error: never a response or a part of it, because errors are logged.',
          );
        }
      }
    });

    it('never change the answer about single contacts', async (t) => {
      const ids = await t.crm.addContacts(people(5));
      const [field] = t.crm.textFields;
      const { connector, proxy } = await openBehindProxy(t);
      const [loser = '', winner = '', gone = ''] = ids;
      const sentAtMs = Date.now();
      await writeUntilEnd(
        connector,
        ids.map((id) => ({ id, values: { [field]: 'ours' } })),
      );
      if (can('mergeContacts')) await t.crm.mergeContacts?.(loser, winner);
      await t.crm.deleteContact(gone);
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        readByIds: () => connector.readByIds(ids, [field]),
        findMerged: async () => connector.findMerged?.(winner),
        findIncluded: async () => sorted([...((await connector.findIncluded?.(ids)) ?? [])]),
        search: async () => sorted((await connector.search?.('Last', 20)) ?? []),
        readBack: async () =>
          connector.readBack?.(ids.map((id) => ({ id, fields: [field], sentAtMs }))),
        findAutomated: async () =>
          connector.findAutomated?.(ids.map((id) => ({ id, fields: [field] }))),
      };
      for (const [name, call] of Object.entries(calls)) await failEachKind(proxy, call, name);
    });

    it('never lose fields, groups, members or marks', async (t) => {
      const ids = await t.crm.addContacts(people(4));
      const selector = can('groups') ? await t.crm.groups?.add(ids) : undefined;
      const { connector, proxy } = await openBehindProxy(t);
      await failEachKind(proxy, () => connector.describeFields(), 'describeFields');
      if (selector === undefined) return;
      await failEachKind(proxy, () => connector.listGroups(), 'listGroups');
      const read = async () => sorted((await collect(connector.readGroup(selector))).flat());
      await failEachKind(proxy, read, 'readGroup');
    });

    it('are temporary with each status that says so', async (t) => {
      const ids = await t.crm.addContacts(people(2));
      const { connector, proxy } = await openBehindProxy(t);
      for (const status of TEMPORARY) {
        proxy.rule(from(0, { kind: 'answer', status, body: '{"message":"later"}' }));
        const ending = await endingOf(() => connector.readByIds(ids, []));
        const hint =
          'Throw a RetriableError for 408, 429 and 5xx, as `createHttp` does: waiting is enough, so nobody has to change anything.';
        expectEqual(
          kindOf(ending),
          'retriable',
          `the error while each response is ${status}`,
          hint,
        );
      }
    });

    it('wait until the time that Retry-After names', async (t) => {
      const ids = await t.crm.addContacts(people(1));
      const clock = createKitClock();
      const { connector, proxy } = await openBehindProxy(t, { clock });
      const before = proxy.requests.length;
      const startedMs = clock.monotonicMs();
      const until = new Date(Math.ceil((clock.now() + WAIT_MS) / 1_000) * 1_000).toUTCString();
      const fault: Fault = {
        ...LIMITED,
        kind: 'answer',
        status: 429,
        headers: { 'retry-after': until },
      };
      proxy.rule((_, at) => (at === 0 ? fault : null));
      await endingOf(() => connector.readByIds(ids, []));
      if (proxy.requests.length - before < 2) return;
      const waitedMs = Math.round(clock.monotonicMs() - startedMs);
      expectThat(waitedMs >= WAIT_MS / 2, {
        what: `the wait after a limit with Retry-After: ${until}, in ${WAIT_MS / 1_000} s`,
        ...{ expected: 'about this time', actual: `${waitedMs} ms` },
        hint: 'Retry-After is a number of seconds or a date. `createHttp` reads both.',
      });
    });

    it('acknowledge no change that the response does not mention', async (t) => {
      const ids = await t.crm.addContacts(people(3));
      const [field] = t.crm.textFields;
      const { connector, proxy } = await openBehindProxy(t);
      const changesOf = (value: string): ContactChange[] =>
        ids.map((id) => ({ id, values: { [field]: value } }));
      const seen = proxy.replies.length;
      await writeUntilEnd(connector, changesOf('carriedOut'));
      const batch = proxy.replies
        .slice(seen)
        .find(
          (reply) => reply.request.body.includes('carriedOut') && listOf(reply.body, ids.length),
        );
      // This CRM receives each change in a separate request.
      if (batch === undefined) return;
      for (const kept of [0, 1, ids.length - 1]) {
        const value = `lost${kept}`;
        const body = shortened(batch.body, ids.length, kept);
        // The CRM does not receive the request. The proxy returns an earlier response from which some results were
        // removed.
        proxy.rule((request) =>
          request.body.includes(value) ? { kind: 'answer', status: batch.status, body } : null,
        );
        const { results } = await writeUntilEnd(connector, changesOf(value));
        proxy.rule(null);
        const written = results.filter(({ status }) => status === 'written').length;
        expectThat(written <= kept, {
          what: `the number of acknowledged changes, of ${ids.length}, if the response has ${kept} results`,
          ...{ expected: `${kept} at most`, actual: String(written) },
          hint: 'Look for the result of each change, and refuse a change without one (`retriable`): never take a missing result, or a status 200, for success.',
        });
      }
    });

    it('repeat no text of the CRM about a contact or a value', async (t) => {
      const [id = '', closed = ''] = await t.crm.addContacts([PERSON, PERSON]);
      const [bad, good] = t.crm.textFields;
      const { connector, proxy } = await openBehindProxy(t);
      if (can('refuseField')) await t.crm.refuseField?.(id, bad);
      if (can('refuseWrites')) await t.crm.refuseWrites?.(closed);
      const changes: ContactChange[] = [id, closed].flatMap((each) => {
        const text = `${VALUE}, ${each}`;
        return [
          { id: each, values: { [bad]: text, [good]: text } },
          { id: each, values: { [bad]: text } },
          { id: each, values: { [good]: text, no_such_field: text } },
        ];
      });
      for (const fault of [null, { kind: 'alter', change: withQuotes } as const]) {
        for (const change of changes) {
          proxy.rule(() => fault);
          const { results, error } = await writeUntilEnd(connector, [change]);
          proxy.rule(null);
          const said = [...results.flatMap(textsOf), ...(error === null ? [] : errorTexts(error))];
          for (const text of said) {
            expectThat(!isAboutPerson(text), {
              what: 'a result or an error of a refused change',
              expected: 'an own sentence, without the text of the CRM',
              actual: text,
              hint: 'The CRM’s messages quote people and values, also those inside of a successful response (200, 207). Read only codes and names of fields from them, and write your own sentence.',
            });
          }
        }
      }
    });
  });
}

const PERSON = {
  ...{ firstName: 'Wilhelmine', lastName: 'Quastenberg' },
  ...{ addresses: [], employers: [] },
};

const VALUE = 'a remark on Quastenberg';

function isAboutPerson(text: string): boolean {
  return /Quastenberg|Wilhelmine/.test(text);
}

/** Statuses that refuse the whole request if they are not about a single contact. */
const REFUSALS = [400, 403, 409, 410, 422, 423];

const REFUSED_LIST_HINT =
  'Throw for each status of a list but the one that says “this plan has no such list” (often 404). `http.ask` also returns 400, 403, 409, 410, 422 and 423: check `status`, and throw for the others. A list that is taken for empty loses people, deletions or members.';

const OLD_CURSOR_HINT =
  'If the CRM does not accept the cursor any more (often 410), throw, and never read without the cursor: the deletions between the cursor and today would be lost, and nobody would notice.';

function textOf({ method, url, body }: SeenRequest): string {
  return [method, url, body].join(' ');
}

/** Responses that lack some of their parts. */
const LACKS: readonly (readonly [
  lack: string,
  change: (text: string, length: number) => string,
])[] = [
  ['the last entry', (text, length) => shortened(text, length, length - 1)],
  ['all entries', (text, length) => shortened(text, length, 0)],
  ['an id in each entry', (text) => JSON.stringify(withoutIds(parsed(text)))],
];

function withoutIds(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withoutIds);
  if (!isObject(json)) return json;
  const kept = Object.entries(json).filter(([name]) => !/^(id|.*_id|contactId)$/i.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutIds(value)]));
}

/**
 * Returns the codes and messages of refused changes. The CRM's own text is excluded, because donor-sync stores it
 * separately and encrypted.
 */
function textsOf(result: WriteResult): string[] {
  if (result.status === 'written') return [];
  const refusals = result.status === 'refused' ? [result] : result.refusals;
  return refusals.map(({ code, message, fields }) => show([code, message, fields]));
}

/**
 * Repeats the call once for each kind of request that it sends. In each repetition, all requests of that kind fail. The
 * call must then also fail, or return the same result.
 */
async function failEachKind(
  proxy: FaultProxy,
  call: () => Promise<unknown>,
  name: string,
): Promise<void> {
  proxy.rule(null);
  const before = proxy.requests.length;
  const right = await call();
  const kinds = [...new Set(proxy.requests.slice(before).map(kindOfRequest))];
  for (const kind of kinds) {
    for (const [failure, fault] of LASTING) {
      proxy.rule((request) => (kindOfRequest(request) === kind ? fault : null));
      const ending = await endingOf(call);
      proxy.rule(null);
      const situation = `${name}, while each ${kind} ends in ${failure}`;
      if (ending.error === null) {
        expectEqual(ending.result, right, `the result of ${situation}`, SWALLOWED_HINT);
      } else {
        const what = `the kind of the error of ${situation}`;
        expectEqual(kindOf(ending), 'retriable', what, SWALLOWED_HINT);
      }
    }
  }
}

/**
 * Repeats the call and refuses each kind of request with each status. The call must then also fail, or return the same
 * result.
 */
async function refuseEachKind(
  proxy: FaultProxy,
  call: () => Promise<unknown>,
  name: string,
): Promise<void> {
  proxy.rule(null);
  const before = proxy.requests.length;
  const right = await call();
  const kinds = [...new Set(proxy.requests.slice(before).map(kindOfRequest))];
  for (const kind of kinds) {
    for (const status of REFUSALS) {
      const fault: Fault = { kind: 'answer', status, body: '{"message":"refused"}' };
      proxy.rule((request) => (kindOfRequest(request) === kind ? fault : null));
      const ending = await endingOf(call);
      proxy.rule(null);
      if (ending.error !== null) continue;
      const what = `the result of ${name}, while each ${kind} is refused with ${status}`;
      expectEqual(ending.result, right, what, REFUSED_LIST_HINT);
    }
  }
}

/** Returns the kind of a request: its method, its path without IDs, and the object type of a query. */
function kindOfRequest({ method, url, body }: SeenRequest): string {
  const { pathname, searchParams } = new URL(url, 'http://proxy');
  const path = pathname.replace(/\/[^/]*\d[^/]*(?=\/|$)/g, (part) =>
    /^\/v\d+(\.\d+)?$/.test(part) ? part : '/*',
  );
  const [, object] = /\bfrom\s+(\w+)/i.exec(searchParams.get('q') ?? body.slice(0, 2_000)) ?? [];
  return `${method} ${path}${object === undefined ? '' : ` from ${object}`}`;
}

function sorted<Item>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns true if the response contains a list with one result for each change. The list can be the response itself or
 * one of its members.
 */
function listOf(text: string, length: number): boolean {
  const json = parsed(text);
  const isList = (each: unknown) => Array.isArray(each) && each.length === length;
  return isList(json) || (isObject(json) && Object.values(json).some(isList));
}

function shortened(text: string, length: number, kept: number): string {
  const json = parsed(text);
  const cut = (each: unknown) =>
    Array.isArray(each) && each.length === length ? each.slice(0, kept) : each;
  if (!isObject(json)) return JSON.stringify(cut(json));
  return JSON.stringify(
    Object.fromEntries(Object.entries(json).map(([name, each]) => [name, cut(each)])),
  );
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** Adds a quotation to each message of a response, because many CRMs quote people and values in their messages. */
function withQuotes(text: string): string {
  const json = parsed(text);
  return json === undefined ? text : JSON.stringify(quoting(json));
}

function quoting(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(quoting);
  if (!isObject(json)) return json;
  const isMistake = Object.keys(json).some((name) => /code|error/i.test(name));
  const parts = Object.entries(json).map(([name, value]) => {
    const isMessage = /^(message|detail|details|description|reason|error_?message|title)$/i.test(
      name,
    );
    return [name, isMessage && typeof value === 'string' ? `${value} ${VALUE}` : quoting(value)];
  });
  const quoted = Object.fromEntries(parts);
  return isMistake && !('message' in quoted) ? { ...quoted, message: VALUE } : quoted;
}
