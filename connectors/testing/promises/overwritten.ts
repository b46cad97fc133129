/** Tests whether connectors report values that users typed after the reading and before the write. */
import assert from 'node:assert/strict';
import type { FieldValues } from '../../../src/core/crm-field.ts';
import type { Overwritten } from '../../contract.ts';
import { expectEqual } from '../expect.ts';
import { getValues, write } from '../readings.ts';
import { people } from '../seeds.ts';
import type { ConnectorTest, Suite } from '../suite.ts';
import { listTyped } from '../typed.ts';

/** The values for number fields. A user types one value, and the kit then writes the other value. */
const NUMBER = { ours: 7, typed: '19' };

/**
 * The tolerance when a test searches a history for the time of a write. The tolerance exists because the clocks in a
 * test may differ.
 */
const TOLERANCE_MS = 60_000;

/** Declares promises that apply only to connectors with `tellsOverwritten`. */
export function promiseOverwritten({ describe, it }: Suite): void {
  describe('telling of values that were typed meanwhile', () => {
    it('names the value that a user typed after it was read, and that the write replaced', async (t) => {
      const [id = ''] = await t.start(people(1));
      const [field, other] = t.crm.textFields;
      const values = { [field]: 'ours', [other]: 'ours, too' };
      const typing = () => t.crm.setValue(id, field, 'typed by a user');
      const overwritten = await writeSeen(t, id, values, typing);
      if (overwritten === null) return;
      assert.deepEqual(overwritten?.values, { [field]: 'typed by a user' });
      assert.equal(await t.crm.seenValue(id, field), 'ours');
    });

    it('names a value that a user has cleared after it was read', async (t) => {
      const [id = ''] = await t.start(people(1));
      const [field] = t.crm.textFields;
      await t.crm.setValue(id, field, 'typed by a user');
      const clearing = () => t.crm.setValue(id, field, null);
      const overwritten = await writeSeen(t, id, { [field]: 'ours' }, clearing);
      if (overwritten === null) return;
      expectEqual(
        overwritten?.values,
        { [field]: null },
        '`overwritten`, after a user has cleared a value that was read before',
        'Clearing a field is an edit, too: report null for it like any other former value that differs from `seen`. Otherwise the value that a user has erased comes back for good.',
      );
    });

    it('names a number as the caller reads it, and not as the CRM stores it', async (t) => {
      await t.start([]);
      const fields = await listTyped(t, 'integer', 'number', 'currency', 'percent');
      const ids = await t.crm.addContacts(people(fields.length));
      for (const [at, { name }] of fields.entries()) {
        const id = ids[at] ?? '';
        const lookup = async () =>
          getValues((await t.connector.readByIds([id], [name]))[0])?.[name];
        let typed: Awaited<ReturnType<typeof lookup>>;
        const overwritten = await writeSeen(t, id, { [name]: NUMBER.ours }, async () => {
          await t.crm.setValue(id, name, NUMBER.typed);
          typed = await lookup();
        });
        if (overwritten === null) return;
        // The test skips a field into which the harness cannot type.
        if (typed === null) continue;
        expectEqual(
          overwritten?.values,
          { [name]: typed },
          `\`overwritten\` of ${name}, into which a user had typed ${NUMBER.typed}`,
          'Convert the former value as `readByIds` does: it is written back as it is, so stored cents would become a hundred times as much.',
        );
      }
    });

    it('says nothing if nobody has typed, or has typed the same', async (t) => {
      const [id = '', same = ''] = await t.start(people(2));
      const [field] = t.crm.textFields;
      const values = { [field]: 'ours' };
      assert.equal((await writeSeen(t, id, values, async () => {})) ?? undefined, undefined);
      const typing = () => t.crm.setValue(same, field, 'ours');
      assert.equal((await writeSeen(t, same, values, typing)) ?? undefined, undefined);
    });
  });
}

/**
 * Reads the fields, simulates a user who types values, and then writes. Returns null if the connector does not report
 * overwritten values.
 */
async function writeSeen(
  { connector }: ConnectorTest,
  id: string,
  values: FieldValues,
  typing: () => Promise<void>,
): Promise<Overwritten | undefined | null> {
  const tells = connector.capabilities.tellsOverwritten;
  if (tells === undefined) return null;
  const fields = Object.keys(values);
  const [found] = await connector.readByIds([id], fields);
  const seen = found?.state === 'found' ? found.values : {};
  await typing();
  const sentAtMs = Date.now() - TOLERANCE_MS;
  const [result] = await write(connector, [{ id, values, seen }]);
  assert.equal(result?.status, 'written');
  if (tells === 'write') return result?.status === 'written' ? result.overwritten : undefined;
  const written = [{ id, fields, sentAtMs, sent: values, seen }];
  return (await connector.readBack?.(written))?.[0]?.overwritten;
}
