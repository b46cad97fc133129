/** Tests writes while the CRM's API fails and while users change contacts. */
import assert from 'node:assert/strict';
import { isDonorSyncError } from '../../../src/core/errors.ts';
import type { ContactChange } from '../../contract.ts';
import { expectEqual } from '../expect.ts';
import {
  endingOf,
  FAILURES,
  from,
  LIMITED,
  only,
  openBehindProxy,
  somePositions,
  type Written,
  writeUntilEnd,
} from '../faults.ts';
import type { Fault } from '../proxy.ts';
import { people } from '../seeds.ts';
import type { ConnectorTest, Suite } from '../suite.ts';

/**
 * Some APIs respond to a write with any body or with no body. An unusual response to a write is therefore not an error.
 */
const MEANINGLESS = ['an empty response', 'a response in another form'];

const WRITE_FAILURES: readonly (readonly [string, Fault])[] = [
  ...FAILURES.filter(([name]) => !MEANINGLESS.includes(name)),
  ['a lost response', { kind: 'lose' }],
  ['a limit', LIMITED],
];

/** The delay of a response. The next request arrives before the delay ends. */
const LATE_MS = 300;

/**
 * The tolerance when a test searches a history for the time of a write. The tolerance exists because the clocks in a
 * test may differ.
 */
const TOLERANCE_MS = 60_000;

/** The maximum number of requests. A connector needs fewer requests to find which of two values the CRM refuses. */
const MAX_TRIES = 100;

const BLAMES_ANOTHER_FIELD: Fault = {
  kind: 'answer',
  status: 422,
  body: JSON.stringify({
    ...{ error: 'RULE', code: 'RULE', message: 'not this', field: 'another_field' },
    ...{ fields: ['another_field'], errors: [{ code: 'RULE', field: 'another_field' }] },
  }),
};

export function promiseFaultyWriting({ describe, it, can, notShown }: Suite): void {
  describe('writing while the API fails', () => {
    it('acknowledges nothing that is not in the CRM, and calls no temporary failure final', async (t) => {
      const ids = await t.crm.addContacts(people(3));
      const [field] = t.crm.textFields;
      const { connector, proxy } = await openBehindProxy(t);
      const before = proxy.requests.length;
      await writeUntilEnd(connector, changesOf(ids, field, 'first'));
      const positions = somePositions(proxy.requests.length - before);
      let round = 0;
      for (const [name, fault] of WRITE_FAILURES) {
        for (const rule of [from, only]) {
          for (const position of positions) {
            round += 1;
            const value = `value ${round}`;
            proxy.rule(rule(position, fault));
            const written = await writeUntilEnd(connector, changesOf(ids, field, value));
            proxy.rule(null);
            const where = `${name} ${rule === from ? 'from' : 'at'} request ${position + 1}`;
            await checkWritten(t, written, ids, field, value, where);
          }
        }
      }
    });

    it('lets the later of two changes of one contact win, however slow the earlier one is', async (t) => {
      const [id = ''] = await t.crm.addContacts(people(1));
      const [field] = t.crm.textFields;
      const { connector, proxy } = await openBehindProxy(t);
      proxy.rule(({ body }) =>
        body.includes('the earlier') ? { kind: 'late', ms: LATE_MS } : null,
      );
      const values = ['the earlier', 'the later'];
      const { results } = await writeUntilEnd(
        connector,
        values.map((value) => ({ id, values: { [field]: value } })),
      );
      proxy.rule(null);
      if (results.length < values.length) return;
      expectEqual(
        await t.crm.seenValue(id, field),
        'the later',
        'the value in the CRM after two changes of one contact in one call',
        'Send a change only after the earlier change of the same contact has ended: with `inLanes`, return true from `mustWait` for a contact that is in the call already.',
      );
    });

    if (can('losesFormer')) {
      notShown(
        'not shown, because the CRM shows a replaced value only in the request that replaces it (`losesFormer`): typed values after a lost response',
      );
    } else promiseFormerValues({ it });

    it('acknowledges nothing that the API refuses', async (t) => {
      const ids = await t.crm.addContacts(people(2));
      const [field] = t.crm.textFields;
      const { connector, proxy } = await openBehindProxy(t);
      for (const status of [400, 403, 404, 409, 422]) {
        const value = `refused with ${status}`;
        proxy.rule((request) =>
          request.method === 'GET'
            ? null
            : { kind: 'answer', status, body: '{"message":"not this"}' },
        );
        const { results } = await writeUntilEnd(connector, changesOf(ids, field, value));
        proxy.rule(null);
        for (const { id, status: result } of results) {
          if (result === 'refused') continue;
          assert.equal(await t.crm.seenValue(id, field), value, `status ${status}: ${result}`);
        }
      }
    });

    it('refuses a change if the CRM blames a field that the change does not contain', async (t) => {
      const [id = ''] = await t.crm.addContacts(people(1));
      const [field, other] = t.crm.textFields;
      const { connector, proxy } = await openBehindProxy(t);
      let refused = 0;
      proxy.rule(({ method }) => {
        if (method === 'GET') return null;
        refused += 1;
        // Refuses the sign-in, so that a connector that retries forever stops.
        return refused > MAX_TRIES ? { kind: 'answer', status: 401 } : BLAMES_ANOTHER_FIELD;
      });
      const values = { [field]: 'ours', [other]: 'ours' };
      const { results } = await writeUntilEnd(connector, [{ id, values }]);
      proxy.rule(null);
      assert.ok(refused <= MAX_TRIES, 'It sends the same change again and again.');
      assert.ok(
        results.every(({ status }) => status === 'refused'),
        'Nothing was written.',
      );
    });

    it('leaves alone what users change while it writes', async (t) => {
      const [id = '', other = ''] = await t.crm.addContacts(people(2));
      const [field, untouched] = t.crm.textFields;
      const { connector, proxy } = await openBehindProxy(t);
      await connector.readByIds([id, other], [field, untouched]);
      let edits = 0;
      const lost: string[] = [];
      proxy.around({
        async before() {
          edits += 1;
          await t.crm.setValue(id, untouched, `typed ${edits}`);
          await t.crm.editContact(id, { lastName: `Married${edits}` });
        },
        async after() {
          const seen = await t.crm.seenValue(id, untouched);
          if (seen !== `typed ${edits}`) lost.push(`${untouched}: ${seen}`);
        },
      });
      await writeUntilEnd(connector, changesOf([id, other], field, 'ours'));
      proxy.around(null);
      assert.deepEqual(lost, [], 'Write only the fields of the change, never the whole record.');
      if (edits === 0) return;
      const [lookup] = await connector.readByIds([id], [field]);
      assert.equal(lookup?.state === 'found' && lookup.contact.lastName, `Married${edits}`);
      assert.equal(await t.crm.seenValue(id, field), 'ours');
    });

    it('writes all values of a change with `together`, or none, if a request fails', async (t) => {
      const [id = ''] = await t.crm.addContacts(people(1));
      const { connector, proxy } = await openBehindProxy(t);
      if (connector.capabilities.writesTogether !== true) return;
      const [field, other] = t.crm.textFields;
      const before = proxy.requests.length;
      const change = { id, values: { [field]: 'x', [other]: 'x' }, together: true };
      await writeUntilEnd(connector, [change]);
      const positions = somePositions(proxy.requests.length - before);
      for (const [name, fault] of WRITE_FAILURES) {
        for (const position of positions) {
          for (const each of [field, other]) await t.crm.setValue(id, each, 'former');
          proxy.rule(from(position, fault));
          const values = { [field]: 'ours', [other]: 'ours' };
          await writeUntilEnd(connector, [{ ...change, values }]);
          proxy.rule(null);
          const seen = [await t.crm.seenValue(id, field), await t.crm.seenValue(id, other)];
          assert.equal(seen[0], seen[1], `${name} from request ${position + 1} on`);
        }
      }
    });

    if (can('newField')) {
      it('creates a field once even if the response is lost', async (t) => {
        const { newField } = t.crm;
        assert.ok(newField, 'The harness has no new field.');
        const { connector, proxy } = await openBehindProxy(t);
        proxy.rule(({ method }) => (method === 'GET' ? null : { kind: 'lose' }));
        await endingOf(() => connector.createFields([newField]));
        proxy.rule(null);
        const [creation] = await connector.createFields([newField]);
        assert.notEqual(creation?.result, 'failed');
        const fields = await connector.describeFields();
        assert.equal(fields.filter(({ name }) => name === newField.name).length, 1);
      });
    }
  });
}

function promiseFormerValues({ it }: Pick<Suite, 'it'>): void {
  it('tells of a typed value that it replaced, even if the response is lost', async (t) => {
    const [id = ''] = await t.crm.addContacts(people(1));
    const [field] = t.crm.textFields;
    const { connector, proxy } = await openBehindProxy(t);
    if (connector.capabilities.tellsOverwritten === undefined) return;
    const before = proxy.requests.length;
    await writeUntilEnd(connector, [
      { id, values: { [field]: 'former' }, seen: { [field]: null } },
    ]);
    const count = proxy.requests.length - before;
    for (const position of somePositions(count)) {
      const typed = `typed before request ${position + 1}`;
      const [seen] = await connector.readByIds([id], [field]);
      await t.crm.setValue(id, field, typed);
      proxy.rule(only(position, { kind: 'lose' }));
      const sentAtMs = Date.now() - TOLERANCE_MS;
      const values = { [field]: `ours ${position}` };
      const read = seen?.state === 'found' ? seen.values : {};
      const { results } = await writeUntilEnd(connector, [{ id, values, seen: read }]);
      proxy.rule(null);
      const [result] = results;
      // If a write was not confirmed, the next run reads the contact again.
      if (result?.status !== 'written') continue;
      const [back] =
        connector.capabilities.tellsOverwritten === 'readBack'
          ? ((await connector.readBack?.([
              { id, fields: [field], sentAtMs, sent: values, seen: read },
            ])) ?? [])
          : [result];
      expectEqual(
        back?.overwritten?.values,
        { [field]: typed },
        `\`overwritten\` after the response to request ${position + 1} was lost`,
        'The repeated request finds our own value. Send an idempotency key so that the CRM repeats its first answer, or look for the former value in the history of the field.',
      );
    }
  });
}

function changesOf(ids: readonly string[], field: string, value: string): ContactChange[] {
  return ids.map((id) => ({ id, values: { [field]: value } }));
}

async function checkWritten(
  { crm }: ConnectorTest,
  { results, error }: Written,
  ids: readonly string[],
  field: string,
  value: string,
  where: string,
): Promise<void> {
  for (const result of results) {
    assert.ok(ids.includes(result.id), `${where}: a result has an id that no change has`);
    if (result.status === 'written') {
      assert.equal(await crm.seenValue(result.id, field), value, `${where}: not written`);
      continue;
    }
    const refusals = result.status === 'refused' ? [result] : result.refusals;
    assert.ok(
      refusals.every(({ retriable }) => retriable),
      `${where}: the same write would succeed later, so \`retriable\` is true`,
    );
  }
  assert.equal(new Set(results.map(({ id }) => id)).size, results.length, `${where}: twice`);
  if (error === null) assert.equal(results.length, ids.length, `${where}: a change has no result`);
  else if (isDonorSyncError(error)) assert.equal(error.kind, 'retriable', `${where}: ${error}`);
}
