/** Tests whether connectors write values into the fields of contacts. */
import assert from 'node:assert/strict';
import type { FieldValues } from '../../../src/core/crm-field.ts';
import { isDonorSyncError } from '../../../src/core/errors.ts';
import type { ContactChange } from '../../contract.ts';
import { expectEqual, expectThat, show } from '../expect.ts';
import { writeUntilEnd } from '../faults.ts';
import { collect, findResult, getValues, write } from '../readings.ts';
import { people } from '../seeds.ts';
import type { ConnectorTest, Suite } from '../suite.ts';

export function promiseWriting({ describe, it, can }: Suite): void {
  describe('writing', () => {
    it('writes exactly the fields that a change names', async (t) => {
      const [id = '', other = ''] = await t.start(people(2));
      const [field, untouched] = t.crm.textFields;
      await t.crm.setValue(id, untouched, 'typed by a person');
      // As a sync does, the test reads all mapped fields and then writes some of them.
      await t.connector.readByIds([id], [field, untouched]);
      assert.deepEqual(await write(t.connector, [{ id, values: { [field]: 'ours' } }]), [
        { status: 'written', id },
      ]);
      await t.startAgain();
      assert.equal(await t.crm.seenValue(id, field), 'ours');
      assert.equal(await t.crm.seenValue(id, untouched), 'typed by a person');
      assert.equal(await t.crm.seenValue(other, field), null);
    });

    it('clears a field with null', async (t) => {
      const [id = ''] = await t.start(people(1));
      const [field] = t.crm.textFields;
      await t.crm.setValue(id, field, 'old');
      await write(t.connector, [{ id, values: { [field]: null } }]);
      await t.connector.finish();
      assert.equal(await t.crm.seenValue(id, field), null);
      assert.deepEqual(getValues((await t.connector.readByIds([id], [field]))[0]), {
        [field]: null,
      });
    });

    it('reads back what it wrote, before and after the run ends', async (t) => {
      const [id = ''] = await t.start(people(2));
      const [first, second] = t.crm.textFields;
      const values: FieldValues = {
        [first]: 'Zoë "Z" O’Neil, Jr.; 50% – done',
        [second]: 'plain',
        ...Object.fromEntries((t.crm.typedFields ?? []).map(({ name, value }) => [name, value])),
      };
      assert.deepEqual(await write(t.connector, [{ id, values }]), [{ status: 'written', id }]);
      const fields = Object.keys(values);
      assert.deepEqual(getValues((await t.connector.readByIds([id], fields))[0]), values);
      await t.startAgain();
      assert.deepEqual(getValues((await t.connector.readByIds([id], fields))[0]), values);
    });

    it('writes a text exactly as it is, whatever it looks like', async (t) => {
      const texts = [
        '00123',
        '1,234',
        '1e5',
        'true',
        'null',
        '2026-11-20',
        '=1+1',
        'a;b',
        '<b>&amp;',
      ];
      const ids = await t.start(people(texts.length));
      const [field] = t.crm.textFields;
      const changes = ids.map((id, at) => ({ id, values: { [field]: texts[at] ?? null } }));
      await write(t.connector, changes);
      await t.startAgain();
      const lookups = await t.connector.readByIds(ids, [field]);
      assert.deepEqual(
        lookups.map((lookup) => getValues(lookup)?.[field]),
        texts,
      );
    });

    it('writes a text as long as the field allows', async (t) => {
      const [id = ''] = await t.start(people(1));
      const [name] = t.crm.textFields;
      const field = (await t.connector.describeFields()).find((one) => one.name === name);
      const length = Math.min(field?.maxLength ?? LONG_TEXT, LONG_TEXT);
      const text = 'Zoë und Åsa '.repeat(LONG_TEXT).slice(0, length).trim();
      const [result] = await write(t.connector, [{ id, values: { [name]: text } }]);
      assert.deepEqual(result, { status: 'written', id });
      await t.connector.finish();
      assert.equal(await t.crm.seenValue(id, name), text);
    });

    it('writes a number as digits, without separators', async (t) => {
      const [id = ''] = await t.start(people(1));
      const numbers = await findNumbers(t);
      for (const { name, value } of numbers) {
        await write(t.connector, [{ id, values: { [name]: value } }]);
        await t.connector.finish();
        const seen = await t.crm.seenValue(id, name);
        assert.equal(Number(seen), value, `${name}: ${seen}`);
        assert.deepEqual(getValues((await t.connector.readByIds([id], [name]))[0]), {
          [name]: value,
        });
      }
    });

    it('gives one result for each change, also for two changes of one contact', async (t) => {
      const [id = '', other = ''] = await t.start(people(2));
      const [first, second] = t.crm.textFields;
      const results = await write(t.connector, [
        { id, values: { [first]: 'a' } },
        { id: other, values: { [first]: 'b' } },
        { id, values: { [second]: 'c' } },
      ]);
      const answered = results.map((result) => result.id).sort();
      const hint =
        'A change is not replaced by a later one of the same contact: write the fields of both. A Map by id would lose the earlier one.';
      expectEqual(answered, [id, id, other].sort(), 'the ids of the results', hint);
      await t.connector.finish();
      for (const [owner, field, expected, which] of [
        [id, first, 'a', 'the first of two changes of one contact'],
        [id, second, 'c', 'the second of two changes of one contact'],
        [other, first, 'b', 'the change of another contact'],
      ] as const) {
        const what = `${field} in the CRM, written by ${which}`;
        expectEqual(await t.crm.seenValue(owner, field), expected, what, hint);
      }
    });

    it('takes the same change twice', async (t) => {
      const [id = ''] = await t.start(people(1));
      const [field] = t.crm.textFields;
      const change = { id, values: { [field]: 'ours' } };
      for (let time = 0; time < 2; time += 1) {
        assert.deepEqual(await write(t.connector, [change]), [{ status: 'written', id }]);
      }
      await t.connector.finish();
      assert.equal(await t.crm.seenValue(id, field), 'ours');
    });

    it('lets the later of two changes win and keeps what only the earlier one names', async (t) => {
      const [id = ''] = await t.start(people(1));
      const [field, other] = t.crm.textFields;
      await write(t.connector, [{ id, values: { [field]: 'first', [other]: 'kept' } }]);
      await write(t.connector, [{ id, values: { [field]: 'second' } }]);
      await t.connector.finish();
      assert.equal(await t.crm.seenValue(id, field), 'second');
      assert.equal(await t.crm.seenValue(id, other), 'kept');
    });

    it('lets the later of two changes of one contact win within one call, too', async (t) => {
      const [id = '', other = ''] = await t.start(people(2));
      const [field] = t.crm.textFields;
      const values = ['first', 'second', 'third'];
      const changes = values.map((value) => ({ id, values: { [field]: value } }));
      const results = await write(t.connector, [
        ...changes,
        { id: other, values: { [field]: 'other' } },
      ]);
      const hint =
        'Send changes of one contact one after the other: with `inLanes`, return true from `mustWait` for a contact that is in the call already.';
      expectEqual(results.length, values.length + 1, 'the number of results', hint);
      await t.connector.finish();
      expectEqual(await t.crm.seenValue(id, field), 'third', 'the value in the CRM', hint);
    });

    it('changes nothing of what it is given', async (t) => {
      const ids = Object.freeze(await t.start(people(2)));
      const [field, other] = t.crm.textFields;
      const change = {
        values: Object.freeze({ [field]: 'ours', [other]: null }),
        seen: Object.freeze({}),
      };
      const changes = Object.freeze(ids.map((id) => Object.freeze({ ...change, id })));
      const results = await write(t.connector, changes);
      const hint = 'Copy a list or an object before you change it: the caller still uses it.';
      const written = results.filter(({ status }) => status === 'written');
      expectEqual(written.length, ids.length, 'written changes of frozen objects', hint);
      const fields = Object.freeze([field, other]);
      const lookups = await t.connector.readByIds(ids, fields);
      expectEqual(lookups.length, ids.length, 'look-ups with frozen lists', hint);
    });

    it('acknowledges no value of a field that does not exist, and writes the others', async (t) => {
      const [id = ''] = await t.start(people(1));
      const [field] = t.crm.textFields;
      const unknown = 'no_such_field';
      const values = { [field]: 'ours', [unknown]: 'lost' };
      const { results, error } = await writeUntilEnd(t.connector, [{ id, values }]);
      const [result] = results;
      const hint =
        'A value that the CRM does not store is never acknowledged: name the field in a refusal (`no_such_field`).';
      await t.connector.finish();
      // In a file, the connector adds a new column for an unknown field.
      const stored = await t.crm.seenValue(id, unknown).catch(() => null);
      expectThat(error !== null || result?.status !== 'written' || stored === 'lost', {
        what: 'a change with a field that does not exist',
        expected: 'a refusal of this field, an error, or the value in the CRM',
        ...{ actual: show(result), hint },
      });
      if (result?.status !== 'written_in_part') return;
      const blamed = result.refusals.flatMap(({ fields }) => fields);
      expectEqual(blamed, [unknown], 'the fields in the refusals', hint);
      expectEqual(await t.crm.seenValue(id, field), 'ours', 'the other value in the CRM', hint);
    });

    it('gives one result for each change of a large batch', async (t) => {
      await t.open();
      const { preferred, max } = t.connector.capabilities.writeBatch;
      const ids = await t.start(people(Math.min(preferred + 1, max)));
      const [field] = t.crm.textFields;
      const results = await write(
        t.connector,
        ids.map((id) => ({ id, values: { [field]: `value of ${id}` } })),
      );
      assert.deepEqual(results.map(({ id }) => id).sort(), [...ids].sort());
      assert.equal(
        results.every(({ status }) => status === 'written'),
        true,
      );
      await t.connector.finish();
      const last = ids.at(-1) ?? '';
      assert.equal(await t.crm.seenValue(last, field), `value of ${last}`);
    });

    it('takes changes that arrive one by one', async (t) => {
      const ids = await t.start(people(3));
      const [field] = t.crm.textFields;
      async function* arriving(): AsyncGenerator<ContactChange> {
        for (const id of ids) {
          await Promise.resolve();
          yield { id, values: { [field]: 'ours' } };
        }
      }
      const results = await collect(t.connector.write(arriving()));
      assert.deepEqual(results.map(({ id }) => id).sort(), [...ids].sort());
    });

    it('writes nothing when there is nothing to write', async (t) => {
      await t.start(people(1));
      assert.deepEqual(await write(t.connector, []), []);
    });

    it('refuses a contact that is gone and writes the others', async (t) => {
      const [gone = '', kept = ''] = await t.start(people(2));
      const [field] = t.crm.textFields;
      await t.crm.deleteContact(gone);
      const results = await write(t.connector, [
        { id: gone, values: { [field]: 'ours' } },
        { id: kept, values: { [field]: 'ours' } },
      ]);
      assert.partialDeepStrictEqual(findResult(results, gone), {
        status: 'refused',
        retriable: false,
      });
      assert.deepEqual(findResult(results, kept), { status: 'written', id: kept });
      await t.connector.finish();
      assert.equal(await t.crm.seenValue(kept, field), 'ours');
    });

    if (can('refuseWrites')) {
      it('reports a refused record without disturbing the others', async (t) => {
        const [first = '', refused = '', last = ''] = await t.start(people(3));
        const [field] = t.crm.textFields;
        await t.crm.refuseWrites?.(refused);
        const changes = [first, refused, last].map((id) => ({ id, values: { [field]: 'ours' } }));
        const results = await write(t.connector, changes);
        const refusal = findResult(results, refused);
        assert.partialDeepStrictEqual(refusal, { status: 'refused', retriable: false });
        assert.ok(
          refusal?.status === 'refused',
          `the result is ${show(refusal)}, not \`refused\`.`,
        );
        assert.notEqual(refusal.code, '');
        assert.ok(
          !refusal.message.includes('ours'),
          `the message of the refusal contains the value: ${refusal.message}`,
        );
        await t.connector.finish();
        assert.equal(await t.crm.seenValue(first, field), 'ours');
        assert.equal(await t.crm.seenValue(refused, field), null);
        assert.equal(await t.crm.seenValue(last, field), 'ours');
      });
    }

    if (can('refuseField')) {
      it('loses one value where the CRM refuses one value', async (t) => {
        const [refused = '', whole = ''] = await t.start(people(2));
        const [bad, good] = t.crm.textFields;
        await t.crm.refuseField?.(refused, bad);
        const changes = [refused, whole].map((id) => ({
          id,
          values: { [bad]: `of ${id}`, [good]: 'ours' },
        }));
        const results = await write(t.connector, changes);
        assert.equal(results.length, 2);
        assert.deepEqual(findResult(results, whole), { status: 'written', id: whole });
        const part = findResult(results, refused);
        assert.ok(
          part?.status === 'written_in_part',
          `with one refused and one good value, the result is ${show(part)}, not \`written_in_part\`.`,
        );
        assert.deepEqual(
          part.refusals.map(({ fields }) => fields),
          [[bad]],
        );
        assert.ok(
          part.refusals.every(({ code, retriable }) => code !== '' && !retriable),
          `a refusal has no code, or is \`retriable\`: ${show(part.refusals)}`,
        );
        assert.ok(
          part.refusals.every(({ message }) => !message.includes(refused)),
          `the message of a refusal contains the value or the id, so it repeats the text of the CRM: ${show(part.refusals)}`,
        );
        await t.connector.finish();
        assert.equal(await t.crm.seenValue(refused, bad), null);
        assert.equal(await t.crm.seenValue(refused, good), 'ours');
        assert.equal(await t.crm.seenValue(whole, bad), `of ${whole}`);
      });

      it('says that nothing was written where the refused value was the only one', async (t) => {
        const [id = ''] = await t.start(people(1));
        const [bad] = t.crm.textFields;
        await t.crm.refuseField?.(id, bad);
        const [result] = await write(t.connector, [{ id, values: { [bad]: `of ${id}` } }]);
        assert.partialDeepStrictEqual(result, { status: 'refused', id, retriable: false });
      });
    }

    if (can('refuseWrites') && can('refuseField')) {
      it('leaves the rest of a batch written, however many records of it are protected', async (t) => {
        const ids = await t.start(people(PROTECTED + 3));
        const [bad, good] = t.crm.textFields;
        const [picky = '', whole = '', last = ''] = ids.slice(PROTECTED);
        const guarded = ids.slice(0, PROTECTED);
        for (const id of guarded) await t.crm.refuseWrites?.(id);
        await t.crm.refuseField?.(picky, bad);
        const changes = ids.map((id) => ({ id, values: { [bad]: `of ${id}`, [good]: 'ours' } }));
        const results = await write(t.connector, changes);
        assert.equal(results.length, ids.length);
        for (const id of guarded) {
          assert.partialDeepStrictEqual(findResult(results, id), {
            status: 'refused',
            retriable: false,
          });
        }
        const part = findResult(results, picky);
        assert.ok(
          part?.status === 'written_in_part',
          `with one refused value, the result is ${show(part)}, not \`written_in_part\`.`,
        );
        for (const id of [whole, last]) {
          assert.deepEqual(findResult(results, id), { status: 'written', id });
        }
        await t.connector.finish();
        for (const id of guarded) assert.equal(await t.crm.seenValue(id, good), null);
        for (const id of [picky, whole, last]) {
          assert.equal(await t.crm.seenValue(id, good), 'ours');
        }
        assert.equal(await t.crm.seenValue(picky, bad), null);
        assert.equal(await t.crm.seenValue(last, bad), `of ${last}`);
      });
    }

    if (can('lock')) {
      it('writes a locked record in the end, or says that trying again makes sense', async (t) => {
        const [locked = '', free = ''] = await t.start(people(2));
        const [field] = t.crm.textFields;
        await t.crm.lock?.(locked, 1);
        const changes = [locked, free].map((id) => ({ id, values: { [field]: 'ours' } }));
        const results = await write(t.connector, changes);
        assert.deepEqual(findResult(results, free), { status: 'written', id: free });
        const first = findResult(results, locked);
        if (first?.status === 'refused') {
          assert.equal(first.retriable, true);
          const again = await write(t.connector, changes.slice(0, 1));
          assert.deepEqual(again, [{ status: 'written', id: locked }]);
        }
        await t.connector.finish();
        assert.equal(await t.crm.seenValue(locked, field), 'ours');
      });
    }

    it('acknowledges nothing that it did not write when the run stops', async (t) => {
      const ids = await t.crm.addContacts(people(3));
      const [field] = t.crm.textFields;
      const stop = new AbortController();
      await t.open({ signal: stop.signal });
      stop.abort();
      const acknowledged: string[] = [];
      try {
        const changes = ids.map((id) => ({ id, values: { [field]: 'ours' } }));
        for await (const { id, status } of t.connector.write(changes)) {
          if (status === 'written') acknowledged.push(id);
        }
      } catch (error) {
        assert.ok(isDonorSyncError(error), `the error is none of the four kinds: ${error}`);
      }
      await t.connector.finish();
      for (const id of ids) {
        const expected = acknowledged.includes(id) ? 'ours' : null;
        assert.equal(await t.crm.seenValue(id, field), expected);
      }
    });
  });
}

const LONG_TEXT = 1_000;

/**
 * The number of records that a rule protects. With fewer protected records, a connector might conclude that the rule
 * rejects whole records.
 */
const PROTECTED = 5;

/** Returns number fields, with numbers that have more than three digits before the decimal point. */
async function findNumbers({ crm, connector }: ConnectorTest) {
  const typed = (crm.typedFields ?? []).flatMap(({ name, value }) =>
    typeof value === 'number' ? [{ name, value }] : [],
  );
  if (typed.length > 0) return typed;
  const fields = await connector.describeFields();
  const field = fields.find(
    ({ type, writable, integerDigits }) =>
      writable && ['integer', 'number', 'currency'].includes(type) && (integerDigits ?? 9) >= 7,
  );
  return field === undefined ? [] : [{ name: field.name, value: 1_234_567 }];
}
