/** Tests the CRM's webhooks: the contacts in a call, the event, and the signature. */
import type { CrmEvent, SignatureVersion } from '../../webhooks.ts';
import { expectEqual, expectThat, show } from '../expect.ts';
import type { WebhookCalls } from '../harness.ts';
import { people } from '../seeds.ts';
import type { ConnectorTest, Suite } from '../suite.ts';

const SECRET = 'a webhook secret of the kit';

const DAY_MS = 86_400_000;

/** Bodies that do not come from this CRM. */
const FOREIGN: readonly Readonly<Record<string, unknown>>[] = [
  ...[{}, { id: '1' }, { ids: ['1'] }, { contactId: '1' }, { type: 'deleted', id: '1' }],
  ...[{ event: 'contact.deleted', data: { id: '1' } }, { reason: 'privacy' }, { ids: null }],
];

const PRIVACY_HINT =
  'A privacy deletion erases the people here for good, with everything that was bought for them. Set `isPrivacyDeletion` only for the event or the reason that says so, and never for merges and other deletions.';

export function promiseWebhooks({ describe, it, can }: Suite): void {
  if (!can('webhooks')) return;
  describe('webhooks', () => {
    it('name the contacts that have changed, and the account', async (t) => {
      const calls = callsOf(t);
      const ids = await t.start(people(2));
      const events = read(calls, calls.changed(ids)) ?? [];
      const hint =
        'Return all ids of the call, from each of its events, in the form of the CRM, and the CRM’s id of the account.';
      const what = 'the ids that are read from a call about two changed contacts';
      expectEqual([...new Set(idsOf(events))].sort(), [...ids].sort(), what, hint);
      for (const { account, isPrivacyDeletion = false } of events) {
        expectThat(account == null || String(account) === t.connector.account.id, {
          what: 'the account of a call',
          expected: `${t.connector.account.id}, as in \`account.id\` of the connector, or none`,
          ...{ actual: show(account), hint },
        });
        expectEqual(isPrivacyDeletion, false, 'whether a change erases its contact', PRIVACY_HINT);
      }
    });

    it('tell a deletion for privacy from every other one', async (t) => {
      const calls = callsOf(t);
      const ids = await t.start(people(2));
      const [first = '', second = ''] = ids;
      const bodies = [calls.deleted(ids)].flat().map((body) => ['deletion', body] as const);
      const merge = calls.merged?.(first, second);
      for (const [name, body] of [...bodies, ...(merge ? [['merge', merge] as const] : [])]) {
        const erased = (read(calls, body) ?? []).filter(isErasing);
        const what = `the ids that are erased by a call about a ${name} that nobody asked for to protect privacy: ${body}`;
        expectEqual(idsOf(erased), [], what, PRIVACY_HINT);
      }
      if (calls.erased === undefined) return;
      const erased = (read(calls, calls.erased([first])) ?? []).filter(isErasing);
      const what = 'the ids that are erased by a call about a deletion for privacy';
      const hint = 'Set `isPrivacyDeletion` for it, or the people stay here.';
      expectEqual([...new Set(idsOf(erased))], [first], what, hint);
    });

    it('are only those of this CRM, and about contacts', async (t) => {
      const calls = callsOf(t);
      const ids = await t.start(people(1));
      for (const body of calls.others) {
        const what = `the ids that are read from a call about other records: ${body}`;
        const hint =
          'Read the type of the record from the call: its id may also be the id of a contact.';
        expectEqual(idsOf(read(calls, body) ?? []), [], what, hint);
      }
      const { readEvent, readText } = calls.definition;
      const hint =
        'It gets the bodies of all callers. Recognise your own form with certainty, check the type of each member, and return null for anything else.';
      for (const object of [...FOREIGN, ...damaged(calls.changed(ids))]) {
        const what = `readEvent(${show(object)})`;
        const events = quietly(() => readEvent?.(object) ?? null, what, hint);
        if (FOREIGN.includes(object)) expectEqual(events, null, what, hint);
      }
      for (const text of ['', 'hello', '<xml/>', '{"id":1}']) {
        const what = `readText(${show(text)})`;
        expectEqual(
          quietly(() => readText?.(text) ?? null, what, hint),
          null,
          what,
          hint,
        );
      }
    });

    it('are signed over their time and their body', async (t) => {
      const calls = callsOf(t);
      const ids = await t.start(people(1));
      const { signature } = calls.definition;
      if (signature === undefined || calls.signed === undefined) {
        expectThat(signature === undefined, {
          what: '`webhooks` of the harness',
          expected: '`signed`, because the definition has a signature',
          actual: 'none',
          hint: 'Sign a call in the harness as the documentation of the CRM says, with code of its own: the kit compares it with the signature of the connector.',
        });
        return;
      }
      const body = calls.changed(ids);
      const { method, url, headers } = calls.signed(body, SECRET);
      const version = signature.versions.find(({ header }) => headers[header] !== undefined);
      const hint =
        'Sign the body exactly as received, with the secret and the time, as the documentation of the CRM says. A part that is not signed can be forged, and without the time a call can be repeated.';
      expectThat(version !== undefined, {
        what: 'the header with the signature',
        expected: `one of ${signature.versions.map(({ header }) => header)}`,
        actual: show(Object.keys(headers)),
        hint: 'Names of headers are in lower case.',
      });
      if (version === undefined) return;
      const given = headers[version.header] ?? '';
      const time = version.timestamp === null ? '' : (headers[version.timestamp.header] ?? '');
      const sign = signing(version, { method, url, headers }, given);
      expectEqual(
        sign(SECRET, body, time),
        given,
        'the signature of a call that the CRM has signed',
        hint,
      );
      const forged = {
        'another secret': sign(`${SECRET}!`, body, time),
        'another body': sign(SECRET, `${body} `, time),
        ...(version.timestamp === null ? {} : { 'another time': sign(SECRET, body, `${time}0`) }),
      };
      for (const [name, made] of Object.entries(forged)) {
        expectThat(made !== given, {
          what: `the signature of a call with ${name}`,
          ...{ expected: 'another signature', actual: 'the same', hint },
        });
      }
      if (version.timestamp === null) return;
      const atMs = Number(time) * version.timestamp.unitMs;
      expectThat(Math.abs(atMs - Date.now()) < DAY_MS, {
        what: `the signed time ${time} in units of ${version.timestamp.unitMs} ms`,
        expected: 'the present time',
        actual: Number.isFinite(atMs) ? new Date(atMs).toString() : 'no time',
        hint: '`unitMs` is 1000 for seconds, and 1 for milliseconds. With the wrong unit, each call seems too old.',
      });
    });
  });
}

function callsOf({ crm }: ConnectorTest): WebhookCalls {
  if (crm.webhooks === undefined) throw new Error('The harness has no `webhooks`.');
  return crm.webhooks;
}

/** Reads a body in the same way as donor-sync does. Returns null if the body does not have the CRM's form. */
function read({ definition }: WebhookCalls, body: string): readonly CrmEvent[] | null {
  const json = parsed(body);
  if (json === undefined) return definition.readText?.(body) ?? null;
  const events = [json].flat().flatMap((object) => definition.readEvent?.(object) ?? []);
  return events.length === 0 ? null : events;
}

/** Returns the events' contact IDs. donor-sync ignores values that are not IDs. */
function idsOf(events: readonly CrmEvent[]): string[] {
  const isId = (id: unknown) => typeof id === 'string' || typeof id === 'number';
  return events.flatMap(({ ids }) => ids.filter(isId).map(String));
}

function isErasing({ isPrivacyDeletion = false }: CrmEvent): boolean {
  return isPrivacyDeletion;
}

function parsed(body: string): Record<string, unknown> | Record<string, unknown>[] | undefined {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Returns copies of the body. In each copy, one member has a wrong type. */
function damaged(body: string): Record<string, unknown>[] {
  return [parsed(body) ?? []]
    .flat()
    .flatMap((object) =>
      Object.keys(object).flatMap((name) =>
        [null, 7, [], {}, [null]].map((value) => ({ ...object, [name]: value })),
      ),
    );
}

function quietly<Result>(call: () => Result, what: string, hint: string): Result | undefined {
  try {
    return call();
  } catch (error) {
    expectThat(false, { what, expected: 'no error', actual: String(error), hint });
    return undefined;
  }
}

function signing(
  { sign }: SignatureVersion,
  { method, url, headers }: ReturnType<NonNullable<WebhookCalls['signed']>>,
  given: string,
) {
  return (secret: string, body: string, time: string) =>
    sign(
      secret,
      { method, url, body: Buffer.from(body), header: (name) => headers[name] },
      time,
      given,
    );
}
