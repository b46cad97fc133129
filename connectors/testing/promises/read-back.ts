/**
 * Tests connectors that read the written values back. The connectors must distinguish changes by automation from
 * changes by users.
 */
import assert from 'node:assert/strict';
import { expectEqual, expectThat, show } from '../expect.ts';
import { write } from '../readings.ts';
import { people } from '../seeds.ts';
import type { ConnectorTest, Suite } from '../suite.ts';

const FIELD_HINT =
  'Decide for each field, by the author in its own history: the author of the record has changed some field, and perhaps another one. A user’s value that counts as automated is overwritten.';

const OTHER_APP_HINT =
  'Compare the id of the app in the history with your own: what another app writes is a user’s value here. If automation follows it, `madeFrom` has the value of that app, so donor-sync does not recognise it.';

/** Declares promises that apply only to connectors with `readBack`. */
export function promiseReadingBack({ describe, it, can }: Suite): void {
  describe('reading back', () => {
    it('gives one entry for each write, in their order, and null for what is gone', async (t) => {
      const ids = await t.start(people(4));
      if (t.connector.readBack === undefined) return;
      const [field, blank] = t.crm.textFields;
      const sentAtMs = Date.now();
      await write(
        t.connector,
        ids.map((id) => ({ id, values: { [field]: `of ${id}` } })),
      );
      const [, gone = ''] = ids;
      await t.crm.deleteContact(gone);
      const asked = [...ids].reverse();
      const read = await t.connector.readBack(
        asked.map((id) => ({ id, fields: [field, blank], sentAtMs })),
      );
      assert.deepEqual(
        read,
        asked.map((id) => ({
          id,
          values: id === gone ? null : { [field]: `of ${id}`, [blank]: null },
          automated: [],
        })),
      );
      assert.deepEqual(await t.connector.readBack([]), []);
    });

    it('never takes what a user typed after the write for automation', async (t) => {
      const [id = ''] = await t.start(people(1));
      const [field] = t.crm.textFields;
      const read = await writeAndRead(t, id, () => t.crm.setValue(id, field, 'typed by a user'));
      if (read === undefined) return;
      assert.deepEqual(read, [{ id, values: { [field]: 'typed by a user' }, automated: [] }]);
    });

    if (can('otherApp')) {
      it('never takes the value of another app for automation, or for what automation has made from ours', async (t) => {
        const [id = '', followed = ''] = await t.start(people(2));
        if (t.connector.readBack === undefined) return;
        const [field] = t.crm.textFields;
        const what = `\`automated\` of ${field}, after another app has written into it`;
        const sent = { [field]: 'ours' };
        for (const contact of [id, followed]) {
          const sentAtMs = Date.now();
          await write(t.connector, [{ id: contact, values: sent }]);
          if (contact === followed && can('automate')) await t.crm.automate?.(field);
          await t.crm.writeAsOtherApp?.(contact, field, 'of another app');
          const written = { id: contact, fields: [field], sentAtMs, sent };
          const [read] = await t.connector.readBack([written]);
          expectEqual(read?.automated, [], what, OTHER_APP_HINT);
        }
        const wanted = [id, followed].map((each) => ({ id: each, fields: [field] }));
        const found = (await t.connector.findAutomated?.(wanted)) ?? [];
        expectEqual(
          found.filter(({ madeFrom }) => madeFrom[field] !== 'of another app'),
          [],
          'what `findAutomated` says was made from our value, after another app has replaced it',
          OTHER_APP_HINT,
        );
      });
    }

    if (can('automate')) {
      it('tells a value that automation changed from one that a user typed', async (t) => {
        const [id = '', edited = ''] = await t.start(people(2));
        const [field] = t.crm.textFields;
        await t.crm.automate?.(field);
        const changed = await writeAndRead(t, id, async () => {});
        assert.ok(
          changed !== undefined,
          'the ability `automate` needs a connector with `readBack`.',
        );
        assert.deepEqual(changed[0]?.automated, [field]);
        assert.notEqual(changed[0]?.values?.[field], 'ours');
        const typed = await writeAndRead(t, edited, () => t.crm.setValue(edited, field, 'typed'));
        assert.deepEqual(typed?.[0]?.automated, []);
      });

      it('tells which of several fields automation has changed', async (t) => {
        const [id = '', edited = ''] = await t.start(people(2));
        if (t.connector.readBack === undefined) return;
        const [field, other] = t.crm.textFields;
        await t.crm.automate?.(field);
        for (const [contact, typed] of [
          [id, null],
          [edited, 'typed by a user'],
        ] as const) {
          const sentAtMs = Date.now();
          const values = { [field]: 'ours', [other]: 'ours, too' };
          await write(t.connector, [{ id: contact, values }]);
          if (typed !== null) await t.crm.setValue(contact, other, typed);
          const written = { id: contact, fields: [field, other], sentAtMs, sent: values };
          const [read] = await t.connector.readBack([written]);
          const what = `\`automated\`, after automation has changed ${field}, and ${typed === null ? 'nobody' : 'a user'} ${other}`;
          const isWrong = read?.automated.includes(other) ?? true;
          expectThat(!isWrong && (typed !== null || read?.automated.includes(field) === true), {
            what,
            expected: `${field} only`,
            actual: show(read?.automated),
            hint: FIELD_HINT,
          });
        }
      });

      it('never takes a field for automated that only a user has changed, if automation follows', async (t) => {
        const [id = ''] = await t.start(people(1));
        if (t.connector.readBack === undefined) return;
        const [field, other] = t.crm.textFields;
        const sent = { [other]: 'ours' };
        const sentAtMs = Date.now();
        await write(t.connector, [{ id, values: sent }]);
        await t.crm.setValue(id, other, 'typed by a user');
        await t.crm.automate?.(field);
        await write(t.connector, [{ id, values: { [field]: 'ours' } }]);
        const [read] = await t.connector.readBack([{ id, fields: [other], sentAtMs, sent }]);
        expectEqual(
          read?.automated,
          [],
          `\`automated\` of ${other}, into which a user has typed before automation changed ${field}`,
          FIELD_HINT,
        );
        if (t.connector.findAutomated === undefined) return;
        const found = await t.connector.findAutomated([{ id, fields: [field, other] }]);
        const names = found.flatMap(({ madeFrom }) => Object.keys(madeFrom));
        expectEqual(names, [field], 'the fields that `findAutomated` returns', FIELD_HINT);
      });

      it('finds later what automation has made from a written value, and nothing that a user typed', async (t) => {
        const [id = '', edited = ''] = await t.start(people(2));
        if (t.connector.findAutomated === undefined) return;
        const [field] = t.crm.textFields;
        await t.crm.automate?.(field);
        await writeAndRead(t, id, async () => {});
        await writeAndRead(t, edited, () => t.crm.setValue(edited, field, 'typed'));
        const wanted = [edited, id].map((each) => ({ id: each, fields: [field] }));
        assert.deepEqual(await t.connector.findAutomated(wanted), [
          { id, madeFrom: { [field]: 'ours' } },
        ]);
        assert.deepEqual(await t.connector.findAutomated([]), []);
      });
    }
  });
}

/** Returns undefined if the connector has no `readBack`. */
async function writeAndRead(
  { connector, crm }: ConnectorTest,
  id: string,
  afterwards: () => Promise<void>,
) {
  const [field] = crm.textFields;
  const sentAtMs = Date.now();
  await write(connector, [{ id, values: { [field]: 'ours' } }]);
  await afterwards();
  return connector.readBack?.([{ id, fields: [field], sentAtMs }]);
}
