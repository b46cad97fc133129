/**
 * Tests changes that are similar to earlier changes, and changes of which the CRM refuses a part. Also tests fields
 * that must stay unchanged.
 */
import type { FieldValue } from '../../../src/core/crm-field.ts';
import type { ContactChange } from '../../contract.ts';
import { expectEqual, expectThat, show } from '../expect.ts';
import { byId, collectPages, findResult, getValues, write } from '../readings.ts';
import { FULL, people } from '../seeds.ts';
import type { ConnectorTest, Suite } from '../suite.ts';
import { describeTyped, type TypedField } from '../typed.ts';

const AGAIN_HINT =
  'Carry out each change, also if it has the values of an earlier one. An idempotency key is new for each change, and the same only for repetitions of one request after a lost response: never make it from the contact and the values.';

const EACH_HINT =
  'Match the results of the CRM with the changes by their position or a reference, and not by the id of the contact: two changes of one contact have two results.';

const TOGETHER_HINT =
  'With `together`, a value that the connector itself cannot send rejects the whole change, before anything of it is sent: the values of two people must not meet in one contact.';

export function promiseRepeatedWrites({ describe, it, can }: Suite): void {
  describe('changes and their results', () => {
    it('writes a value again that a user has changed or cleared in the meantime', async (t) => {
      const [id = ''] = await t.start(people(1));
      const [field] = t.crm.textFields;
      for (const typed of ['typed by a user', null]) {
        for (const isLater of [false, true]) {
          await write(t.connector, [{ id, values: { [field]: 'ours' } }]);
          await t.connector.finish();
          await t.crm.setValue(id, field, typed);
          if (isLater) await t.startAgain();
          const [result] = await write(t.connector, [{ id, values: { [field]: 'ours' } }]);
          await t.connector.finish();
          const how = typed === null ? 'cleared the field' : 'typed another value';
          const what = `the second write of one value, after a user has ${how}${isLater ? ', by a connector that was opened anew' : ''}`;
          expectEqual(result, { status: 'written', id }, what, AGAIN_HINT);
          expectEqual(
            await t.crm.seenValue(id, field),
            'ours',
            `${field} in the CRM after ${what}`,
            AGAIN_HINT,
          );
        }
      }
    });

    it('writes an earlier value of its own again', async (t) => {
      const [id = ''] = await t.start(people(1));
      const [field] = t.crm.textFields;
      for (const value of ['first', 'second', 'first', null, 'second', null]) {
        const [result] = await write(t.connector, [{ id, values: { [field]: value } }]);
        await t.connector.finish();
        const what = `writing ${show(value)} after other values`;
        expectEqual(result, { status: 'written', id }, what, AGAIN_HINT);
        expectEqual(await t.crm.seenValue(id, field), value, `${field} after ${what}`, AGAIN_HINT);
      }
    });

    it('leaves every other part of a contact as it was', async (t) => {
      const [id = ''] = await t.start([FULL]);
      const [field, other] = t.crm.textFields;
      const typed = await describeTyped(t);
      const values = Object.fromEntries(typed.map(({ name, value }) => [name, value]));
      await write(t.connector, [{ id, values: { ...values, [other]: 'typed & <kept>' } }]);
      await t.connector.finish();
      const names = [...Object.keys(values), other];
      const look = async () => {
        const [lookup] = await t.connector.readByIds([id], names);
        const seen: (string | null)[] = [];
        for (const name of names) seen.push(await t.crm.seenValue(id, name));
        const page = byId(await collectPages(t.connector, null)).get(id);
        return { contact: page, values: getValues(lookup), seen };
      };
      const before = await look();
      for (const value of ['ours', null]) {
        await write(t.connector, [{ id, values: { [field]: value } }]);
        await t.connector.finish();
        const what = `everything else of a contact, after ${show(value)} was written into ${field}`;
        const hint =
          'Send only the fields of the change. A CRM that replaces the whole record, or a list in it, needs another request.';
        expectEqual(await look(), before, what, hint);
      }
    });

    if (can('ids')) {
      it('answers a change with the id that is in it, whatever its form', async (t) => {
        const [id = ''] = await t.start(people(2));
        const [field] = t.crm.textFields;
        for (const form of t.crm.ids?.otherForms(id) ?? []) {
          const value = `by ${show(form)}`;
          const hint =
            'Write the contact of this id, or refuse the change, and return the id as it is in the change.';
          const results = await write(t.connector, [{ id: form, values: { [field]: value } }]);
          await t.connector.finish();
          const what = `the id in the results of a change with the id ${show(form)}, which is ${id}`;
          const answered = results.map((result) => result.id);
          expectEqual(answered, [form], what, hint);
          const isWritten = results[0]?.status === 'written';
          const seen = await t.crm.seenValue(id, field);
          expectEqual(seen === value, isWritten, `whether ${field} of ${id} has the value`, hint);
        }
      });
    }

    if (can('refuseField')) {
      for (const isFirst of [true, false]) {
        it(`tells the result of each of two changes of one contact, if the CRM refuses the ${isFirst ? 'earlier' : 'later'} one`, async (t) => {
          const [id = '', other = ''] = await t.start(people(2));
          const [bad, good] = t.crm.textFields;
          await t.crm.refuseField?.(id, bad);
          const changes: ContactChange[] = [
            { id, values: { [bad]: `of ${id}` } },
            { id: other, values: { [bad]: 'fine' } },
            { id, values: { [good]: 'fine' } },
          ];
          const results = await write(t.connector, isFirst ? changes : changes.toReversed());
          await t.connector.finish();
          const own = results.filter((result) => result.id === id).map(({ status }) => status);
          const what = 'the results of two changes of one contact, of which the CRM refuses one';
          expectEqual(own.sort(), ['refused', 'written'], what, EACH_HINT);
          const seen = [await t.crm.seenValue(id, bad), await t.crm.seenValue(id, good)];
          expectEqual(seen, [null, 'fine'], `${bad} and ${good} in the CRM`, EACH_HINT);
          const whatOther = 'the result of another contact in the same call';
          expectEqual(findResult(results, other)?.status, 'written', whatOther, EACH_HINT);
        });
      }
    }

    it('refuses a whole change with `together`, if one of its values cannot be stored', (t) =>
      refusesBadValues(t, true));

    it('writes the other values of a change, if one of them cannot be stored', (t) =>
      refusesBadValues(t, false));
  });
}

async function refusesBadValues(t: ConnectorTest, together: boolean): Promise<void> {
  await t.start([]);
  if (together && t.connector.capabilities.writesTogether !== true) return;
  const [good] = t.crm.textFields;
  for (const field of await describeTyped(t)) {
    const bad = badValueOf(field);
    if (bad === null || field.name === good) continue;
    const [id = '', other = ''] = await t.crm.addContacts(people(2));
    await t.crm.setValue(id, good, 'former');
    const values = { [good]: 'ours', [field.name]: bad };
    const changes: ContactChange[] = [
      { id, values, ...(together ? { together } : {}) },
      { id: other, values: { [good]: 'ours' } },
    ];
    const results = await write(t.connector, changes);
    await t.connector.finish();
    const result = findResult(results, id);
    const [seenGood, seenBad] = [
      await t.crm.seenValue(id, good),
      await t.crm.seenValue(id, field.name),
    ];
    const situation = `a change${together ? ' with `together`' : ''} of ${good} and of ${field.name} (${field.type}), which cannot hold ${show(bad)}`;
    const hint = together
      ? TOGETHER_HINT
      : 'Send the other values, and name the field in a refusal (`does_not_fit`). With `refused`, nothing of the change is written.';
    const whatOther = `the result of another change next to ${situation}`;
    expectEqual(findResult(results, other)?.status, 'written', whatOther, hint);
    if (result?.status === 'written') {
      // The CRM can store this value.
      expectEqual(seenGood, 'ours', `${good} in the CRM after ${situation}`, hint);
      expectThat(seenBad !== null, {
        what: `${field.name} in the CRM after ${situation}, which was acknowledged`,
        ...{ expected: 'the value', actual: 'a blank', hint },
      });
      continue;
    }
    expectEqual(seenBad, null, `${field.name} in the CRM after ${situation}`, hint);
    if (result?.status === 'refused') {
      expectEqual(seenGood, 'former', `${good} in the CRM after the refusal of ${situation}`, hint);
      continue;
    }
    expectThat(!together && result?.status === 'written_in_part', {
      what: `the result of ${situation}`,
      expected: together ? '`refused`' : '`written_in_part`, or `refused`',
      ...{ actual: show(result), hint },
    });
    const blamed = result?.status === 'written_in_part' ? result.refusals : [];
    const names = blamed.flatMap(({ fields }) => fields);
    expectEqual(names, [field.name], `the refused fields of ${situation}`, hint);
    expectEqual(seenGood, 'ours', `${good} in the CRM after ${situation}`, hint);
  }
}

/** Returns a value that the field cannot store unchanged, or null if there is no such value. */
function badValueOf({ type, options, maxLength, decimalDigits }: TypedField): FieldValue {
  if (type === 'picklist') return 'an option that no picklist has';
  if (type === 'multiPicklist') return `${options[0] ?? 'known'};an option that no picklist has`;
  if (['text', 'longText', 'url'].includes(type) && maxLength !== null) {
    return (type === 'url' ? 'https://example.org/' : '').padEnd(maxLength + 1, 'abc');
  }
  if (
    ['number', 'currency', 'percent'].includes(type) &&
    decimalDigits !== null &&
    decimalDigits < 6
  ) {
    return Number(`1.${'1'.repeat(decimalDigits + 1)}`);
  }
  return null;
}
